package place_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
)

func tree(t *testing.T, document string) any {
	t.Helper()
	made, err := exact.Tree([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestPathIsAPointer(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]place.Path{"": nil, "/": {""}, "/a/0": {"a", "0"}, "/a~1b/c~0d": {"a/b", "c~d"}} {
		got := place.At(pointer)
		if !slices.Equal(got, want) || got.Pointer() != pointer {
			t.Errorf("%q: %q, back %q", pointer, got, got.Pointer())
		}
	}
}

func TestPathsBelowOneDoNotShareMemory(t *testing.T) {
	t.Parallel()
	at := append(make(place.Path, 0, 8), "a")
	first, second := at.Below("b"), at.Below("c")
	if first.Pointer() != "/a/b" || second.Pointer() != "/a/c" {
		t.Errorf("%s, %s", first.Pointer(), second.Pointer())
	}
}

func TestValueAtAPlace(t *testing.T) {
	t.Parallel()
	const document = `{"a":[{"b":null}],"c":"x"}`
	for pointer, want := range map[string]string{
		"": document, "/a": `[{"b":null}]`, "/a/0/b": `null`, "/c": `"x"`,
		"/d": "", "/a/1": "", "/a/-1": "", "/a/x": "", "/c/x": "", "/a/0/b/x": "",
	} {
		got, ok := place.At(pointer).In(tree(t, document))
		text, err := json.Marshal(got)
		if ok != (want != "") || ok && string(text) != want || err != nil {
			t.Errorf("%q: %s, %t, %v", pointer, text, ok, err)
		}
	}
}

func TestReplacingLeavesTheRest(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]string{
		"": `"new"`, "/a": `{"a":"new","c":"x"}`, "/a/0/b": `{"a":[{"b":"new"}],"c":"x"}`, "/d": `{"a":[{"b":null}],"c":"x"}`,
		"/a/7": `{"a":[{"b":null}],"c":"x"}`, "/c/x": `{"a":[{"b":null}],"c":"x"}`,
	} {
		got, err := json.Marshal(place.At(pointer).Replace(tree(t, `{"a":[{"b":null}],"c":"x"}`), "new"))
		if err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", pointer, got, err)
		}
	}
}

func TestSetKnowsWhatItTouches(t *testing.T) {
	t.Parallel()
	set := &place.Set{}
	for _, pointer := range []string{"/a/b", "/a/b/c", "/d"} {
		set.Add(place.At(pointer))
	}
	for pointer, want := range map[string]struct {
		touches bool
		around  string
		within  bool
	}{
		"": {true, "", false}, "/a": {true, "", false}, "/a/b": {true, "/a/b", true}, "/a/b/c/d": {true, "/a/b", true},
		"/a/c": {false, "", false}, "/d/x": {true, "/d", true}, "/e": {false, "", false},
	} {
		around, within := set.Around(place.At(pointer))
		if set.Touches(place.At(pointer)) != want.touches || within != want.within || around.Pointer() != want.around {
			t.Errorf("%q: %t, %q, %t; want %+v", pointer, set.Touches(place.At(pointer)), around.Pointer(), within, want)
		}
	}
	var none *place.Set
	if _, within := none.Around(nil); none.Touches(nil) || within || (&place.Set{}).Touches(nil) {
		t.Error("an empty set touches something")
	}
}

func TestPatternsCoverAndTouch(t *testing.T) {
	t.Parallel()
	patterns, err := place.ReadPatterns([]string{"/p", "/*/q"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]bool{}
	for _, pointer := range []string{"", "/p", "/p/x", "/a", "/a/q", "/0/q/x", "/a/r"} {
		at := place.At(pointer)
		got[pointer] = [2]bool{patterns.Covers(at), patterns.Touches(at)}
	}
	want := map[string][2]bool{
		"": {false, true}, "/p": {true, true}, "/p/x": {true, true}, "/a": {false, true}, "/a/q": {true, true}, "/0/q/x": {true, true}, "/a/r": {false, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("covers and touches (-want +got)\n%s", diff)
	}
	for _, pointer := range []string{"p", "p/q", "/~2"} {
		if _, err := place.ReadPatterns([]string{pointer}); err == nil {
			t.Errorf("%s is taken for a pointer", pointer)
		}
	}
}
