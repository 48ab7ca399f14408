package runtime_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const (
	promotionClients = 32  // of two hosts
	beforePromotion  = 200 // applies that are acknowledged before the primary is killed
	afterPromotion   = 2   // that each client has acknowledged after it
)

// The primary of a ledger is killed while many clients apply, and its synchronous standby takes over. What was acknowledged
// is there, no body has run twice, and every other change is absent, waits, or is in doubt.
func TestPromotedStandbyHasWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	pair := newPair(t)
	in := shared{directory: t.TempDir(), ledger: pair.address}
	servers := []*process{startServer(t, in.environment(hostIn)...), startServer(t, in.environment(hostIn)...)}
	crowd := &crowd{promoted: make(chan struct{}), enough: make(chan struct{}), changes: map[string]bool{}, answers: tally{}}
	var calling sync.WaitGroup
	for n := range promotionClients {
		calling.Go(func() { crowd.apply(t, servers[n%len(servers)], fmt.Sprint("key-", n)) })
	}
	wait(t, crowd.enough, "the applies before the promotion")
	pair.part(t)
	if err := errors.Join(pair.primary.Kill(), pair.standby.Promote(t.Context())); err != nil {
		t.Fatal(err)
	}
	close(crowd.promoted)
	calling.Wait()
	for _, server := range servers {
		_ = server.stdin.Close()
		server.wantEnd(t)
	}
	t.Logf("%d changes, %d applies acknowledged, answers %v", len(crowd.changes), crowd.acked, crowd.answers)
	crowd.wantTrue(t, in)
}

// pair are a primary and its synchronous standby.
type pair struct {
	primary, standby *pgcluster.Cluster
	follows          *route // by which the standby is told what the primary writes
	address          string // of a ledger in whichever of them takes writes
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{primary: pgcluster.Start(t, pgcluster.Settings{})}
	p.follows = newRoute(t, p.primary.Address())
	var err error
	if p.standby, err = p.primary.Standby(t.Context(), standbyName, pgcluster.Settings{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.standby.Stop(); err != nil {
			t.Error(err)
		}
	})
	host, port, _ := net.SplitHostPort(p.follows.address)
	reconfigure(t, p.standby, "primary_conninfo", fmt.Sprintf("user=postgres host=%s port=%s application_name=%s", host, port, standbyName))
	reconfigure(t, p.primary, "synchronous_standby_names", standbyName)
	address, err := url.Parse(p.primary.DSN("postgres") + fewConnections + "&target_session_attrs=read-write")
	if err != nil {
		t.Fatal(err)
	}
	address.Host += "," + p.standby.Address()
	p.address = address.String()
	p.until(t, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND client_addr <> '127.0.0.1'")
	return p
}

// standbyName is what the primary knows its standby by.
const standbyName = "second"

func reconfigure(t *testing.T, c *pgcluster.Cluster, setting, value string) {
	t.Helper()
	execAll(t, c.DSN("postgres"), fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", setting, value), "SELECT pg_reload_conf()")
}

// part has what is written from now on wait for the standby, and go under with the primary. Some of it no longer waits when
// its connection is ended: then it is there for whoever asks the primary, and nowhere else.
func (p *pair) part(t *testing.T) {
	t.Helper()
	p.follows.cut()
	for range endedWaits {
		p.until(t, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
		p.until(t, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	}
	p.until(t, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
}

// endedWaits is how often waits for the standby are ended.
const endedWaits = 3

// until waits until the primary counts something.
func (p *pair) until(t *testing.T, query string) {
	t.Helper()
	for n := 0; n == 0; {
		queryRow(t, p.primary.DSN("postgres"), query, &n)
	}
}

// crowd are clients, and what they were told.
type crowd struct {
	promoted chan struct{} // closed when the standby has taken over
	enough   chan struct{} // closed when enough was acknowledged before

	mu      sync.Mutex
	acked   int
	changes map[string]bool // that were previewed, and whether their apply was acknowledged
	answers tally
}

// apply is one client, who alone uses its key. What it is not told the end of, it asks for again, with the same token.
func (c *crowd) apply(t *testing.T, server *process, key string) {
	for n, after := 0, 0; after < afterPromotion && !t.Failed(); n++ {
		p := c.call(t, server, "preview_set_value", map[string]string{"key": key, "value": fmt.Sprint(n)})
		if p["status"] != "preview" {
			continue // it was told of no change
		}
		id := p["change_id"]
		c.note(id, false)
		for status := ""; !ended(status) && !t.Failed(); {
			a := c.call(t, server, "apply_set_value", map[string]string{"change_id": id, "confirmation_token": p["confirmation_token"]})
			if status = a["status"]; a["code"] != "" {
				status = a["change_status"]
			}
			switch {
			case a["status"] == "applied":
				c.note(id, true)
				after += c.isPromoted()
			case a["code"] == "unknown_change":
				t.Errorf("%s is gone, whose preview was acknowledged", id)
			}
		}
	}
}

// ended tells whether nothing more is to be told of an apply: it has ended, or is in doubt for good.
func ended(status string) bool {
	switch ledger.Status(status) {
	case ledger.Applied, ledger.ApplyFailed, ledger.Expired:
		return true
	}
	return false
}

// isPromoted is 1 once the standby has taken over, and 0 before.
func (c *crowd) isPromoted() int {
	select {
	case <-c.promoted:
		return 1
	default:
		return 0
	}
}

// call gives the texts of an answer, and counts it.
func (c *crowd) call(t *testing.T, server *process, tool string, arguments map[string]string) map[string]string {
	texts, err := textsOf(t.Context(), server.session, tool, arguments)
	if err != nil {
		t.Errorf("%s: %v", tool, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[texts["status"]+" "+texts["code"]]++
	return texts
}

func (c *crowd) note(id string, applied bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes[id] = applied; applied {
		if c.acked++; c.acked == beforePromotion {
			close(c.enough)
		}
	}
}

// wantTrue compares what the clients were told with what is in the ledger, and with the bodies that ran.
func (c *crowd) wantTrue(t *testing.T, in shared) {
	t.Helper()
	ran := bodiesByChange(t, in.directory)
	records := map[string]ledger.Record{}
	for r, err := range ledger.All(t.Context(), openLedgerAt(t, in.ledger, nil), ledger.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		records[r.ID] = r
	}
	for id, applied := range c.changes {
		r, there := records[id]
		switch {
		case !there:
			t.Errorf("%s is not in the ledger, whose preview was acknowledged", id)
		case applied && (r.Status != ledger.Applied || ran[id] != 1):
			t.Errorf("%s was acknowledged: it is %s, and %d bodies ran", id, r.Status, ran[id])
		}
	}
	for id, times := range ran {
		if r := records[id]; times != 1 || r.ClaimID == "" {
			t.Errorf("%d bodies ran of %s, which is %q", times, id, r.Status)
		}
	}
}

// bodiesByChange counts the bodies that ran by change. While there is no primary, none of them sees its claim.
func bodiesByChange(t *testing.T, directory string) tally {
	t.Helper()
	ran := tally{}
	for line, times := range bodyLines(t, directory) {
		id, body, _ := strings.Cut(line, " ")
		if ran[id] += times; body != "apply" && body != "apply unseen" {
			t.Errorf("%s: %s", id, body)
		}
	}
	return ran
}
