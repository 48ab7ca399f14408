package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// raceFor is the environment variable that says how long the race runs; without it, it runs raceCycles a caller.
const raceFor = "CHANGESET_RACE_FOR"

const (
	raceCallers = 25 // of each process
	raceCycles  = 2
)

// Two processes serve one ledger, each to many callers at once. Each caller previews on its own server, and applies and
// undoes on both at the same moment. One of the two carries the change out; nobody is told that the ledger is busy; and
// no body runs without a claim that other programs can see.
func TestManyCallersOfTwoProcessesRunEachBodyOnce(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		in := kind.shared(t)
		runRace(t, in, startRacer(t, in), startRacer(t, in))
		in.wantIntact(t)
	})
}

// runRace lets the callers of two servers race, until both have ended.
func runRace(t *testing.T, in shared, servers ...*process) {
	t.Helper()
	goOn, start := raceLength(t), time.Now()
	counted := make(chan tally)
	for i := range servers {
		for n := range raceCallers {
			c := &racer{own: servers[i].session, other: servers[1-i].session, key: fmt.Sprintf("key-%d-%d", i, n), tally: tally{}}
			go func() {
				c.race(t, goOn)
				counted <- c.tally
			}()
		}
	}
	answers := tally{}
	for range len(servers) * raceCallers {
		answers.add(<-counted)
	}
	took := time.Since(start).Round(time.Second)
	for _, s := range servers {
		_ = s.stdin.Close()
		s.wantEnd(t)
	}
	cycles := answers["preview"]
	losers := answers["already_used"] + answers["in_flight"]
	bodies, records := bodiesThatRan(t, in.directory), recordsByStatus(t, in)
	t.Logf("%d changes in %v; answers %v; bodies %v; records %v", cycles, took, answers, bodies, records)
	if answers["applied"] != cycles || answers["undone"] != cycles || losers != 2*cycles || answers.sum() != 5*cycles {
		t.Errorf("the answers to %d changes do not add up: %v", cycles, answers)
	}
	if diff := cmp.Diff(tally{"apply once": cycles, "undo once": cycles}, bodies); diff != "" {
		t.Errorf("bodies of %d changes (-want +got):\n%s", cycles, diff)
	}
	// A loser who came when it was applied was given a new undo token, which is one more transition.
	if records["undone at revision 5"]+records["undone at revision 6"] != cycles || records.sum() != cycles {
		t.Errorf("records of %d changes: %v", cycles, records)
	}
}

// raceLength tells a caller that has made so many cycles whether to make another.
func raceLength(t *testing.T) (goOn func(cycles int) bool) {
	t.Helper()
	text := os.Getenv(raceFor)
	if text == "" {
		return func(cycles int) bool { return cycles < raceCycles }
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", raceFor, err)
	}
	end := time.Now().Add(length)
	return func(int) bool { return time.Now().Before(end) }
}

// tally counts by name.
type tally map[string]int

func (t tally) add(other tally) {
	for name, n := range other {
		t[name] += n
	}
}

func (t tally) sum() (all int) {
	for _, n := range t {
		all += n
	}
	return all
}

// racer is one caller, who alone uses its key. It counts the answers by status, and refusals by code.
type racer struct {
	own, other *mcp.ClientSession
	key        string
	tally      tally
}

func (c *racer) race(t *testing.T, goOn func(cycles int) bool) {
	for n := 0; goOn(n) && !t.Failed(); n++ {
		p := c.call(t, c.own, "preview_set_value", map[string]string{"key": c.key, "value": fmt.Sprint(n)})
		a := c.both(t, "apply_set_value", map[string]string{"change_id": p["change_id"], "confirmation_token": p["confirmation_token"]})
		c.both(t, "undo_set_value", map[string]string{"change_id": p["change_id"], "undo_token": a["undo_token"]})
	}
}

// both makes the same call on both servers at once, and gives the answer of the one that carried it out; or of the other,
// if that was given a new undo token after it.
func (c *racer) both(t *testing.T, tool string, arguments map[string]string) map[string]string {
	rival := &racer{tally: tally{}}
	var there map[string]string
	var calling sync.WaitGroup
	calling.Go(func() { there = rival.call(t, c.other, tool, arguments) })
	here := c.call(t, c.own, tool, arguments)
	calling.Wait()
	c.tally.add(rival.tally)
	winner, loser := here, there
	if here["status"] == "refused" {
		winner, loser = there, here
	}
	if loser["undo_token"] != "" {
		return loser
	}
	return winner
}

// call gives the texts of an answer.
func (c *racer) call(t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]string) map[string]string {
	texts, err := textsOf(t.Context(), session, tool, arguments)
	if err != nil {
		t.Errorf("%s of %s: %v", tool, c.key, err)
		return nil
	}
	switch code := texts["code"]; code {
	case "":
		c.tally[texts["status"]]++
	case "already_used", "in_flight":
		c.tally[code]++
	default:
		t.Errorf("%s of %s: %v", tool, c.key, texts)
	}
	return texts
}

// bodiesThatRan counts the bodies by what they were and how often they ran for one change.
func bodiesThatRan(t *testing.T, directory string) tally {
	t.Helper()
	bodies, often := tally{}, map[int]string{1: "once"}
	for line, times := range bodyLines(t, directory) {
		_, body, _ := strings.Cut(line, " ")
		name, ok := often[times]
		if !ok {
			name = fmt.Sprintf("%d times", times)
		}
		bodies[body+" "+name]++
	}
	return bodies
}

// bodyLines counts the bodies by their change and what they were.
func bodyLines(t *testing.T, directory string) tally {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, bodiesFile))
	if err != nil {
		t.Fatal(err)
	}
	ran := tally{}
	for line := range strings.Lines(string(text)) {
		ran[strings.TrimSuffix(line, "\n")]++
	}
	return ran
}

// recordsByStatus counts the records of the ledger of a race.
func recordsByStatus(t *testing.T, in shared) tally {
	t.Helper()
	store, err := in.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	records := tally{}
	for r, err := range ledger.All(t.Context(), store, ledger.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		records[fmt.Sprintf("%s at revision %d", r.Status, r.Revision)]++
	}
	return records
}
