package runtime_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Callers of three hosts have one token. One body runs, for the apply and for its undo, and all others are told why theirs
// does not.
func TestOneTokenOnEveryHostRunsOneBody(t *testing.T) {
	t.Parallel()
	const each = 20
	hosts := newHosts(t)
	servers := []*process{hosts.start(t).process, hosts.start(t).process, hosts.start(t).process}
	p := servers[0].call(t, "preview_set_value", map[string]string{"key": "k", "value": "v"})
	apply := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
	wantOnce(t, callAtOnce(t, callersOf(servers, each), "apply_set_value", apply), "applied")
	again := servers[1].call(t, "apply_set_value", apply)
	undo := map[string]string{"change_id": p.ChangeID, "undo_token": again.UndoToken}
	wantOnce(t, callAtOnce(t, callersOf(servers, each), "undo_set_value", undo), "undone")
	if diff := cmp.Diff(tally{"apply once": 1, "undo once": 1}, bodiesThatRan(t, hosts.directory)); diff != "" {
		t.Errorf("bodies (-want +got):\n%s", diff)
	}
	if n := hosts.seen(t); n != len(servers) {
		t.Errorf("the database has seen connections from %d hosts", n)
	}
}

// seen counts the hosts that are connected to the ledger now.
func (h *hostSet) seen(t *testing.T) (n int) {
	t.Helper()
	queryRow(t, h.ledger, `SELECT count(DISTINCT client_addr) FROM pg_stat_activity
		WHERE datname = current_database() AND client_addr <> '127.0.0.1'`, &n)
	return n
}

// shortLease is that of a host which is cut off: nobody waits for longer than a test can.
const shortLease = "3s"

// A host that is cut off in the middle of a body has its body told to end. The others take it for gone and look at what it
// left, and nobody runs that again. What the body says in the end settles the change, unless they have.
func TestHostThatIsCutOffRunsNothingTwice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stays  string
		others string // what the others are told once it is gone
	}{
		"before its write": {beforeItsWrite, "refused in_doubt"},
		"after its write":  {afterItsWrite, "refused already_used"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hosts := newHosts(t)
			lost, other := hosts.start(t, hostStays+"="+test.stays, hostLease+"="+shortLease), hosts.start(t)
			p := lost.call(t, "preview_set_value", map[string]string{"key": "k", "value": "v"})
			apply := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
			answer := later(t, lost.client, "apply_set_value", apply)
			lost.stopped(t)
			wantRefused(t, other.call(t, "apply_set_value", apply), "in_flight")
			lost.route.cut()
			lost.stopped(t)
			wantCause(t, hosts)
			told := "refused in_flight"
			for told == "refused in_flight" {
				told = callOnce(t.Context(), other.session, "apply_set_value", apply)
			}
			if told != test.others {
				t.Errorf("the others are told: %s", told)
			}
			lost.route.mend()
			_ = lost.goOn.Close()
			// As the body says, if it ends in the time that it has for that, and nobody has settled the change.
			if r := <-answer; r.Code != "in_doubt" && r.Code != "already_used" && r.Status != "applied" {
				t.Errorf("its own caller is told: %s", r.raw)
			}
			claim := hosts.settled(t, other, p.ChangeID)
			if claim.Status != ledger.Applied {
				t.Errorf("in the end: %+v", claim.Mutable)
			}
			anew := lost.call(t, "apply_set_value", apply)
			if u := lost.call(t, "undo_set_value", map[string]string{"change_id": p.ChangeID, "undo_token": anew.UndoToken}); u.Status != "undone" {
				t.Errorf("an undo by the host that was cut off: %s", u.raw)
			}
			if r := hosts.settled(t, other, p.ChangeID); r.Holder == claim.Holder {
				t.Error("it claims with the hold that it has lost")
			}
			_ = lost.stdin.Close()
			lost.wantEnd(t)
			if diff := cmp.Diff(tally{"apply once": 1, "undo once": 1}, bodiesThatRan(t, hosts.directory)); diff != "" {
				t.Errorf("bodies (-want +got):\n%s", diff)
			}
			if !strings.Contains(lost.log.String(), "has not heard of this process for too long") {
				t.Errorf("its operator is not told:\n%s", lost.log)
			}
		})
	}
}

func wantCause(t *testing.T, hosts *hostSet) {
	t.Helper()
	cause, err := os.ReadFile(filepath.Join(hosts.directory, causeFile))
	if err != nil || !strings.Contains(string(cause), "has not heard of this process for too long") {
		t.Errorf("the context of the body ended with: %s, %v", cause, err)
	}
}

// settled waits until a change is in doubt no more.
func (h *hostSet) settled(t *testing.T, at *host, id string) ledger.Record {
	t.Helper()
	for at.call(t, "get_change_status", map[string]string{"change_id": id}).InDoubt {
		if t.Context().Err() != nil {
			t.Fatal("it stays in doubt")
		}
	}
	r, _, err := openLedgerAt(t, h.ledger, nil).Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
