package histories_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

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
	{"lateOutcome", by("guard", "late_outcome")},
	{"expire", func(r *ledger.Record, e ledger.Event) bool {
		return e.To == ledger.Expired || e.Code == "expired" && len(r.UndoToken) == 0
	}},
	{"endRequest", func(_ *ledger.Record, e ledger.Event) bool { return e.From == ledger.Applied && e.To == ledger.Applied }},
	{"found", func(r *ledger.Record, e ledger.Event) bool { return isOpen(e.From) && r.Finding.Verdict != "" }},
	{"doubt", func(_ *ledger.Record, e ledger.Event) bool { return isOpen(e.From) && isOpen(e.To) }},
	{"lapsed", func(r *ledger.Record, e ledger.Event) bool {
		return r.Joined && isOpen(e.From) && e.To == ledger.ApplyFailed
	}},
	{"settleFailed", func(_ *ledger.Record, e ledger.Event) bool {
		return e.To == ledger.ApplyFailed || e.To == ledger.UndoFailed || e.From == ledger.Undoing && e.To == ledger.Applied
	}},
	{"settleApplied", func(_ *ledger.Record, e ledger.Event) bool {
		return e.From == ledger.Applying && e.To == ledger.Applied
	}},
	{"settleUndone", func(_ *ledger.Record, e ledger.Event) bool { return e.To == ledger.Undone }},
}

// unplayed are requests that need other bodies: one that runs on after its time, where those of histories end, or die with
// their process; and one that writes to the ledger's own database.
var unplayed = []string{"lateOutcome", "lapsed"}

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
	dead := newMortal("dead", 0, &troubles{})
	dead.kill()
	s := reflect.ValueOf(newStore(nil, dead, newTally()))
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
