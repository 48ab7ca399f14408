package runtime_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
)

// A row for orientation does not change, so it is neither the largest rise nor the largest fall of a diff, whatever its
// author put into it.
func TestExtremesOfALargeDiffAreOfRowsThatChange(t *testing.T) {
	t.Parallel()
	var rows []runtime.Row
	for n := range 200 {
		rows = append(rows, runtime.Row{Label: fmt.Sprint("note ", n), Before: "a", After: "b"})
	}
	rows = append(rows,
		runtime.Row{Label: "price", Before: 3, After: 4}, runtime.Row{Label: "stock", Before: 10, After: 2},
		runtime.Row{Label: "last year", Before: 1, After: 1000, Context: true}, runtime.Row{Label: "the year before", Before: 1000, After: 1, Context: true})
	p := showing(t, rows...).preview(t, "theme", "dark")
	want := &overviewReply{
		Rows: 204, Changes: 202, LeftOut: p.Overview.LeftOut, Whole: "changeset://" + p.ChangeID,
		LargestRise: &rowReply{Field: "price", Before: []byte("3"), After: []byte("4")},
		LargestFall: &rowReply{Field: "stock", Before: []byte("10"), After: []byte("2")},
	}
	if diff := cmp.Diff(want, p.Overview); diff != "" {
		t.Errorf("overview (-want +got)\n%s", diff)
	}
}
