package drive_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	tasks "github.com/changesetgen/changesetgen/testdata/golden/policy/want"
	mails "github.com/changesetgen/changesetgen/testdata/golden/reconcile/want"
	after "github.com/changesetgen/changesetgen/testdata/golden/renamed_after/want"
	before "github.com/changesetgen/changesetgen/testdata/golden/renamed_before/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// board is a table of tasks, whose bodies do what a test has them do.
type board struct {
	tasks.Operations
	db      *sql.DB
	refuses int  // how many closings write nothing, and prove it
	mute    bool // closings return no result, which is none that their schema takes
}

func (b *board) ApplyCloseTask(ctx context.Context, c *tasks.CloseTaskChange) (*tasks.CloseTaskResult, error) {
	if b.refuses > 0 {
		b.refuses--
		return nil, runtime.NotApplied(errors.New("the board is closed"))
	}
	err := sqlop.ExecOne(ctx, b.db, "UPDATE tasks SET status = ?, version = version + 1 WHERE id = ?", c.Payload.Status, c.Payload.ID)
	if b.mute || err != nil {
		return nil, err
	}
	return &tasks.CloseTaskResult{Version: c.State.Version + 1}, nil
}

func (b *board) UndoCloseTask(ctx context.Context, c *tasks.CloseTaskApplied) error {
	if (c.Result == nil) != b.mute {
		return runtime.NotApplied(errors.New("another result than the one that was given"))
	}
	return sqlop.ExecOne(ctx, b.db, "UPDATE tasks SET status = ? WHERE id = ?", c.Before.Status, c.Payload.ID)
}

func (b *board) ApplyPurgeTasks(context.Context, *tasks.PurgeTasksChange) error { return nil }
func (b *board) ApplyPurgeSome(context.Context, *tasks.PurgeSomeChange) error   { return nil }

func startBoard(t *testing.T) (*world, *board) {
	t.Helper()
	b := &board{}
	w := start(t, "CREATE TABLE tasks (id INTEGER, title TEXT, status TEXT, version INTEGER); INSERT INTO tasks VALUES (1, 'a', 'open', 1)",
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return tasks.Register(server, guard, tasks.Config{Operations: b, Main: db})
		})
	return w, b
}

