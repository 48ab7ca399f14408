package exact_test

import (
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func TestCanonicalSpellsEachValueOneWay(t *testing.T) {
	t.Parallel()
	got, err := exact.Canonical([]byte(`{"b":1.50,"a":[1e3,-0,1e-7,9007199254740993]}`), exact.DefaultLimits)
	if want := `{"a":[1000,0,0.0000001,9007199254740993],"b":1.5}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestCanonicalRefusesDuplicateNames(t *testing.T) {
	t.Parallel()
	if _, err := exact.Canonical([]byte(`{"a":1,"a":1}`), exact.DefaultLimits); !errors.Is(err, exact.ErrDuplicateName) {
		t.Errorf("got %v", err)
	}
}
