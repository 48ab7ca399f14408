package drive_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	meetings "github.com/changesetgen/changesetgen/testdata/golden/prepare/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// secretary finds meetings by their titles.
type secretary struct{ db *sql.DB }

func (s *secretary) PrepareMoveMeeting(ctx context.Context, p *meetings.MoveMeetingPayload) (*meetings.MoveMeetingPayload, error) {
	title := strings.TrimSpace(p.Meeting)
	err := s.db.QueryRowContext(ctx, `SELECT id FROM meetings WHERE title = ?`, title).Scan(&p.Meeting)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, runtime.Refuse("no meeting is called %q", title)
	case p.Day == "1999-12-31":
		p.Day = "soon"
	}
	return p, err
}

func (s *secretary) ApplyMoveMeeting(ctx context.Context, c *meetings.MoveMeetingChange) error {
	return sqlop.ExecOne(ctx, s.db, `UPDATE meetings SET day = ? WHERE id = ?`, c.Payload.Day, c.Payload.Meeting)
}

func (s *secretary) UndoMoveMeeting(ctx context.Context, c *meetings.MoveMeetingApplied) error {
	return sqlop.ExecOne(ctx, s.db, `UPDATE meetings SET day = ? WHERE id = ?`, c.Before.Day, c.Payload.Meeting)
}

func newSecretary(t *testing.T) *world {
	t.Helper()
	return start(t, `
		CREATE TABLE meetings (id TEXT PRIMARY KEY, title TEXT, room TEXT NOT NULL, day TEXT NOT NULL);
		INSERT INTO meetings VALUES ('m1', 'Budget', 'A', '2024-01-01'), ('m2', 'Lunch', 'B', '2024-01-02'), ('m3', 'Party', 'C', 'some day')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			return meetings.Register(server, guard, meetings.Config{Operations: &secretary{db}, Main: db})
		})
}

func TestANameIsResolvedBeforeItIsShown(t *testing.T) {
	t.Parallel()
	w := newSecretary(t)
	p := w.call(t, "preview_move_meeting", `{"meeting": "  Lunch "}`)
	if p.Summary != "Move m2 to 2024-01-31" || p.Diff[0].Before != `"2024-01-02"` {
		t.Errorf("shown: %+v", p)
	}
	// The name now is that of another meeting; what was shown is what runs.
	_, err := w.db.Exec(`UPDATE meetings SET title = CASE id WHEN 'm1' THEN 'Lunch' ELSE 'Supper' END`)
	check(t, "rename", err)
	a := w.apply(t, "move_meeting", p)
	if a.Status != "applied" || w.column(t, `SELECT day FROM meetings WHERE id = 'm2'`) != "2024-01-31" ||
		w.column(t, `SELECT day FROM meetings WHERE id = 'm1'`) != "2024-01-01" {
		t.Errorf("%+v", a)
	}
	if u := w.undo(t, "move_meeting", a); u.Status != "undone" || w.column(t, `SELECT day FROM meetings WHERE id = 'm2'`) != "2024-01-02" {
		t.Errorf("%+v", u)
	}
}

func TestWhatCannotBePreparedIsRefused(t *testing.T) {
	t.Parallel()
	w := newSecretary(t)
	for arguments, want := range map[string]struct{ code, says string }{
		`{"meeting": "Dinner"}`:                         {"refused", `no meeting is called "Dinner"`},
		`{"meeting": "Lunch", "day": "tomorrow"}`:       {"invalid_payload", "1 problem"},
		`{"meeting": "Lunch", "day": "1999-12-31"}`:     {"prepare_failed", "does not fit the schema"},
		`{"meeting": "Party"}`:                          {"observe_failed", ""}, // the state is not of its format
		`{"meeting": "Lunch", "day": 1, "meeting2": 1}`: {"invalid_payload", "2 problems"},
	} {
		if a := w.call(t, "preview_move_meeting", arguments); a.Code != want.code || !strings.Contains(a.Message, want.says) {
			t.Errorf("%s: %+v", arguments, a)
		}
	}
}
