package drive_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	names "github.com/changesetgen/changesetgen/testdata/golden/names/want"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type nameBodies struct {
	target[names.DeletePayload, names.TypeState]
	db *sql.DB
}

func (b *nameBodies) ApplyDelete(ctx context.Context, c *names.DeleteChange) error {
	if err := b.apply(c.Payload, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `DELETE FROM types WHERE type = ?`, c.Payload.Type)
}

func (b *nameBodies) UndoDelete(ctx context.Context, c *names.DeleteApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, `INSERT INTO types VALUES (?, ?, ?, ?)`, c.Payload.Type, s.Func, s.Map, s.Extra)
}

func (b *nameBodies) ObserveInit(context.Context, *names.InitPayload) (*names.InitState, error) {
	return &names.InitState{Nil: "nothing"}, nil
}

func (b *nameBodies) ApplyInit(context.Context, *names.InitChange) error { return nil }

func (b *nameBodies) ApplyRange2_2(context.Context, *names.Range2_2Change) error { return nil }

func TestNamesThatGoHasNoRoomForStayAsTheyAreInJSON(t *testing.T) {
	t.Parallel()
	b := &nameBodies{}
	w := start(t, `CREATE TABLE types (type TEXT, func TEXT, map TEXT, x TEXT); INSERT INTO types VALUES ('chan', 'f', 'm', NULL)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return names.Register(server, guard, names.Config{Operations: b, Context: db})
		})
	now := func() string {
		return w.column(t, `SELECT coalesce(max(type || func || map || coalesce(x, 'NULL')), 'none') FROM types`)
	}
	const payload = `{"":"no name","$meta":{"json":"j"},"3gpp":"3","6to4Interface":"6","_":"blank","a b":"ab","a,b":"comma",` +
		`"fault":{"string":"s"},"filter-query":"q","html_urls":["u"],"operator":"","payload":{"config":"c"},"priority":-1,"reaction":"+1",` +
		`"second":{"func":"f"},"target":{"key":"k","kind":"2"},"type":"chan","userId":"2","user_id":"1","日本":"大阪"}`
	_, after := trip{
		operation: "delete", payload: payload, summary: "Delete chan", diff: []row{{"map", `"m"`, ""}, {"all", "", payload}},
	}.make(t, w, now, b.lastGiven)
	if after != "none" {
		t.Errorf("after apply there is %s", after)
	}
	for _, wrong := range []string{`"Type":"chan"`, `"X3gpp":"3"`, `"meta":{}`, `"AdditionalProperties":{}`} {
		got := w.call(t, "preview_delete", `{"type":"chan","3gpp":"3","$meta":{},`+wrong+`}`)
		if got.Code != "invalid_payload" {
			t.Errorf("%s: %+v, want invalid_payload", wrong, got)
		}
	}
}
