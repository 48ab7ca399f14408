package drive_test

import (
	"database/sql"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	orders "github.com/changesetgen/changesetgen/testdata/golden/diff_each/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineBodies are not called.
type lineBodies struct{ orders.Operations }

func TestEachShowsARowForEachItem(t *testing.T) {
	t.Parallel()
	w := start(t, `CREATE TABLE orders (id INTEGER, customer TEXT, lines TEXT, tags TEXT);
		INSERT INTO orders VALUES (1, 'ada', '[{"sku":"pen","quantity":2}]', '["old","paid"]'), (2, 'bo', '[]', NULL), (3, 'bo', '[]', NULL)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			return orders.Register(server, guard, orders.Config{Operations: lineBodies{}, Main: db})
		})
	for _, test := range []struct {
		name, operation, payload string
		want                     []row
	}{
		{"items, and what is left out or null in them", "add_lines",
			`{"id":1,"lines":[{"sku":"cup","quantity":1,"discount":null},{"sku":"pot","quantity":2,"note":"red"}],"coupons":["x",null],"gift":{"cards":[null,{},{"text":"hi"}]}}`, []row{
				{"order", "1", "1"},
				{"pen, as it is", "2", "2"},
				{"cup", "", "1"}, {"cup: note", "", ""}, {"cup: discount", "", "null"},
				{"pot", "", "2"}, {"pot: note", "", `"red"`}, {"pot: discount", "", ""},
				{"coupon", "", `"x"`}, {"coupon", "", "null"},
				{"card", "", "null"}, {"its text", "", ""}, {"card", "", "{}"}, {"its text", "", ""}, {"card", "", `{"text":"hi"}`}, {"its text", "", `"hi"`},
				{"tag of ada", `"old"`, `"old"`}, {"tag of ada", `"paid"`, `"paid"`},
				{"total", "", ""},
			}},
		{"lists that are empty or null", "add_lines", `{"id":2,"lines":[],"gift":{"cards":[]}}`, []row{{"order", "2", "2"}, {"total", "", ""}}},
		{"lists in a state that is absent", "add_lines", `{"id":9,"lines":[],"gift":{"cards":[]}}`, []row{{"order", "9", "9"}, {"total", "", ""}}},
		{"a state that is a list", "delete_stale", `{"customer":"bo"}`, []row{{"order 2", `"bo"`, ""}, {"order 3", `"bo"`, ""}}},
	} {
		previewed := w.call(t, "preview_"+test.operation, test.payload)
		if diff := cmp.Diff(test.want, previewed.Diff); diff != "" {
			t.Errorf("%s: %+v (-want +got):\n%s", test.name, previewed, diff)
		}
	}
}
