package cli_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
)

// One change is damaged while the server goes on, which may carry out another one that was agreed to.
func TestADamagedChangeKeepsNobodyFromANoToAnother(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	hurt, sound := proposed(t, s, "set_rule", "tea", "3"), proposed(t, s, "set_rule", "milk", "4")
	if r := run(s, "approve", sound, "--yes"); r.code != 0 {
		t.Fatalf("approve: %s", r.stderr)
	}
	db, err := sql.Open("sqlite", "file:"+s.path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "UPDATE changes SET expires_at = expires_at + 1 WHERE id = ?", hurt)
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"check"}, {"list"}, {"pending"}, {"show", hurt}} {
		if r := run(s, command...); !strings.Contains(r.stdout+r.stderr, hurt) {
			t.Errorf("%s does not name the change: %s%s", command, r.stdout, r.stderr)
		}
	}
	for _, command := range [][]string{{"check"}, {"approve", hurt, "--yes"}, {"reject", hurt, "--reason", "no", "--yes"}} {
		if r := run(s, command...); r.code != 1 {
			t.Errorf("%s: exit code %d: %s", command, r.code, r.stdout)
		}
	}
	for _, command := range [][]string{{"reject", sound, "--reason", "not while that is so", "--yes"}, {"show", sound}} {
		if r := run(s, command...); r.code != 0 {
			t.Errorf("%s: exit code %d: %s", command, r.code, r.stderr)
		}
	}
	if r := run(s, "list", "--after", hurt); r.code != 0 {
		t.Errorf("the page behind what is damaged: %s", r.stderr)
	}
	for _, id := range []string{hurt, sound} {
		if r, err := s.apply(t.Context(), "set_rule", id); err == nil && slices.Contains([]string{"applied", "applying"}, r.Status) {
			t.Errorf("%s was carried out: %+v", id, r)
		}
	}
}
