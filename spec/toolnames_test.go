package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// operations is a spec with operations of some names, each of which can be undone.
func operations(server, top string, names ...string) string {
	var src strings.Builder
	fmt.Fprintf(&src, "version: 1\npackage: things\nserver: {name: %s}\n%s\noperations:\n", server, top)
	for _, name := range names {
		fmt.Fprintf(&src, "  %s: {description: Do it., payload: {type: object, properties: {}}, observe: none, summary: Do it, apply: go, undo: go}\n", name)
	}
	return src.String()
}

func TestReadRefusesToolsThatClientsTakeForOneAfterCuttingTheirNames(t *testing.T) {
	t.Parallel()
	const (
		server = "tasks" // mcp__tasks__ are 12 characters, so that mcp__tasks__preview_ leaves 10 for the beginning
		ending = "_of_all_the_people_on_the_board"
		first  = "change_the_colour" + ending
		second = "change_the_labels" + ending
	)
	for _, test := range []struct {
		name, server, top string
		operations        []string
		want              string // of the message; "" for nothing
	}{
		{"equal at both ends", server, "", []string{first, second},
			"the tool 'preview_" + second + "' for 'preview_" + first + "' at 6:3: both are 'mcp__tasks__preview_change_the" + ending[1:] + "' to them"},
		{"equal at both ends, shared tools", server, "tools: shared", []string{first, second},
			"the tool 'preview_" + second + "' for 'preview_" + first + "' at 6:3"},
		{"different at the end", server, "", []string{first, second + "s"}, ""},
		{"different at the beginning", server, "", []string{first, "set" + first[3:], "move_" + first[3:]}, ""},
		{"short enough to be whole", "t", "", []string{"change_the_colour_of_all_of_them_for_it", "change_the_labels_of_all_of_them_for_it"}, ""},
		{"equal because of the prefix", server, "prefix: the_task_board_", []string{"colour" + ending, "labels" + ending},
			"the tool 'the_task_board_preview_labels" + ending + "' for 'the_task_board_preview_colour" + ending + "' at 6:3"},
		{"equal in preview alone", server, "", []string{"change_it_1" + ending, "change_it_2" + ending},
			"the tool 'preview_change_it_2" + ending + "' for 'preview_change_it_1" + ending + "' at 6:3"},
		{"the tools of one operation", "the-board-where-all-our-tasks-are", "", []string{"change_the_colour_of_all_of_them"},
			"the tool 'apply_change_the_colour_of_all_of_them' for 'preview_change_the_colour_of_all_of_them' at 6:3"},
		{"the preview of one operation, with shared tools", "the-board-where-all-our-tasks-are", "tools: shared", []string{"change_the_colour_of_all_of_them"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := spec.Read(specFile, []byte(operations(test.server, test.top, test.operations...)))
			if test.want == "" {
				if len(faults) > 0 {
					t.Error(faults)
				}
				return
			}
			if len(faults) != 1 || faults[0].Code != diag.ToolsAlike || !strings.Contains(faults[0].Message, test.want) {
				t.Errorf("got  %v\nwant %s", faults, test.want)
			}
		})
	}
}

func TestReadRefusesToolNamesThatClientsRefuse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64-len("preview_"))
	for _, test := range []struct {
		top, operation string
		refused        bool
	}{
		{"", long, false},
		{"", long + "a", true},
		{"prefix: x", long, true},
		{"tools: shared", long + "a", true},
		{"prefix: x-", "change", false},
		{"", "change", true},
		{"tools: shared", "change", true},
	} {
		_, faults := spec.Read(specFile, []byte(operations("s", test.top, test.operation)))
		refused := len(faults) == 1 && faults[0].Code == diag.BadToolName && faults[0].Pos.Line == 6
		if refused != test.refused || !refused && len(faults) > 0 {
			t.Errorf("%s, operation %s: %v", test.top, test.operation, faults)
		}
	}
}
