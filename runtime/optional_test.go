package runtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
)

func ExampleOptional() {
	type patch struct {
		Description runtime.Optional[string] `json:"description,omitzero"`
	}
	for _, raw := range []string{`{}`, `{"description":null}`, `{"description":""}`} {
		var p patch
		if err := exact.Decode([]byte(raw), &p); err != nil {
			fmt.Println(err)
		}
		description, ok := p.Description.Get()
		fmt.Printf("absent %t, null %t, value %t %q\n", p.Description.IsAbsent(), p.Description.IsNull(), ok, description)
	}
	// Output:
	// absent true, null false, value false ""
	// absent false, null true, value false ""
	// absent false, null false, value true ""
}

func ExampleOptionalOf() {
	type patch struct {
		Size runtime.Optional[int64]  `json:"size,omitzero"`
		Note runtime.Optional[string] `json:"note,omitzero"`
		Unit runtime.Optional[string] `json:"unit,omitzero"`
	}
	raw, err := exact.Encode(patch{Size: runtime.OptionalOf[int64](3), Note: runtime.OptionalNull[string]()})
	fmt.Println(string(raw), err)
	// Output: {"note":null,"size":3} <nil>
}

// holder has optional values of every shape.
type holder struct {
	Text   runtime.Optional[string]                     `json:"text,omitzero"`
	Number runtime.Optional[json.Number]                `json:"number,omitzero"`
	List   runtime.Optional[[]json.Number]              `json:"list,omitzero"`
	Map    runtime.Optional[map[string]json.RawMessage] `json:"map,omitzero"`
	Inner  runtime.Optional[holder]                     `json:"inner,omitzero"`
}

func TestOptionalComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, canonical := range []string{
		`{}`,
		`{"inner":null,"list":null,"map":null,"number":null,"text":null}`,
		`{"inner":{},"list":[],"map":{},"number":0,"text":""}`,
		`{"number":1234567890123456789012345.0123456789}`,
		`{"list":[9007199254740993,0.1000000000000000055]}`,
		`{"map":{"":null,"a":12345678901234567890123456789,"b":[1.5,{"c":"null"}]}}`,
		`{"inner":{"inner":{"inner":null,"number":9007199254740993},"text":"null"}}`,
	} {
		requireRoundTrip[holder](t, canonical)
	}
}

// requireRoundTrip decodes and encodes canonical JSON, exactly and with encoding/json on the way.
func requireRoundTrip[T any](t *testing.T, canonical string) {
	t.Helper()
	var v T
	if err := exact.Decode([]byte(canonical), &v); err != nil {
		t.Errorf("%s: %v", canonical, err)
		return
	}
	if again, err := exact.Encode(v); err != nil || string(again) != canonical {
		t.Errorf("%s came back as %s, %v", canonical, again, err)
	}
	standard, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%s: encoding/json: %v", canonical, err)
	}
	if again, err := exact.Canonical(standard, exact.DefaultLimits); err != nil || string(again) != canonical {
		t.Errorf("%s came back from encoding/json as %s, %v", canonical, again, err)
	}
	var w T
	if err := json.Unmarshal([]byte(canonical), &w); err != nil {
		t.Errorf("%s: encoding/json: %v", canonical, err)
	}
	if again, err := exact.Encode(w); err != nil || string(again) != canonical {
		t.Errorf("%s came back through encoding/json as %s, %v", canonical, again, err)
	}
}

func TestOptionalIsReplacedAsAWhole(t *testing.T) {
	t.Parallel()
	o := runtime.OptionalOf("old")
	kept := o
	if err := exact.Decode([]byte(`null`), &o); err != nil || !o.IsNull() {
		t.Errorf("got %v, %v; want null", o, err)
	}
	if err := exact.Decode([]byte(`"new"`), &o); err != nil || o.IsNull() || o.Any() != "new" {
		t.Errorf("got %v, %v; want new", o, err)
	}
	if kept.Any() != "old" {
		t.Errorf("the copy holds %v; want old", kept.Any())
	}
}

func TestOptionalPointerIsACopy(t *testing.T) {
	t.Parallel()
	o := runtime.OptionalOf("value")
	*o.Pointer() = "changed"
	if o.Any() != "value" {
		t.Errorf("got %v; want value", o.Any())
	}
	var absent runtime.Optional[string]
	if null := runtime.OptionalNull[string](); null.Pointer() != nil || absent.Pointer() != nil || absent.Any() != nil {
		t.Error("a pointer to no value")
	}
}

func TestOptionalsAreComparedByWhatTheySay(t *testing.T) {
	t.Parallel()
	number := func(n json.Number) runtime.Optional[json.Number] { return runtime.OptionalOf(n) }
	all := []runtime.Optional[json.Number]{{}, runtime.OptionalNull[json.Number](), number("0"), number("1.5")}
	for i, a := range all {
		for j, b := range all {
			if cmp.Equal(a, b) != (i == j) {
				t.Errorf("%d and %d are equal: %t", i, j, cmp.Equal(a, b))
			}
		}
	}
	if !number("1.50").Equal(number("15e-1")) || number("").Equal(number("")) {
		t.Error("a number is not compared by its value")
	}
}

func TestFaultWithinAnOptionalHasItsPlace(t *testing.T) {
	t.Parallel()
	var fault *exact.Error
	err := exact.Decode([]byte(`{"inner":{"list":[1,"2"]}}`), &holder{})
	if !errors.As(err, &fault) || fault.Path != "/inner/list/1" || fault.Offset != 20 || !errors.Is(err, exact.ErrType) {
		t.Errorf("got %v", err)
	}
	_, err = exact.Encode(holder{Inner: runtime.OptionalOf(holder{Number: runtime.OptionalOf(json.Number("007"))})})
	if !errors.As(err, &fault) || fault.Path != "/inner/number" || !errors.Is(err, exact.ErrNumber) {
		t.Errorf("got %v", err)
	}
}

func TestTextShowsTheValueOfAnOptional(t *testing.T) {
	t.Parallel()
	got := runtime.Textf("%v, %v, %v, %v", runtime.OptionalOf("a\nb"), runtime.OptionalOf(json.Number("1.5")),
		runtime.OptionalNull[string](), runtime.Optional[string]{})
	if want := `a\nb, 1.5, (none), (none)`; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

// What is read comes back as it was read, but for members without a field.
func FuzzOptionalRoundTrip(f *testing.F) {
	for _, seed := range []string{`{}`, `{"text":null}`, `{"inner":{"number":1e3}}`, `{"list":[1.50,-0]}`, `{"map":{"a":[1e-5]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		canonical, err := exact.Canonical(raw, exact.DefaultLimits)
		var h holder
		if err != nil || exact.Decode(canonical, &h) != nil {
			return
		}
		again, err := exact.Encode(h)
		if err != nil {
			t.Fatalf("%s: %v", canonical, err)
		}
		var once holder
		if err := exact.Decode(again, &once); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if twice, err := exact.Encode(once); err != nil || string(twice) != string(again) {
			t.Errorf("%s became %s, %v", again, twice, err)
		}
	})
}
