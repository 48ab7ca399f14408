package drive_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	contacts "github.com/changesetgen/changesetgen/testdata/golden/diff_auto/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addressBodies writes contacts. What is only asked of in previews is nil.
type addressBodies struct {
	contacts.Operations
	db *sql.DB
}

func (b addressBodies) ApplyUpdateContact(ctx context.Context, c *contacts.UpdateContactChange) error {
	p := c.Payload
	return sqlop.ExecOne(ctx, b.db, `UPDATE contacts SET name = coalesce(?, name), address = coalesce(?, address),
		phones = coalesce(?, phones), version = version + 1 WHERE id = ?`, p.Name, p.Address, p.Phones, p.ID)
}

func (b addressBodies) UndoUpdateContact(ctx context.Context, c *contacts.UpdateContactApplied) error {
	s := c.Before
	return sqlop.ExecOne(ctx, b.db, `UPDATE contacts SET name = ?, address = ?, phones = ? WHERE id = ?`, s.Name, s.Address, s.Phones, c.Payload.ID)
}

// addressTable holds one contact.
const addressTable = `CREATE TABLE contacts (id INTEGER, name TEXT, address TEXT, phones TEXT, meta TEXT, version INTEGER);
	INSERT INTO contacts VALUES (7, 'Ada', '{"city":"London","street":"Strand"}', '["1"]', '{"owner":"bo","seen":3}', 1)`

func startAddresses(t *testing.T) *world {
	t.Helper()
	return start(t, addressTable, func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
		return contacts.Register(server, guard, contacts.Config{Operations: addressBodies{db: db}, Main: db})
	})
}

func TestAutoPairsStateAndPayloadByName(t *testing.T) {
	t.Parallel()
	w := startAddresses(t)
	for _, test := range []struct {
		name, operation, payload string
		want                     []row
	}{
		{"an update", "update_contact", `{"id":7,"name":"Ada L.","address":{"city":"Paris"},"notify":true}`, []row{
			{"id", "7", "7"},
			{"name", `"Ada"`, `"Ada L."`},
			{"address/city", `"London"`, `"Paris"`},
			{"address/street", `"Strand"`, ""},
			{"notify", "", "true"},
		}},
		{"an update of a list", "update_contact", `{"id":7,"phones":["1","2"]}`, []row{
			{"id", "7", "7"},
			{"phones", `["1"]`, `["1","2"]`},
			{"notify", "", "false"},
		}},
		{"a delete", "delete_contact", `{"id":7}`, []row{
			{"id", "7", "7"},
			{"name", `"Ada"`, ""},
			{"address/city", `"London"`, ""},
			{"address/street", `"Strand"`, ""},
			{"phones", `["1"]`, ""},
			{"meta/owner", `"bo"`, ""},
		}},
		{"a create", "create_contact", `{"name":"Bo","address":{"city":"Rome"},"phone/fax":["3"],"labels":{"a/b":"c"}}`, []row{
			{"name", "", `"Bo"`},
			{"address/city", "", `"Rome"`},
			{"phone~1fax", "", `["3"]`},
			{"labels/a~1b", "", `"c"`},
		}},
	} {
		previewed := w.call(t, "preview_"+test.operation, test.payload)
		if diff := cmp.Diff(test.want, previewed.Diff); diff != "" {
			t.Errorf("%s: %+v (-want +got):\n%s", test.name, previewed, diff)
		}
	}
}

func TestAutoShowsWhatIsWrittenAndTakenBack(t *testing.T) {
	t.Parallel()
	w := startAddresses(t)
	now := func() string { return w.column(t, `SELECT name || address || phones FROM contacts`) }
	before := now()
	previewed := w.call(t, "preview_update_contact", `{"id":7,"address":{"city":"Oslo"}}`)
	applied := w.apply(t, "update_contact", previewed)
	if got, want := now(), `Ada{"city":"Oslo"}["1"]`; got != want {
		t.Errorf("after apply: %s, want %s", got, want)
	}
	if undone := w.undo(t, "update_contact", applied); undone.Status != "undone" || now() != before {
		t.Errorf("after undo: %s, want %s; %+v", now(), before, undone)
	}
}
