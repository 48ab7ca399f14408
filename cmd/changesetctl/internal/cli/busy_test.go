package cli_test

import (
	"database/sql"
	"strings"
	"testing"
)

// What another program does to the file is waited for, and then the command says so and changes nothing.
func TestBusyLedgerIsAnError(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	id := proposed(t, s, "set_rule", "tea", "3")
	other, err := sql.Open("sqlite", "file:"+s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	c, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if r := run(s, "approve", id, "--yes"); r.code != 1 || !strings.Contains(r.stderr, "the ledger is busy") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if _, err := c.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if r := run(s, "approve", id, "--yes"); r.code != 0 {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}
