package exact_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Plain values are not written by json v2. Inside a struct they are, and what they are written as must be the same.
func FuzzPlainValuesAreWrittenAsAnyOther(f *testing.F) {
	f.Add("", "a", int64(0), true)
	f.Add("<b> & \"\\/", "\u2028\x7f\x00", int64(math.MinInt64), false)
	f.Add("\xff", "\ud7ff", int64(math.MaxInt64), false)
	f.Fuzz(func(t *testing.T, text, other string, n int64, is bool) {
		checkPlain(t, text)
		checkPlain(t, []string{text, other})
		checkPlain(t, []string{})
		checkPlain(t, []string(nil))
		checkPlain(t, n)
		checkPlain(t, int(n))
		checkPlain(t, is)
	})
}

func checkPlain[T any](t *testing.T, value T) {
	t.Helper()
	alone, err := exact.Encode(value)
	within, tree, errWithin := exact.EncodeTree(struct {
		V T `json:"v"`
	}{value})
	if (err == nil) != (errWithin == nil) {
		t.Fatalf("%#v: alone %v, within a struct %v", value, err, errWithin)
	}
	if err != nil {
		return
	}
	if want := `{"v":` + string(alone) + `}`; string(within) != want {
		t.Errorf("%#v: %s within a struct, want %s", value, within, want)
	}
	if read, err := exact.Tree(within); err != nil || !cmp.Equal(read, tree) {
		t.Errorf("%s: %v, %v\n%s", within, read, err, cmp.Diff(read, tree))
	}
}

func TestTreesAreThoseOfWhatIsReturned(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `{"b":1e3,"a":[1.50,-0,"\u00e9",true,{}]}`, ` [ ] `, `"x"`} {
		canonical, tree, err := exact.CanonicalTree([]byte(text), exact.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		want, err := exact.Tree(canonical)
		if diff := cmp.Diff(want, tree); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", text, err, diff)
		}
	}
	if canonical, tree, err := exact.CanonicalTree([]byte(`{"a":1,"a":2}`), exact.DefaultLimits); err == nil || canonical != nil || tree != nil {
		t.Errorf("a name that is there twice gives %s, %v, %v", canonical, tree, err)
	}
}
