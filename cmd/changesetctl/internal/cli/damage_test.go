package cli_test

import (
	"bytes"
	"database/sql"
	"os"
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
	db, err := sql.Open("sqlite", "file:"+s.address)
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

// doubted is a shop that was closed with a change in doubt.
func doubted(t *testing.T) (s *shop, id string) {
	t.Helper()
	s, _ = opened(t)
	id = proposed(t, s, "set_price", "milk", doubtfulApply)
	if r, err := s.apply(t.Context(), "set_price", id); err != nil || r.Code != "in_doubt" {
		t.Fatalf("%v, %+v", err, r)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	return s, id
}

// asks is what a shell on the ledger answers.
func asks(t *testing.T, s *shop, query string, args ...any) (answer int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestCheckTellsOfAClaimWhoseIDIsDamaged(t *testing.T) {
	t.Parallel()
	s, id := doubted(t)
	asks(t, s, "UPDATE changes SET id = 'no id' WHERE id = ? RETURNING n", id)
	if r := run(s, "check"); r.code != 1 || !strings.Contains(r.stdout, "Fault: ") || !strings.Contains(r.stdout, "no id") {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

// What check cannot read keeps it from telling nothing else.
func TestCheckTellsOfPagesThatAreDamaged(t *testing.T) {
	t.Parallel()
	s, _ := doubted(t)
	size, page := asks(t, s, "PRAGMA page_size"), asks(t, s, "SELECT rootpage FROM sqlite_schema WHERE name = 'changes'")
	content, err := os.ReadFile(s.address)
	if err != nil {
		t.Fatal(err)
	}
	copy(content[(page-1)*size:page*size], bytes.Repeat([]byte{0xff}, size))
	if err := os.WriteFile(s.address, content, 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(s, "check")
	if r.code != 1 || strings.Count(r.stdout, "Fault: ") < 3 || !strings.Contains(r.stdout, "look for open claims") || strings.Contains(r.stdout, "Nothing is in doubt") {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
