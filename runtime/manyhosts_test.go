package runtime_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// shortLease is that of a host which is cut off: nobody waits for longer than a test can. A machine that is too slow to keep it
// until then is given a longer one.
const shortLease = 3 * time.Second

// cutOffHost is a host that is cut off in the middle of a body.
type cutOffHost struct {
	stays  string
	others string // what the others are told once it is gone
}

// A host that is cut off in the middle of a body has its body told to end. The others take it for gone and look at what it
// left, and nobody runs that again. What the body says in the end settles the change, unless they have.
func TestHostThatIsCutOffRunsNothingTwice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]cutOffHost{
		"before its write": {beforeItsWrite, "refused in_doubt"},
		"after its write":  {afterItsWrite, "refused already_used"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for lease := shortLease; lease < patience; lease *= 3 {
				if kept, problems := test.play(t, lease); kept {
					for _, problem := range problems {
						t.Error(problem)
					}
					return
				}
				t.Logf("a lease of %s was lost before its host was cut off, or once more after that", lease)
			}
			t.Error("the machine keeps no lease")
		})
	}
}

// play cuts a host off once, and tells whether it kept its lease but for that, and what went wrong.
func (c cutOffHost) play(t *testing.T, lease time.Duration) (kept bool, problems []string) {
	t.Helper()
	want := func(what, got string, oneOf ...string) {
		if !slices.Contains(oneOf, got) {
			problems = append(problems, fmt.Sprintf("%s: %s, want one of %q", what, got, oneOf))
		}
	}
	hosts := newHosts(t)
	lost, other := hosts.start(t, hostStays+"="+c.stays, hostLease+"="+lease.String()), hosts.start(t)
	p := lost.call(t, "preview_set_value", map[string]string{"key": "k", "value": "v"})
	apply := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
	answer := later(t, lost.client, "apply_set_value", apply)
	lost.stopped(t)
	if told := callOnce(t.Context(), other.session, "apply_set_value", apply); told != "refused in_flight" {
		t.Logf("while its body runs another is told: %s", told)
		lost.stopped(t) // though it was not cut off
		return false, nil
	}
	lost.route.cut()
	lost.stopped(t)
	wantCause(t, hosts)
	want("another once it is gone", other.toldInTheEnd(t, apply, c.others), c.others)
	lost.route.mend()
	_ = lost.goOn.Close()
	// As the body says, if it ends in the time that it has for that, and nobody has settled the change.
	own := <-answer
	want("its own caller", own.Status+" "+own.Code, "applied ", "refused in_doubt", "refused already_used")
	claim := hosts.settled(t, other, p.ChangeID)
	want("the change in the end", string(claim.Status), string(ledger.Applied))
	anew := lost.call(t, "apply_set_value", apply)
	undo := map[string]string{"change_id": p.ChangeID, "undo_token": anew.UndoToken}
	want("an undo by the host that was cut off", callOnce(t.Context(), lost.session, "undo_set_value", undo), "undone")
	if r := hosts.settled(t, other, p.ChangeID); r.Holder == claim.Holder {
		problems = append(problems, "it claims with the hold that it has lost")
	}
	_ = lost.stdin.Close()
	lost.wantEnd(t)
	if diff := cmp.Diff(tally{"apply once": 1, "undo once": 1}, bodiesThatRan(t, hosts.directory)); diff != "" {
		problems = append(problems, "bodies (-want +got):\n"+diff)
	}
	losses := strings.Count(lost.log.String(), "what it carries out is told to end")
	if losses == 0 {
		problems = append(problems, "its operator is not told:\n"+lost.log.String())
	}
	return losses <= 1, problems
}

// toldInTheEnd is what a caller is told of a claim whose holder is gone, once that is known and the change was looked at. For
// that no call waits any longer than for some seconds.
func (h *host) toldInTheEnd(t *testing.T, apply map[string]string, want string) (told string) {
	t.Helper()
	patient, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for patient.Err() == nil && told != want {
		told = callOnce(t.Context(), h.session, "apply_set_value", apply)
	}
	return told
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
	patient, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for at.call(t, "get_change_status", map[string]string{"change_id": id}).InDoubt {
		if patient.Err() != nil {
			t.Fatal("it stays in doubt")
		}
	}
	r, _, err := openLedgerAt(t, h.ledger, nil).Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
