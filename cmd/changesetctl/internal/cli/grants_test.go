package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// What the operator's page grants is enough for the work of each role, and who may only look changes nothing.
func TestRolesOfTheOperatorsPageCanDoTheirWork(t *testing.T) {
	t.Parallel()
	cluster := pgcluster.Start(t, pgcluster.Settings{})
	administrators, grants := sqlOfThePage(t)
	execute(t, cluster.DSN("postgres"), administrators)
	made, err := postgres.Open(t.Context(), cluster.RoleDSN("ledger_owner", "", "ledger"), postgres.WithLogger(quiet))
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, cluster.DSN("ledger"), grants)

	s := openedAt(t, cluster.RoleDSN("notes", "", "ledger"), 0)
	rule := proposed(t, s, "set_rule", "tea", "3")
	doubt := proposed(t, s, "set_price", "milk", doubtfulApply)
	if r, err := s.apply(t.Context(), "set_price", doubt); err != nil || r.Code != "in_doubt" {
		t.Fatalf("%v, %+v", err, r)
	}
	as := func(role string, code int, command ...string) ran {
		t.Helper()
		at := &shop{address: cluster.RoleDSN(role, "", "ledger")}
		r := run(at, command...)
		if r.code != code {
			t.Errorf("%s, %q: exit code %d: %s%s", role, command, r.code, r.stdout, r.stderr)
		}
		return r
	}
	for _, command := range [][]string{{"list"}, {"show", rule}, {"pending"}, {"stats"}} {
		as("watch", 0, command...)
	}
	as("watch", 1, "check") // finds the change in doubt
	as("watch", 1, "approve", rule, "--yes")
	as("ana", 0, "approve", rule, "--yes")
	r := as("watch", 1, "reconcile", doubt, "--verdict", "not_done", "--note", "looked", "--yes")
	if !strings.Contains(r.stderr, "this role may not do that, and docs/operating.md lists under Roles what each needs") || strings.Contains(r.stderr, "a new ledger") {
		t.Errorf("who may only look is told: %s", r.stderr)
	}
	as("ana", 0, "reconcile", doubt, "--verdict", "not_done", "--note", "looked", "--yes")
	as("watch", 0, "check")
	if r, err := s.apply(t.Context(), "set_rule", rule); err != nil || r.Status != "applied" {
		t.Fatalf("%v, %+v", err, r)
	}
	as("ana", 0, "undo", rule, "--yes", "--wait", screen.Age(patience))
	old := expired(0, time.Now().Add(-time.Hour))
	if err := s.store.Insert(t.Context(), old, ledger.Event{Actor: "agent", To: ledger.Expired}); err != nil {
		t.Fatal(err)
	}
	if err := s.untilLater(t.Context()); err != nil {
		t.Fatal(err)
	}
	as("watch", 1, "prune", "--keep", "0", "--yes")
	as("watch", 0, "show", old.ID)
	as("ana", 0, "prune", "--keep", "0", "--yes")
	as("watch", 1, "show", old.ID)
	as("ana", 0, "expire")
}

// sqlOfThePage are the statements of the operator's page, those before there is a ledger and those after.
func sqlOfThePage(t *testing.T) (before, after []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks [][]string
	for _, part := range strings.Split(string(page), "\n```sql\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```\n")
		blocks = append(blocks, strings.Split(strings.TrimSuffix(block, ";"), ";\n"))
	}
	if len(blocks) != 2 {
		t.Fatalf("the page has %d blocks of SQL, and should have two: has its form changed?", len(blocks))
	}
	return blocks[0], blocks[1]
}

// execute executes statements, each by itself.
func execute(t *testing.T, dsn string, statements []string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	for _, statement := range statements {
		if _, err := connection.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
