package postgres_test

import (
	"context"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// as is the address of the database for another role.
func as(t *testing.T, dsn, role string) string {
	t.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.User(role)
	return address.String()
}

// grant gives a new role what the documentation of the package says that it needs, and gives its name.
func grant(t *testing.T, conn *pgx.Conn, documented string) (role string) {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	role = documented + "_of_" + value[string](t, conn, "SELECT current_database()")
	do(t, conn, "CREATE ROLE "+role+" LOGIN")
	t.Cleanup(func() {
		if _, err := conn.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	grants := regexp.MustCompile(`(?m)^//\t(GRANT [^;]* TO `+documented+`);$`).FindAllStringSubmatch(string(doc), -1)
	if len(grants) == 0 {
		t.Fatalf("no grants are documented for %s", documented)
	}
	for _, g := range grants {
		do(t, conn, strings.ReplaceAll(strings.TrimSuffix(g[1], documented), "//", "")+role)
	}
	return role
}

func TestAServerNeedsNoMoreThanIsDocumented(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	owner, err := postgres.Open(t.Context(), dsn, postgres.WithBusyTimeout(patience), postgres.WithLogger(silent))
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, as(t, dsn, grant(t, connect(t, dsn), "server")))
	h := hold(t, s)
	capped := ledger.Cap{Of: ledger.Query{Statuses: []ledger.Status{ledger.Pending}, Unexpired: true}, Max: 10}
	if err := s.Insert(t.Context(), waiting(1), previewed, capped); err != nil {
		t.Fatalf("insert: %v", err)
	}
	r := claim(waiting(1), "claim", h.Name())
	if err := s.Swap(t.Context(), r, never, claimed, capped); err != nil {
		t.Fatalf("claim: %v", err)
	}
	r.Revision, r.Status = 2, ledger.ApplyFailed
	fresh := waiting(2)
	fresh.RetryOf = r.ID
	if err := s.SwapInsert(t.Context(), r, claimed, fresh, previewed, capped); err != nil {
		t.Fatalf("swap and insert: %v", err)
	}
	if _, err := s.List(t.Context(), ledger.Query{Unexpired: true}); err != nil {
		t.Errorf("list: %v", err)
	}
	if _, err := s.Events(t.Context(), r.ID); err != nil {
		t.Errorf("events: %v", err)
	}
	if _, err := s.SensitiveKey(t.Context()); err != nil {
		t.Errorf("key: %v", err)
	}
	if err := h.Release(); err != nil {
		t.Errorf("release: %v", err)
	}
	liveness(t, s, h.Name(), ledger.Gone)
	_, err = s.Prune(t.Context(), ledger.Query{}, 10)
	failsWith(t, "prune", err, ledger.ErrUnsupported)
}

func TestAnOperatorNeedsNoMoreThanIsDocumented(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	server, conn := open(t, dsn), connect(t, dsn)
	insert(t, server, 1)
	h := hold(t, server)
	s := open(t, as(t, dsn, grant(t, conn, "operator")))
	lapse(t, conn, h.Name())
	liveness(t, s, h.Name(), ledger.Gone)
	r := waiting(1)
	r.Status = ledger.Rejected
	if err := s.Swap(t.Context(), r, never, ledger.Event{Actor: "operator", To: ledger.Rejected}); err != nil {
		t.Fatalf("reject: %v", err)
	}
	looksWhole(t, s)
	if n, err := s.Prune(t.Context(), ledger.Query{}, 10); n != 1 || err != nil {
		t.Errorf("%d were pruned (%v)", n, err)
	}
}

// looksWhole has all that an operator asks for looked at.
func looksWhole(t *testing.T, s *postgres.Store) {
	t.Helper()
	if faults, err := s.Check(t.Context()); len(faults) > 0 || err != nil {
		t.Errorf("faults %q (%v)", faults, err)
	}
	if stats, err := s.Stats(t.Context()); len(stats.Groups) == 0 || stats.Bytes == 0 || err != nil {
		t.Errorf("stats %+v (%v)", stats, err)
	}
	if _, err := s.Holders(t.Context()); err != nil {
		t.Errorf("holders: %v", err)
	}
}

// TestWhoLooksOnlyWritesNothing has a role that may only read look at a ledger, and a holder lapse that it asks for.
func TestWhoLooksOnlyWritesNothing(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	owner, conn := open(t, dsn), connect(t, dsn)
	insert(t, owner, 1)
	h := hold(t, owner)
	s := open(t, as(t, dsn, grant(t, conn, "reader"))+"&default_transaction_read_only=on", postgres.LookOnly())
	liveness(t, s, h.Name(), ledger.Alive)
	lapse(t, conn, h.Name())
	liveness(t, s, h.Name(), ledger.Unknown)
	looksWhole(t, s)
	if got := get(t, s, 1).WriteID; got != "preview" {
		t.Errorf("the record was written by %q", got)
	}
	liveness(t, owner, h.Name(), ledger.Gone)
	liveness(t, s, h.Name(), ledger.Gone)
	failsWith(t, "a write", s.Insert(t.Context(), waiting(2), previewed), ledger.ErrUnavailable)
}

// TestAJoinedBodyGivesTheRoleBackThatItTook has one write as the owner of its rows, whom the ledger grants nothing.
func TestAJoinedBodyGivesTheRoleBackThatItTook(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	conn := connect(t, j.dsn)
	role := "author_of_" + value[string](t, conn, "SELECT current_database()")
	do(t, conn, "CREATE ROLE "+role, "GRANT ALL ON notes TO "+role)
	t.Cleanup(func() {
		if _, err := conn.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	noteAs := func(after string) func(context.Context, pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error {
			for _, statement := range []string{"SET LOCAL ROLE " + role, "INSERT INTO notes VALUES ('here')", after} {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		}
	}
	failsWith(t, "a body that keeps it", j.join(t.Context(), noteAs("SELECT 1")), ledger.ErrUnsupported)
	j.expect(t, ledger.Applying)
	if err := j.join(t.Context(), noteAs("SET LOCAL ROLE NONE")); err != nil {
		t.Errorf("a body that gives it back: %v", err)
	}
	j.expect(t, ledger.Applied, "here")
}
