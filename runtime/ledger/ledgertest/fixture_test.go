package ledgertest

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// A store that loses a field is found only where the field has a value, and one that takes a field for another only where
// their values differ.
func TestEveryFieldOfTheFixturesHasAValueOfItsOwn(t *testing.T) {
	t.Parallel()
	r := settled(pending(1))
	r.Revision = 99 // the tests set it, or the store
	for name, fixture := range map[string]any{"record": r, "event": failed} {
		fieldOf := map[string]string{}
		for field, value := range fieldsOf(reflect.ValueOf(fixture)) {
			if value.IsZero() {
				t.Errorf("%s of the %s has no value in the fixtures: give it one", field, name)
			}
			text := value.Kind().String() + " " + textOf(value)
			if other, taken := fieldOf[text]; taken && value.Kind() != reflect.Bool {
				t.Errorf("%s and %s of the %s are both %v in the fixtures: give them values of their own", field, other, name, value)
			}
			fieldOf[text] = field
		}
	}
}

// What a move does not write is found only where it was something else before.
func TestAMoveOfTheFixturesChangesEveryMutableField(t *testing.T) {
	t.Parallel()
	before := fieldsOf(reflect.ValueOf(pending(1).Mutable))
	for field, value := range fieldsOf(reflect.ValueOf(settled(pending(1)).Mutable)) {
		if textOf(value) == textOf(before[field]) {
			t.Errorf("%s is %v before and after: give it another value in the fixtures", field, value)
		}
	}
}

// ofPages are the fields of a query that are about pages of what it selects.
var ofPages = []string{"Newest", "After", "Limit"}

// A store that ignores a field of a query is found only where more would be selected without it.
func TestEveryFieldOfAQueryDecidesInACondition(t *testing.T) {
	t.Parallel()
	now := newClock()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger", "changes.db"), sqlite.WithClock(now.read), sqlite.WithBusyTimeout(time.Minute), sqlite.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	insertMissing(t, s, now, differing(ledger.Rejected))
	for _, field := range reflect.VisibleFields(reflect.TypeFor[ledger.Query]()) {
		decides := func(c condition) bool {
			reflect.ValueOf(&c.of).Elem().FieldByIndex(field.Index).SetZero()
			return count(t, s, c.of) > len(c.want)
		}
		if !slices.Contains(ofPages, field.Name) && !slices.ContainsFunc(conditions, decides) {
			t.Errorf("no condition depends on %s: add a change that differs in it, and a condition", field.Name)
		}
	}
}

// fieldsOf are the fields of a struct and of those in it, by their names, without those that are such structs themselves.
func fieldsOf(of reflect.Value) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	for n := range of.NumField() {
		name, value := of.Type().Field(n).Name, of.Field(n)
		if value.Kind() != reflect.Struct || value.Type() == reflect.TypeFor[time.Time]() {
			all[name] = value
			continue
		}
		for inner, value := range fieldsOf(value) {
			all[name+"."+inner] = value
		}
	}
	return all
}

func textOf(value reflect.Value) string { return fmt.Sprint(value.Interface()) }
