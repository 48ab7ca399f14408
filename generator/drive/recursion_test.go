package drive_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	surveys "github.com/changesetgen/changesetgen/testdata/golden/lists/want"
	layouts "github.com/changesetgen/changesetgen/testdata/golden/recursive_list/want"
	menus "github.com/changesetgen/changesetgen/testdata/golden/recursive_tree/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type menuBodies struct {
	target[menus.ReplaceMenuPayload, menus.MenuState]
	db *sql.DB
}

func (b *menuBodies) ApplyReplaceMenu(ctx context.Context, c *menus.ReplaceMenuChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE menus SET root = ? WHERE id = ?`, p.Root, p.ID)
}

func (b *menuBodies) UndoReplaceMenu(ctx context.Context, c *menus.ReplaceMenuApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE menus SET root = ? WHERE id = ?`, c.Before.Root, c.Payload.ID)
}

func TestTypesThatHoldThemselvesKeepEveryLevel(t *testing.T) {
	t.Parallel()
	const before = `{"shortcut":null,"title":"old"}`
	b := &menuBodies{}
	w := start(t, `CREATE TABLE menus (id TEXT, root TEXT); INSERT INTO menus VALUES ('m', '`+before+`')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return menus.Register(server, guard, menus.Config{Operations: b, Main: db})
		})
	const (
		leaf = `{"shortcut":null,"title":"leaf","weight":0.1}`
		root = `{"below":[` + leaf + `,{"below":[],"shortcut":` + leaf + `,"title":"b"}],"by_language":{"de":` + leaf + `},` +
			`"next":{"next":` + leaf + `,"shortcut":null,"title":"n"},"previous":` + leaf + `,"shortcut":null,"title":"new"}`
	)
	now := func() string { return w.column(t, `SELECT root FROM menus`) }
	_, after := trip{
		operation: "replace_menu", summary: "Replace menu m by new", payload: `{"id":"m","root":` + root + `}`,
		diff: []row{{"first", "", `"leaf"`}, {"next but one", "", `"leaf"`}, {"menu", before, root}},
	}.make(t, w, now, b.lastGiven)
	if after != root {
		t.Errorf("after apply the row is %s, want %s", after, root)
	}
	if got := w.call(t, "preview_replace_menu", `{"id":"m","root":{"title":"x","shortcut":null,"below":[{"title":"y"}]}}`); got.Code != "invalid_payload" {
		t.Errorf("a level without its shortcut: %+v, want invalid_payload", got)
	}
}

type layoutBodies struct {
	target[layouts.SetLayoutPayload, layouts.SetLayoutState]
}

func (b *layoutBodies) ObserveSetLayout(context.Context, *layouts.SetLayoutPayload) (*layouts.SetLayoutState, error) {
	return b.observe()
}

func (b *layoutBodies) ApplySetLayout(_ context.Context, c *layouts.SetLayoutChange) error {
	return b.apply(c.Payload, &layouts.SetLayoutState{Rows: c.Payload.Rows, Folders: c.Payload.Folders})
}

func (b *layoutBodies) UndoSetLayout(_ context.Context, c *layouts.SetLayoutApplied) error {
	return b.undo(c.Before)
}

func TestListsAndMapsMayHoldThemselves(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		payload, summary string
		diff             []row
	}{
		{`{"page":"p","rows":[]}`, "Cut p into []", []row{{"rows", "[[]]", "[]"}}},
		{`{"page":"p","rows":[[],[[[]]]],"folders":{},"more":null}`, "Cut p into [[],[[[]]]]",
			[]row{{"rows", "[[]]", "[[],[[[]]]]"}, {"folders", `{"a":{}}`, "{}"}, {"more", "", "null"}}},
		{`{"page":"p","rows":[[]],"folders":{"b":{"c":{"":{}}}},"more":[[],[[]]]}`, "Cut p into [[]]",
			[]row{{"rows", "[[]]", "[[]]"}, {"folders", `{"a":{}}`, `{"b":{"c":{"":{}}}}`}, {"more", "", "[[],[[]]]"}}},
	} {
		b := &layoutBodies{}
		b.state = []byte(`{"folders":{"a":{}},"rows":[[]]}`)
		w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
			return layouts.Register(server, guard, layouts.Config{Operations: b})
		})
		trip{operation: "set_layout", payload: test.payload, summary: test.summary, diff: test.diff}.make(t, w, b.now, b.lastGiven)
	}
}

type surveyBodies struct {
	target[surveys.ReplaceQuestionsPayload, surveys.ReplaceQuestionsState]
}

func (b *surveyBodies) ObserveReplaceQuestions(context.Context, *surveys.ReplaceQuestionsPayload) (*surveys.ReplaceQuestionsState, error) {
	return b.observe()
}

func (b *surveyBodies) ApplyReplaceQuestions(_ context.Context, c *surveys.ReplaceQuestionsChange) error {
	return b.apply(c.Payload, &surveys.ReplaceQuestionsState{Questions: c.Payload.Questions})
}

func (b *surveyBodies) UndoReplaceQuestions(_ context.Context, c *surveys.ReplaceQuestionsApplied) error {
	return b.undo(c.Before)
}

func TestListsKeepNullAndEmptyApart(t *testing.T) {
	t.Parallel()
	b := &surveyBodies{}
	b.state = []byte(`{"questions":[]}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return surveys.Register(server, guard, surveys.Config{Operations: b})
	})
	const questions = `[{"choices":[],"pages":[null,{"number":1}],"text":"a"},{"text":"b"}]`
	trip{
		operation: "replace_questions", summary: "Replace the questions of s",
		payload: `{"survey":"s","questions":` + questions + `,"answers":[null,1.10,12345678901234567890123456],"matrix":[[],[1]],"hints":[{},{"a":"b"}],"order":null}`,
		diff: []row{
			{"questions", "[]", questions}, {"answers", "", "[null,1.1,12345678901234567890123456]"},
			{"matrix", "", "[[],[1]]"}, {"hints", "", `[{},{"a":"b"}]`}, {"order", "", "null"},
		},
	}.make(t, w, b.now, b.lastGiven)
	trip{
		operation: "replace_questions", summary: "Replace the questions of s",
		payload: `{"survey":"s","questions":[{"text":"a"}],"answers":null,"order":["last","first"]}`,
		diff:    []row{{"questions", "[]", `[{"text":"a"}]`}, {"answers", "", "null"}, {"order", "", `["last","first"]`}},
	}.make(t, w, b.now, b.lastGiven)
}
