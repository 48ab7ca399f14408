package cli_test

import (
	"database/sql"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A record that cannot be read is shown as that, and nothing is made up of it.
func TestUnreadableRecordIsShownWithoutWhatItDoesNotSay(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	id := proposed(t, s, "set_price", "milk", doubtfulApply)
	if r, err := s.apply(t.Context(), "set_price", id); err != nil || r.Code != "in_doubt" {
		t.Fatalf("%v, %+v", err, r)
	}
	db, err := sql.Open("sqlite", "file:"+s.address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "UPDATE changes SET expires_at = expires_at + 1")
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"list", "pending", "check"} {
		r := run(s, command)
		if !regexp.MustCompile(id+` +damaged *\n`).MatchString(r.stdout) || strings.Contains(r.stdout, "Nothing is in doubt") {
			t.Errorf("%s: %s%s", command, r.stdout, r.stderr)
		}
		if r = run(s, command, "--json"); strings.Contains(r.stdout, "0001-01-01") || strings.Contains(r.stdout, `"diff": null`) {
			t.Errorf("%s: %s", command, r.stdout)
		}
	}
}

func TestListTakesTheLargestLimit(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	id := proposed(t, s, "set_price", "milk", "3")
	if r := run(s, "list", "--limit", strconv.Itoa(math.MaxInt)); r.code != 0 || !strings.Contains(r.stdout, id) {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
}
