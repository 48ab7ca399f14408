package tree_test

import (
	"slices"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/internal/tree"
)

func read(t *testing.T, canonical string) tree.Value {
	t.Helper()
	v, err := tree.Read([]byte(canonical))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAbsentIsNotNull(t *testing.T) {
	t.Parallel()
	absent, err := tree.Read(nil)
	if text, fault := absent.Canonical(); err != nil || absent.Present || text != nil || fault != nil {
		t.Errorf("%+v, %s, %v, %v", absent, text, err, fault)
	}
	null := read(t, "null")
	if text, err := null.Canonical(); !null.Present || string(text) != "null" || err != nil {
		t.Errorf("%+v, %s, %v", null, text, err)
	}
	if v, err := tree.Read([]byte("{")); err == nil {
		t.Errorf("what is no JSON: %+v", v)
	}
}

func TestPartsOfAValue(t *testing.T) {
	t.Parallel()
	v := read(t, `{"a":[1,null],"b":{}}`)
	list := v.Member("a")
	if !v.IsObject() || v.IsArray() || !v.HasMembers() || !v.HasParts() || v.Items() != 0 || v.Item(0).Present || v.Member("c").Present {
		t.Errorf("an object: %+v", v)
	}
	if list.IsObject() || !list.IsArray() || list.HasMembers() || !list.HasParts() || list.Items() != 2 || list.Item(2).Present || list.Member("a").Present {
		t.Errorf("an array: %+v", list)
	}
	if null := list.Item(1); !null.Present || null.Tree != nil || null.HasParts() {
		t.Errorf("an item: %+v", null)
	}
	if empty := v.Member("b"); !empty.IsObject() || empty.HasParts() {
		t.Errorf("an empty object: %+v", empty)
	}
}

func TestNamesAreThoseOfBoth(t *testing.T) {
	t.Parallel()
	got := tree.Names(read(t, `{"b":1,"a":1}`), read(t, `{"c":1,"b":2}`))
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := tree.Names(read(t, "[1]"), tree.Value{}); len(got) != 0 {
		t.Errorf("names of an array: %q", got)
	}
}
