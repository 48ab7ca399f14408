package field_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// tool is a tool of a real server.
type tool struct {
	Name         string
	InputSchema  map[string]any
	OutputSchema map[string]any
	Annotations  struct{ ReadOnlyHint *bool }

	dialect any // that the schema named, which is taken out
	*subject
}

// writes tells whether a tool changes something. Its own annotation says so; a tool without one does unless a word of
// its name says that it only looks.
func (t tool) writes() bool {
	if hint := t.Annotations.ReadOnlyHint; hint != nil {
		return !*hint
	}
	return !slices.ContainsFunc(strings.Split(t.Name, "_"), func(word string) bool {
		return word == "get" || word == "list" || word == "search"
	})
}

// read reads the schemas of a tool as those of a payload and a result. The dialect is not supported where it is another than 2020-12, which the
// diagnostic says; it is then left out, as the diagnostic says too.
func (t *tool) read(tt *testing.T, from string) {
	tt.Helper()
	t.subject = &subject{
		from:    from + ": " + t.Name,
		name:    strings.ToLower(strings.ReplaceAll(t.Name, "-", "_")),
		payload: t.InputSchema,
		result:  t.OutputSchema,
	}
	delete(t.OutputSchema, "$schema")
	t.subject.read(tt)
	if slices.ContainsFunc(t.faults, func(d diag.Diagnostic) bool { return strings.HasSuffix(d.Where, ".payload.$schema") }) {
		t.dialect = t.InputSchema["$schema"]
		delete(t.InputSchema, "$schema")
		t.subject.read(tt)
	}
}

// server is a list of tools.
type server struct {
	name  string
	tools []*tool
}

func servers(t *testing.T) []server {
	t.Helper()
	var all []server
	for _, path := range sources(t, "tools/*.json") {
		var list struct{ Tools []*tool }
		load(t, path, &list)
		s := server{name: strings.TrimSuffix(filepath.Base(path), ".json"), tools: list.Tools}
		for _, tool := range s.tools {
			tool.read(t, s.name)
		}
		all = append(all, s)
	}
	return all
}

// hardTools are tools that were picked because they are hard.
func hardTools(t *testing.T) []*tool {
	t.Helper()
	var list []struct {
		Server string
		Tool   *tool
	}
	load(t, sources(t, "hard_schemas.json")[0], &list)
	tools := make([]*tool, len(list))
	for i, hard := range list {
		tools[i] = hard.Tool
		hard.Tool.read(t, "hard "+hard.Server)
	}
	return tools
}

func TestToolsOfRealServersBecomeCodeOrDiagnostics(t *testing.T) {
	t.Parallel()
	var all, writes []*tool
	for _, s := range servers(t) {
		all = append(all, s.tools...)
	}
	hard := hardTools(t)
	for _, tool := range all {
		if tool.writes() {
			writes = append(writes, tool)
		}
	}
	for _, tool := range slices.Concat(all, hard) {
		tool.checkFaults(t)
		if tool.accepted {
			tool.checkNothingLost(t)
		}
	}
	t.Log(count("write tools", writes))
	t.Log(count("all tools", all))
	t.Log(count("hard schemas", hard))
}

// count says what became of tools.
func count(what string, tools []*tool) string {
	accepted, renamed, results := 0, 0, 0
	byCode := map[string]int{}
	for _, tool := range tools {
		if tool.dialect != nil {
			renamed++
		}
		if tool.accepted {
			accepted++
			if tool.result != nil {
				results++
			}
			continue
		}
		codes := map[string]bool{}
		for _, fault := range tool.faults {
			codes[fault.Code] = true
		}
		for code := range codes {
			byCode[code]++
		}
	}
	return fmt.Sprintf("%s: %d, accepted %d (%d with a result), diagnosed %d by %v; %d named another dialect, which was taken out",
		what, len(tools), accepted, results, len(tools)-accepted, byCode, renamed)
}

// checkFaults makes sure that what is said of a schema is said in its place and with a way out.
func (t *tool) checkFaults(tt *testing.T) {
	tt.Helper()
	for _, fault := range t.faults {
		tt.Logf("%s: %v", t.from, fault)
		if fault.Pos.Line == 0 || fault.Pos.Column == 0 || fault.Where == "" {
			tt.Errorf("%s: %v has no place", t.from, fault)
		}
		if fault.Hint == "" {
			tt.Errorf("%s: %v does not say what to write instead", t.from, fault)
		}
	}
}
