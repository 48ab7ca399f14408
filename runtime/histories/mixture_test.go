package histories_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// tally counts what a run is made of: what was called, and what was written for it. It is safe for concurrent use.
type tally struct {
	mu                    sync.Mutex
	calls, writes, deaths map[string]int
}

func newTally() *tally {
	return &tally{calls: map[string]int{}, writes: map[string]int{}, deaths: map[string]int{}}
}

// called counts a call of a tool, or of a method of an operator or a guard.
func (t *tally) called(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[what]++
}

// died counts the end of a process in a call of the ledger.
func (t *tally) died(method string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaths[method]++
}

// wrote counts what the ledger took. What was made of a record tells which request of the runtime it was made for.
func (t *tally) wrote(r *ledger.Record, e ledger.Event) {
	name := fmt.Sprintf("unknown: %s from %q to %q with %q", e.Actor, e.From, e.To, e.Code)
	for _, m := range moves {
		if m.made(r, e) {
			name = m.request
			break
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writes[name]++
}

func (t *tally) add(other *tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, n := range other.calls {
		t.calls[name] += n
	}
	for name, n := range other.writes {
		t.writes[name] += n
	}
	for name, n := range other.deaths {
		t.deaths[name] += n
	}
}

// missing is what no call and no write was of.
func (t *tally) missing() (names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, name := range asked {
		if t.calls["Operator."+name] == 0 {
			names = append(names, name)
		}
	}
	for _, m := range moves {
		if t.writes[m.request] == 0 {
			names = append(names, m.request)
		}
	}
	return names
}

// unknown are the writes that no request of the runtime was made for.
func (t *tally) unknown() (names []string) {
	for name := range t.writes {
		if strings.HasPrefix(name, "unknown") {
			names = append(names, name)
		}
	}
	return names
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("calls: %s\nwrites: %s\ndeaths at calls of the ledger: %s",
		counted(t.calls), counted(t.writes), counted(t.deaths))
}

func counted(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}

// moves are the requests that the runtime decides on, by the names of their types, each with what it makes of a record
// that no one before it makes.
var moves = []struct {
	request string
	made    func(r *ledger.Record, e ledger.Event) bool
}{
	{"claimApply", func(_ *ledger.Record, e ledger.Event) bool {
		return e.From == ledger.Pending && e.To == ledger.Applying
	}},
	{"claimUndo", func(_ *ledger.Record, e ledger.Event) bool { return e.From == ledger.Applied && e.To == ledger.Undoing }},
	{"approve", by("operator", "approved")},
	{"reject", by("operator", "rejected")},
	{"requestUndo", by("operator", "undo_requested")},
	{"word", func(_ *ledger.Record, e ledger.Event) bool { return e.Actor == "operator" && isOpen(e.From) }},
	{"askForUndo", by("agent", "undo_requested")},
	{"askForYes", by("agent", "awaiting_approval")},
	{"renewToken", func(_ *ledger.Record, e ledger.Event) bool {
		return e.Code == "token_renewed" && e.To == ledger.Pending
	}},
	{"renewUndo", by("agent", "token_renewed")},
	{"recordAfter", by("guard", "looked")},
	{"expire", func(r *ledger.Record, e ledger.Event) bool {
		return e.To == ledger.Expired || e.Code == "expired" && len(r.UndoToken) == 0
	}},
	{"endRequest", func(_ *ledger.Record, e ledger.Event) bool { return e.From == ledger.Applied && e.To == ledger.Applied }},
	{"found", func(r *ledger.Record, e ledger.Event) bool { return isOpen(e.From) && r.Finding.Verdict != "" }},
	{"doubt", func(_ *ledger.Record, e ledger.Event) bool { return isOpen(e.From) && isOpen(e.To) }},
	{"settleFailed", func(_ *ledger.Record, e ledger.Event) bool {
		return e.To == ledger.ApplyFailed || e.To == ledger.UndoFailed || e.From == ledger.Undoing && e.To == ledger.Applied
	}},
	{"settleApplied", func(_ *ledger.Record, e ledger.Event) bool {
		return e.From == ledger.Applying && e.To == ledger.Applied
	}},
	{"settleUndone", func(_ *ledger.Record, e ledger.Event) bool { return e.To == ledger.Undone }},
}

func by(actor, code string) func(*ledger.Record, ledger.Event) bool {
	return func(_ *ledger.Record, e ledger.Event) bool { return e.Actor == actor && e.Code == code }
}

func isOpen(s ledger.Status) bool { return s == ledger.Applying || s == ledger.Undoing }

// asked are the methods of an operator.
var asked = []string{
	"Approve", "Expire", "Get", "List", "Pending", "Prune", "Reconcile", "Rehearse", "Reject", "RequestUndo",
	"WithMaxClockSkew", "WithSink",
}

// What somebody adds to the operator has to be among what histories are made of.
func TestMixtureHasEveryMethodOfTheOperator(t *testing.T) {
	t.Parallel()
	var got []string
	operator := reflect.TypeFor[*runtime.Operator]()
	for n := range operator.NumMethod() {
		got = append(got, operator.Method(n).Name)
	}
	if !slices.Equal(got, asked) {
		t.Errorf("an operator can be asked for %q, and these are known here: %q", got, asked)
	}
}

// A request that somebody adds to the runtime has to be among those that histories are made of.
func TestMixtureHasEveryRequestOfTheRuntime(t *testing.T) {
	t.Parallel()
	var want []string
	for _, m := range moves {
		want = append(want, m.request)
	}
	slices.Sort(want)
	if got := typesThatDecide(t); !slices.Equal(got, want) {
		t.Errorf("these types of the runtime decide:\n%q\nand these are known here:\n%q", got, want)
	}
}

// typesThatDecide are the types of the runtime with a method that makes a transition of a record, sorted.
func typesThatDecide(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != "decide" || f.Recv == nil || f.Type.Results.NumFields() != 3 {
				continue
			}
			if name, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				names = append(names, name.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// A call that somebody adds to the store has to be one at which processes die here.
func TestDeadReachNoLedger(t *testing.T) {
	t.Parallel()
	dead := newMortal("dead", 0, &faults{})
	dead.kill()
	s := reflect.ValueOf(&store{mortal: dead})
	calls := reflect.TypeFor[ledger.Store]()
	for n := range calls.NumMethod() {
		name := calls.Method(n).Name
		if name == "Close" { // which is no call of a guard
			continue
		}
		method := s.MethodByName(name)
		in := []reflect.Value{reflect.ValueOf(t.Context())}
		for i := 1; i < method.Type().NumIn() && (i < method.Type().NumIn()-1 || !method.Type().IsVariadic()); i++ {
			in = append(in, reflect.Zero(method.Type().In(i)))
		}
		out := method.Call(in)
		if err, _ := out[len(out)-1].Interface().(error); !errors.Is(err, errDead) {
			t.Errorf("%s of the dead: %v", name, err)
		}
	}
}
