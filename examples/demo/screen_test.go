package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScreenCutsTokensAndLeavesTimesOut(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := screen{out: &out}
	if err := s.request("apply", approval{"chg_01", "confirm_abcdefghijklmnopqrstuvwxyz012345"}); err != nil {
		t.Fatal(err)
	}
	s.reply("Applied.\nundo_token: undo_ABCDEFGHIJKLMNOPQRSTUVWXYZ-_0123\nexpires_at: 2026-01-02T03:04:05.678+05:30\n\nNext: undo_set_setting")
	want := `   > apply {"change_id":"chg_01","confirmation_token":"confirm_abcd…"}
   | Applied.
   | undo_token: undo_ABCD…
   |
   | Next: undo_set_setting
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
}

func TestScreenBreaksLongLinesBetweenWords(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("x", 60)
	for _, test := range []struct {
		name, line string
		want       []string
	}{
		{"short", "one two", []string{"one two"}},
		{"long", word + " " + word, []string{word, "  " + word}},
		{"one long word", word + word, []string{word + word}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, wrap(test.line)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}
