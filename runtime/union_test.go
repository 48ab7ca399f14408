package runtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
)

// parent is a union as the generator writes one.
type parent struct {
	PageID *pageParent
	Block  *blockParent
}

type pageParent struct {
	Type   string                     `json:"type"`
	PageID string                     `json:"page_id"`
	Order  json.Number                `json:"order,omitzero"`
	Above  *parent                    `json:"above,omitzero"`
	Others map[string]json.RawMessage `json:",embed"`
}

type blockParent struct {
	Type  string                   `json:"type"`
	Block runtime.Optional[string] `json:"block,omitzero"`
}

func (p *parent) branches() []runtime.Branch {
	return []runtime.Branch{runtime.BranchOf("page_id", &p.PageID), runtime.BranchOf("block", &p.Block)}
}

func (p parent) MarshalJSON() ([]byte, error) { return runtime.EncodeUnion("type", p.branches()...) }

func (p *parent) UnmarshalJSON(raw []byte) error {
	return runtime.DecodeUnion(raw, "type", p.branches()...)
}

func ExampleDecodeUnion() {
	var p parent
	err := json.Unmarshal([]byte(`{"type": "page_id", "page_id": "abc"}`), &p)
	fmt.Println(p.PageID.PageID, p.Block, err)
	err = json.Unmarshal([]byte(`{"type": "workspace"}`), &p)
	fmt.Println(err)
	// Output:
	// abc <nil> <nil>
	// value of another type: "workspace" is none of page_id, block (at /type)
}

func ExampleEncodeUnion() {
	raw, err := exact.Encode(parent{Block: &blockParent{Type: "block", Block: runtime.OptionalNull[string]()}})
	fmt.Println(string(raw), err)
	_, err = exact.Encode(parent{})
	fmt.Println(err)
	// Output:
	// {"block":null,"type":"block"} <nil>
	// value of another type: the Go type runtime_test.parent cannot be written: not one branch of a union: 0 branches are set; set one of page_id, block
}

func TestUnionComesBackAsItWas(t *testing.T) {
	t.Parallel()
	for _, canonical := range []string{
		`{"page_id":"","type":"page_id"}`,
		`{"order":12345678901234567890123456.5,"page_id":"a","type":"page_id"}`,
		`{"block":null,"type":"block"}`,
		`{"type":"block"}`,
		`{"above":{"above":{"block":"x","type":"block"},"page_id":"b","type":"page_id"},"page_id":"a","type":"page_id"}`,
	} {
		requireRoundTrip[parent](t, canonical)
		requireRoundTrip[[]parent](t, "["+canonical+"]")
		requireRoundTrip[map[string]runtime.Optional[parent]](t, `{"a":`+canonical+`,"b":null}`)
	}
}

func TestUnionKeepsMembersWithoutAField(t *testing.T) {
	t.Parallel()
	const canonical = `{"above":{"more":{"n":1.25},"page_id":"b","type":"page_id"},"more":[12345678901234567890123456],"page_id":"a","type":"page_id"}`
	var p parent
	if err := exact.Decode([]byte(canonical), &p); err != nil {
		t.Fatal(err)
	}
	if again, err := exact.Encode(&p); err != nil || string(again) != canonical {
		t.Errorf("came back as %s, %v", again, err)
	}
}

func TestDecodeUnionRefusesATagThatIsNone(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"unknown": `{"type":"page"}`, "missing": `{"page_id":"x"}`, "another type": `{"type":1}`, "null": `{"type":null}`,
		"in other case": `{"type":"Block"}`, "tag in other case": `{"Type":"block"}`,
	} {
		var p parent
		err := exact.Decode([]byte(`[{"type":"block"},`+raw+`]`), &[]parent{})
		var fault *exact.Error
		if !errors.As(err, &fault) || fault.Path != "/1/type" || !errors.Is(err, exact.ErrType) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := json.Unmarshal([]byte(raw), &p); err == nil {
			t.Errorf("%s: encoding/json takes it", name)
		}
	}
	for _, raw := range []string{`null`, `[]`, `"block"`, `1`} {
		if err := exact.Decode([]byte(raw), &parent{}); err == nil {
			t.Errorf("%s is taken for a union", raw)
		}
	}
}

func TestDecodeUnionClearsTheOtherBranches(t *testing.T) {
	t.Parallel()
	p := parent{PageID: &pageParent{Type: "page_id"}}
	if err := exact.Decode([]byte(`{"type":"block"}`), &p); err != nil || p.PageID != nil || p.Block == nil {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestEncodeUnionRefusesWhatIsNotOneBranch(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]parent{
		"none":         {},
		"two":          {PageID: &pageParent{Type: "page_id"}, Block: &blockParent{Type: "block"}},
		"another tag":  {PageID: &pageParent{Type: "block"}},
		"an empty tag": {Block: &blockParent{}},
		"none within":  {PageID: &pageParent{Type: "page_id", Above: &parent{}}},
	} {
		if raw, err := p.MarshalJSON(); !errors.Is(err, runtime.ErrUnion) && name != "none within" || err == nil {
			t.Errorf("%s: got %s, %v", name, raw, err)
		}
		if raw, err := exact.Encode([]parent{p}); err == nil {
			t.Errorf("%s: encoded as %s", name, raw)
		}
	}
}

// Any text is refused or comes back as what it says.
func FuzzUnion(f *testing.F) {
	for _, seed := range []string{
		`{"type":"block","block":null}`, `{"type":"page_id","page_id":"x","order":1e3,"x":[1.50]}`,
		`{"type":"page_id","page_id":"x","above":{"type":"block"}}`, `{"type":"x"}`, `{"TYPE":"block"}`, `null`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		canonical, err := exact.Canonical(raw, exact.DefaultLimits)
		if err != nil {
			return
		}
		var p parent
		if err := exact.Decode(canonical, &p); err != nil {
			return
		}
		again, err := exact.Encode(p)
		if err != nil {
			t.Fatalf("%s: %v", canonical, err)
		}
		var q parent
		if err := exact.Decode(again, &q); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if twice, err := exact.Encode(q); err != nil || string(twice) != string(again) {
			t.Errorf("%s became %s, %v", again, twice, err)
		}
	})
}