func TestToolsHaveTheNamesThatTheSpecChooses(t *testing.T) {
	t.Parallel()
	w, _ := startBoard(t)
	var names []string
	for tool, err := range w.client.Tools(t.Context(), nil) {
		check(t, "list tools", err)
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	want := []string{
		"board_apply_purge_some", "board_apply_purge_tasks", "board_preview_purge_some", "board_preview_purge_tasks",
		"board_undo_purge_some", "close_task", "get_change_status", "reopen_task", "show_closing",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// Clients guess what they are not told, so that a hint is sent where it is false too.
func TestEveryGeneratedToolCarriesAllFourHints(t *testing.T) {
	t.Parallel()
	own, _ := startBoard(t)
	shared := start(t, "", func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
		return mails.Register(server, guard, mails.Config{Operations: &mailbox{}, Main: db})
	})
	closed := []string{"show_closing", "close_task", "reopen_task", "board_preview_purge_tasks", "board_apply_purge_tasks", "get_change_status"}
	for _, w := range []*world{own, shared} {
		_, err := w.client.ListTools(t.Context(), nil)
		check(t, "list tools", err)
		var listed struct {
			Tools []struct {
				Name        string
				Annotations map[string]any
			}
		}
		check(t, "read the list", json.Unmarshal(w.wire.last(), &listed))
		if len(listed.Tools) < 4 {
			t.Fatalf("listed: %+v", listed)
		}
		for _, tool := range listed.Tools {
			writes := !strings.Contains(tool.Name, "preview") && !slices.Contains([]string{"show_closing", "compose", "get_change_status"}, tool.Name)
			delete(tool.Annotations, "title")
			want := map[string]any{
				"readOnlyHint": !writes, "destructiveHint": writes, "idempotentHint": tool.Name == "get_change_status",
				"openWorldHint": !slices.Contains(closed, tool.Name),
			}
			if diff := cmp.Diff(want, tool.Annotations); diff != "" {
				t.Errorf("hints of %s (-want +got):\n%s", tool.Name, diff)
			}
		}
	}
}

func TestAConditionDecidesWhoseYesAChangeNeeds(t *testing.T) {
	t.Parallel()
	w, _ := startBoard(t)
	archive := w.call(t, "show_closing", `{"id":1,"status":"archived"}`)
	if got := w.move(t, "close_task", archive); got.Code != "awaiting_approval" || archive.Approval != "operator" {
		t.Errorf("archived: %+v, then %+v", archive, got)
	}
	applied := w.move(t, "close_task", w.call(t, "show_closing", `{"id":1,"status":"closed"}`))
	if applied.Status != "applied" || w.column(t, "SELECT status FROM tasks") != "closed" {
		t.Fatalf("closed: %+v", applied)
	}
	if got := w.back(t, "reopen_task", applied); got.Status != "undone" || w.column(t, "SELECT status FROM tasks") != "open" {
		t.Errorf("reopened: %+v", got)
	}
}

func TestOneChangeAffectsNoMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	w, _ := startBoard(t)
	ids := "1" + strings.Repeat(",1", 24)
	if got := w.call(t, "board_preview_purge_tasks", fmt.Sprintf(`{"ids":[%s],"mode":{"most":1}}`, ids)); got.Status != "preview" {
		t.Errorf("25 things: %+v", got)
	}
	if got := w.call(t, "board_preview_purge_tasks", fmt.Sprintf(`{"ids":[%s,1],"mode":{"most":1}}`, ids)); got.Code != "limit_exceeded" {
		t.Errorf("26 things: %+v", got)
	}
	for most, code := range map[string]string{"100": "", "101": "limit_exceeded", "9223372036854775807": "limit_exceeded"} {
		if got := w.call(t, "board_preview_purge_some", `{"mode":{"most":`+most+`}}`); got.Code != code {
			t.Errorf("at most %s things: %+v, want the code %q", most, got, code)
		}
	}
}

func TestNoMoreChangesAreAppliedThanTheirLimit(t *testing.T) {
	t.Parallel()
	w, _ := startBoard(t)
	const limit = 20
	for i := range limit { // the second and all further ones change nothing, which no_change: never lets through
		if applied := w.move(t, "close_task", w.call(t, "show_closing", `{"id":1,"status":"closed"}`)); applied.Status != "applied" {
			t.Fatalf("apply %d: %+v", i+1, applied)
		}
	}
	if got := w.call(t, "show_closing", `{"id":1,"status":"closed"}`); got.Code != "limit_exceeded" {
		t.Errorf("one more: %+v", got)
	}
}

func TestWhatIsProvedToHaveWrittenNothingIsTriedAgain(t *testing.T) {
	t.Parallel()
	w, b := startBoard(t)
	b.refuses = 1
	first := w.move(t, "close_task", w.call(t, "show_closing", `{"id":1,"status":"closed"}`))
	again := answer{ChangeID: first.Retry.ChangeID, ConfirmationToken: first.Retry.ConfirmationToken}
	if first.Code != "apply_failed" || again.ChangeID == "" || again.ChangeID == first.ChangeID {
		t.Fatalf("the first try: %+v", first)
	}
	if got := w.move(t, "close_task", again); got.Status != "applied" || w.column(t, "SELECT status FROM tasks") != "closed" {
		t.Errorf("the second try: %+v", got)
	}
}

func TestUndoRunsWithoutAResultWhereItNeedsNone(t *testing.T) {
	t.Parallel()
	w, b := startBoard(t)
	b.mute = true
	applied := w.move(t, "close_task", w.call(t, "show_closing", `{"id":1,"status":"closed"}`))
	if applied.Status != "applied" || applied.Result != nil {
		t.Fatalf("applied: %+v", applied)
	}
	if got := w.back(t, "reopen_task", applied); got.Status != "undone" {
		t.Errorf("undone: %+v", got)
	}
}

// move applies what was previewed, and back undoes it, by tools of any name.
func (w *world) move(t *testing.T, tool string, previewed answer) answer {
	t.Helper()
	return w.call(t, tool, fmt.Sprintf(`{"change_id": %q, "confirmation_token": %q}`, previewed.ChangeID, previewed.ConfirmationToken))
}

func (w *world) back(t *testing.T, tool string, applied answer) answer {
	t.Helper()
	return w.call(t, tool, fmt.Sprintf(`{"change_id": %q, "undo_token": %q}`, applied.ChangeID, applied.UndoToken))
}

// mailbox leaves every sending and moving in doubt, and finds out what became of it.
type mailbox struct {
	mails.Operations
	verdict runtime.Verdict
	asked   []string
}

func (*mailbox) ApplySendMail(context.Context, *mails.SendMailChange) error {
	return runtime.InDoubt(errors.New("no answer"))
}

func (*mailbox) ApplyMoveMails(context.Context, *mails.MoveMailsChange) error {
	return runtime.InDoubt(errors.New("no answer"))
}

func (*mailbox) ApplyEmptyFolder(context.Context, *mails.EmptyFolderChange) error {
	return runtime.InDoubt(errors.New("no answer"))
}

func (m *mailbox) ReconcileSendMail(_ context.Context, c *mails.SendMailDoubtful) (runtime.Verdict, error) {
	m.asked = append(m.asked, fmt.Sprint(c.Payload.To, c.Before, c.Now, c.ChangeID != "", c.IdempotencyKey != ""))
	return m.verdict, nil
}

func (m *mailbox) ReconcileMoveMails(_ context.Context, c *mails.MoveMailsDoubtful) (runtime.Verdict, error) {
	m.asked = append(m.asked, fmt.Sprint(c.Payload.From, len(*c.Before), c.Now))
	return m.verdict, nil
}

func TestHandWrittenReconcileSettlesWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	m := &mailbox{verdict: runtime.Done}
	var guard *runtime.Guard
	w := start(t, "CREATE TABLE mails (id INTEGER, folder TEXT); INSERT INTO mails VALUES (1, 'in'), (2, 'in'), (3, 'spam')",
		func(server *mcp.Server, g *runtime.Guard, db *sql.DB) error {
			guard = g
			return mails.Register(server, g, mails.Config{Operations: m, Main: db})
		})
	for _, test := range []struct{ tool, payload, removed string }{
		{"compose", `{"to":"a@b"}`, ""},
		{"preview_move_mails", `{"from":"in","to":"out"}`, "in"},
		{"preview_empty_folder", `{"folder":"spam"}`, "spam"},
	} {
		previewed := w.call(t, test.tool, test.payload)
		if got := w.move(t, "apply_change", previewed); got.Code != "in_doubt" {
			t.Fatalf("%s: %+v", test.tool, got)
		}
		_, err := w.db.ExecContext(t.Context(), "DELETE FROM mails WHERE folder = ?", test.removed)
		check(t, "delete", err)
		if verdict, err := guard.Reconcile(t.Context(), previewed.ChangeID); err != nil || verdict != runtime.Done {
			t.Errorf("%s: the verdict is %d (%v)", test.tool, verdict, err)
		}
		if got := w.call(t, "get_change_status", fmt.Sprintf(`{"change_id":%q}`, previewed.ChangeID)); got.Status != "applied" {
			t.Errorf("%s: %+v", test.tool, got)
		}
	}
	if diff := cmp.Diff([]string{"a@b<nil> <nil> true true", "in2 <nil>"}, m.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// finished is what the operation of two names looks at and writes.
type finished struct {
	before target[before.FinishTaskPayload, before.FinishTaskState]
	after  target[after.CloseTaskPayload, after.CloseTaskState]
}

func (f *finished) ObserveFinishTask(context.Context, *before.FinishTaskPayload) (*before.FinishTaskState, error) {
	return f.before.observe()
}

func (f *finished) ApplyFinishTask(_ context.Context, c *before.FinishTaskChange) error {
	return f.before.apply(c.Payload, &before.FinishTaskState{Done: c.Payload.Done})
}

func (f *finished) UndoFinishTask(_ context.Context, c *before.FinishTaskApplied) error {
	return f.before.undo(c.Before)
}

func (f *finished) ObserveCloseTask(context.Context, *after.CloseTaskPayload) (*after.CloseTaskState, error) {
	return f.after.observe()
}

func (f *finished) ApplyCloseTask(_ context.Context, c *after.CloseTaskChange) error {
	return f.after.apply(c.Payload, &after.CloseTaskState{Done: c.Payload.Done})
}

func (f *finished) UndoCloseTask(_ context.Context, c *after.CloseTaskApplied) error {
	return f.after.undo(c.Before)
}

func TestARenamedOperationKeepsItsChanges(t *testing.T) {
	t.Parallel()
	f := &finished{}
	f.before.state, f.after.state = []byte(`{"done":false}`), []byte(`{"done":false}`)
	old := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return before.Register(server, guard, before.Config{Operations: f})
	})
	waiting := old.call(t, "preview_finish_task", `{"id":"a","done":true}`)
	applied := old.apply(t, "finish_task", old.call(t, "preview_finish_task", `{"id":"b","done":true}`))

	renamed := serve(t, old.db, old.store, func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return after.Register(server, guard, after.Config{Operations: f})
	})
	if got := renamed.apply(t, "close_task", waiting); got.Status != "applied" {
		t.Errorf("what was previewed under the old name: %+v", got)
	}
	if got := renamed.undo(t, "close_task", applied); got.Status != "undone" {
		t.Errorf("what was applied under the old name: %+v", got)
	}
}
