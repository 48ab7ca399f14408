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
	var accepted []*subject
	for _, tool := range slices.Concat(tools, hard) {
		if tool.accepted {
			accepted = append(accepted, tool.subject)
		}
	}
	for _, s := range m.survive(t, accepted) {
		t.Errorf("%s: no value was accepted", s.from)
	}
}

// survive has a server judge values of schemas: each is refused, or comes back as it was. It returns the schemas of
// which no value was accepted.
func (m *module) survive(t *testing.T, subjects []*subject) []*subject {
	t.Helper()
	var calls []preview
	var of []*subject
	for _, s := range subjects {
		for _, value := range s.values() {
			calls = append(calls, preview{s.tool(), encode(value)})
			of = append(of, s)
		}
	}
	client := m.serve(t)
	shown := client.tools(t)
	by := map[*subject]judges{}
	for _, s := range subjects {
		s.checkShown(t, shown[s.tool()])
		by[s] = judges{written: judge(t, encode(s.whole())), shown: judge(t, shown[s.tool()])}
	}
	accepted := map[*subject]int{}
	total := 0
	for i, got := range client.preview(t, calls) {
		if got.accepted() {
			accepted[of[i]]++
			total++
			of[i].checkKept(t, calls[i].arguments, got)
		} else if !got.refused() {
			t.Errorf("%s: %s is %v", of[i].from, calls[i].arguments, got)
		}
		of[i].checkVerdict(t, by[of[i]], calls[i].arguments, got)
	}
	t.Logf("%d values of %d schemas: %d accepted, which all came back; %d refused", len(calls), len(subjects), total, len(calls)-total)
	return slices.DeleteFunc(slices.Clone(subjects), func(s *subject) bool { return accepted[s] > 0 })
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

// values are values that fit the schema of a subject, and changed ones.
func (s *subject) values() []any {
	var all []any
	for i := range made {
		m := maker{random: rand.New(rand.NewPCG(seed, uint64(i))), root: s.whole(), extent: []extent{required, every, some}[min(i, 2)]}
		value := m.value(s.payload, 0)
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
	if !isKept(before, back, s.fills()) {
		t.Errorf("%s: %s comes back as %s", s.from, want, got.Diff[0].After)
	}
}

// fills tells whether defaults may be filled in.
func (s *subject) fills() bool { return strings.Contains(string(encode(s.whole())), `"default"`) }

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
