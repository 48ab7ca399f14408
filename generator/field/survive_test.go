package field_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Values of each tool. The seed makes them the same in each run.
const (
	seed          = 1
	made          = 8 // that fit the schema
	changedOfEach = 2 // of which one thing is different
)

// Whatever the schema of a real tool takes comes back from the generated type as it was, and all else is refused with
// what is wrong with it.
func TestValuesOfRealToolsSurviveTheGeneratedTypes(t *testing.T) {
	t.Parallel()
	m := newModule(t)
	var tools []*tool
	for i, s := range servers(t) {
		m.addTools(t, packageOf(i), s.tools)
		tools = append(tools, s.tools...)
	}
	hard := hardTools(t)
	m.addTools(t, "hard", hard)
	m.vet(t)
	var calls []preview
	var of []*tool
	for _, tool := range slices.Concat(tools, hard) {
		if !tool.accepted {
			continue
		}
		for _, value := range tool.values() {
			calls = append(calls, preview{tool.served + "_preview_" + tool.name, encode(value)})
			of = append(of, tool)
		}
	}
	accepted := map[*tool]int{}
	total := 0
	for i, got := range m.serve(t).preview(t, calls) {
		if got.accepted() {
			accepted[of[i]]++
			total++
			of[i].checkKept(t, calls[i].arguments, got)
		} else if !got.refused() {
			t.Errorf("%s: %s is %v", of[i].from, calls[i].arguments, got)
		}
	}
	for _, tool := range of {
		if accepted[tool] == 0 {
			t.Errorf("%s: no value was accepted", tool.from)
		}
	}
	t.Logf("%d values of %d tools: %d accepted, which all came back; %d refused", len(calls), len(accepted), total, len(calls)-total)
}

// packageOf names the package of a server.
func packageOf(i int) string { return fmt.Sprintf("s%02d", i) }

// addTools adds the packages of a server: one of the tools whose types are named after the tool, and one for each tool
// that brings definitions, since definitions have bare names.
func (m *module) addTools(t *testing.T, name string, tools []*tool) {
	t.Helper()
	var together []*subject
	for i, tool := range tools {
		switch {
		case !tool.accepted:
		case tool.InputSchema["$defs"] != nil:
			alone := fmt.Sprintf("%sx%d", name, i)
			tool.served = alone
			m.add(t, alone, generateAll(t, alone, []*subject{tool.subject}))
		default:
			tool.served = name
			together = append(together, tool.subject)
		}
	}
	if len(together) > 0 {
		m.add(t, name, generateAll(t, name, together))
	}
}

// values are values that fit the schema of a tool, and changed ones.
func (t *tool) values() []any {
	var all []any
	for i := range made {
		m := maker{random: rand.New(rand.NewPCG(seed, uint64(i))), root: t.InputSchema, extent: []extent{required, every, some}[min(i, 2)]}
		value := m.value(t.InputSchema, 0)
		all = append(all, value)
		for range changedOfEach {
			all = append(all, m.change(value))
		}
	}
	return all
}

// checkKept holds what came back against what was sent. Defaults may have been filled in where there are any.
func (s *subject) checkKept(t *testing.T, sent []byte, got answer) {
	t.Helper()
	if len(got.Diff) != 1 {
		t.Errorf("%s: %s is shown as %s", s.from, sent, got.Diff)
		return
	}
	want, err := exact.Canonical(sent, exact.DefaultLimits)
	check(t, s.from, err)
	before, err := exact.Tree(want)
	check(t, s.from, err)
	back, err := exact.Tree(got.Diff[0].After)
	check(t, s.from, err)
	filled := strings.Contains(string(encode(s.payload)), `"default"`)
	if !isKept(before, back, filled) {
		t.Errorf("%s: %s comes back as %s", s.from, want, got.Diff[0].After)
	}
}

// isKept tells whether a value came back, with members that a default filled in where that may be.
func isKept(sent, back any, filled bool) bool {
	switch sent := sent.(type) {
	case map[string]any:
		object, ok := back.(map[string]any)
		if !ok || !filled && len(object) != len(sent) {
			return false
		}
		for name, value := range sent {
			other, there := object[name]
			if !there || !isKept(value, other, filled) {
				return false
			}
		}
		return true
	case []any:
		list, ok := back.([]any)
		return ok && slices.EqualFunc(sent, list, func(a, b any) bool { return isKept(a, b, filled) })
	}
	return sent == back
}
