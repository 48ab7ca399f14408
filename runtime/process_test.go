package runtime_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The environment of a process that is a server and not a test.
const (
	serveIn  = "CHANGESET_TEST_SERVE"  // the directory of the target
	raceIn   = "CHANGESET_TEST_RACE"   // the directory of the target of a server for the race
	ledgerAt = "CHANGESET_TEST_LEDGER" // the address of the ledger; without it, it is a file in the directory of the target
	stopAt   = "CHANGESET_TEST_STOP"   // where it says that it is there, and stops
	nowIs    = "CHANGESET_TEST_NOW"    // the time that its ledger shows; without it, that of the host
	joins    = "CHANGESET_TEST_JOIN"   // not empty: its target is in the ledger, and its bodies are joined
)

// serverTTL is how long the previews of a server in a process of its own hold.
const serverTTL = 10 * time.Minute

// Where a server can be told to stop: in a body, before its write or after it. Besides there are the points of a transition
// and of the looks between two.
const (
	atApply    = "apply, before the write"
	wroteApply = "apply, after the write"
	atUndo     = "undo, before the write"
	wroteUndo  = "undo, after the write"
)

// before, after and looking name the points around the transition to a status.
func before(to ledger.Status) string  { return "before it is " + string(to) }
func after(to ledger.Status) string   { return "after it is " + string(to) }
func looking(at ledger.Status) string { return "in a look while it is " + string(at) }

// The files a server is given besides the standard ones.
const (
	reachedFile = 3 // it writes a byte when it has come to where it stops
	goOnFile    = 4 // it goes on when this is closed
)

func TestMain(m *testing.M) {
	var err error
	switch ctx := context.Background(); {
	case os.Getenv(serveIn) != "":
		err = serve(ctx, sharedIn(serveIn), os.Getenv(stopAt))
	case os.Getenv(hostIn) != "":
		err = serveHost(ctx, sharedIn(hostIn))
	case os.Getenv(raceIn) != "":
		err = serveRace(ctx, sharedIn(raceIn))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is the main of a server over stdio.
func serve(ctx context.Context, in shared, stop string) error {
	clock, err := serverClock()
	if err != nil {
		return err
	}
	store, err := openAt(ctx, in.ledger, clock)
	if err != nil {
		return err
	}
	defer store.Close()
	db, operationOver := (*sql.DB)(nil), newOperation
	if in.joined {
		db, err = openJoinedTarget(ctx, in.ledger)
		operationOver = joinedOperation
	} else {
		db, err = openTarget(filepath.Join(in.directory, "target.db"))
	}
	if err != nil {
		return err
	}
	defer db.Close()
	s := &stopper{Store: store, at: stop}
	guard, err := runtime.NewGuard(ctx, runtime.Options{
		Store: s, WriteMode: runtime.Guarded, TTL: serverTTL, Timeout: patience, ShutdownGrace: patience,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	other, err := runtime.NewGuard(ctx, runtime.Options{Store: store})
	if err != nil {
		return err
	}
	if err := closeInTheEnd(ctx, other); err != nil { // one guard that closes takes nothing from another
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "settings", Version: "1"}, nil)
	operation := operationOver(db)
	operation.DoneWhen, operation.UndoWithoutResult = asAsked, true
	if err := guard.Register(server, settings, s.stopping(operation)); err != nil {
		return err
	}
	return errors.Join(server.Run(ctx, runtime.StdioTransport()), closeInTheEnd(ctx, guard))
}

// serverClock stands still at the time that the environment says; nil is the host's.
func serverClock() (func() time.Time, error) {
	text := os.Getenv(nowIs)
	if text == "" {
		return nil, nil
	}
	now, err := time.Parse(time.RFC3339Nano, text)
	return func() time.Time { return now.Local() }, err
}

// stopper stops at one point of a change, once it has said so.
type stopper struct {
	ledger.Store
	at   string
	last atomic.Value // the status that the last transition led to
}

func (s *stopper) reach(point string) {
	if point != s.at {
		return
	}
	reached, goOn := os.NewFile(reachedFile, "reached"), os.NewFile(goOnFile, "go on")
	_, _ = reached.Write([]byte{1})
	_, _ = io.Copy(io.Discard, goOn)
}

func (s *stopper) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	s.reach(before(e.To))
	err := s.Store.Swap(ctx, r, notAfter, e, caps...)
	s.last.Store(e.To)
	s.reach(after(e.To))
	return err
}

func (s *stopper) Join(ctx context.Context, body func(context.Context) (ledger.Record, ledger.Event, error)) error {
	var to ledger.Status
	err := s.Store.(ledger.Joiner).Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		r, e, err := body(ctx)
		if err == nil {
			to = e.To
			s.reach(before(to))
		}
		return r, e, err
	})
	s.reach(after(to))
	return err
}

// JoinLimit leaves a body that has stopped the time until it is killed.
func (s *stopper) JoinLimit() time.Duration { return 0 }

func (s *stopper) stopping(o *setOperation) *setOperation {
	observe, apply, undo := o.Observe, o.Apply, o.Undo
	o.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
		if last, ok := s.last.Load().(ledger.Status); ok {
			s.reach(looking(last))
		}
		return observe(ctx, p)
	}
	o.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
		s.reach(atApply)
		result, err := apply(ctx, c)
		s.reach(wroteApply)
		return result, err
	}
	o.Undo = func(ctx context.Context, c *setApplied) error {
		s.reach(atUndo)
		err := undo(ctx, c)
		s.reach(wroteUndo)
		return err
	}
	return o
}

// process is a server in a process of its own, with a client.
type process struct {
	*client
	command *exec.Cmd
	stdin   io.Closer
	stdout  io.Closer // the test's ends of what the server writes to
	stderr  io.Closer
	reached *os.File
	goOn    *os.File
	log     *bytes.Buffer // of stderr; to be read once the process has ended
	ended   chan error
}

// startProcess starts a server that stops at a point.
func startProcess(t *testing.T, in shared, stop string) *process {
	t.Helper()
	return startServer(t, append(in.environment(serveIn), stopAt+"="+stop)...)
}

// startServer starts this binary as a server that the environment tells what to be.
func startServer(t *testing.T, environment ...string) *process {
	t.Helper()
	p := &process{command: exec.Command(os.Args[0]), log: &bytes.Buffer{}, ended: make(chan error, 1)}
	p.command.Env = append(os.Environ(), environment...)
	reached, theirReached := pipe(t)
	theirGoOn, goOn := pipe(t)
	p.reached, p.goOn = reached, goOn
	p.command.ExtraFiles = []*os.File{theirReached, theirGoOn}
	stdin, err := p.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	fromServer, stdout := pipe(t)
	fromLog, stderr := pipe(t)
	p.command.Stdout, p.command.Stderr = stdout, stderr
	p.stdin, p.stdout, p.stderr = stdin, fromServer, fromLog
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	for _, theirs := range []*os.File{theirReached, theirGoOn, stdout, stderr} {
		_ = theirs.Close()
	}
	go func() {
		_, _ = io.Copy(p.log, fromLog) // until the process has ended, or the test does not listen any more
		p.ended <- p.command.Wait()
	}()
	t.Cleanup(p.kill)
	p.client = connect(t, &mcp.IOTransport{Reader: fromServer, Writer: stdin})
	return p
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	return r, w
}

// kill ends the process as a crash does, and waits until it is gone.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	select {
	case err := <-p.ended:
		p.ended <- err
	case <-time.After(patience):
	}
}

// stopped waits until the process has come to its point.
func (p *process) stopped(t *testing.T) {
	t.Helper()
	if err := p.reached.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.reached.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the server did not come to its point: %v", err)
	}
}

// wantEnd waits until the process has ended by itself, and well.
func (p *process) wantEnd(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("the server ended with %v:\n%s", err, p.log)
		}
		p.ended <- err
	case <-time.After(patience):
		t.Fatal("the server did not end")
	}
}

// toApply previews a change, and gives the arguments of its apply.
func (p *process) toApply(t *testing.T) map[string]string {
	t.Helper()
	r := p.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
	return map[string]string{"change_id": r.ChangeID, "confirmation_token": r.ConfirmationToken}
}

// toUndo applies a change, and gives the arguments of its undo.
func (p *process) toUndo(t *testing.T, apply map[string]string) map[string]string {
	t.Helper()
	r := p.call(t, "apply_set_setting", apply)
	return map[string]string{"change_id": r.ChangeID, "undo_token": r.UndoToken}
}

// crash calls a tool of a server that stops at a point, and kills it there.
func (p *process) crash(t *testing.T, tool string, arguments map[string]string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = p.try(context.Background(), tool, arguments)
	}()
	p.stopped(t)
	p.kill()
	<-done
}

// While a process lives its change is in flight for others; once it is gone the change is in doubt.
func TestClaimOfAnotherProcess(t *testing.T) {
	t.Parallel()
	in := inFiles(t.TempDir())
	target := openTargetDB(t, in.directory)
	holder, other := startProcess(t, in, atApply), startProcess(t, in, "")
	apply := holder.toApply(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = holder.try(context.Background(), "apply_set_setting", apply)
	}()
	holder.stopped(t)
	wantRefused(t, other.call(t, "apply_set_setting", apply), "in_flight")
	holder.kill()
	<-done
	wantRefused(t, other.call(t, "apply_set_setting", apply), "in_doubt")
	wantWrites(t, target, 0, "after the kill")
}

// Two hundred callers of four processes have one token. One body runs, and all others are told why theirs does not.
func TestTwoHundredAppliesFromFourProcessesRunOneBody(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		const processes, each = 4, 50
		in := kind.shared(t)
		target := openTargetDB(t, in.directory)
		var servers []*process
		for range processes {
			servers = append(servers, startProcess(t, in, ""))
		}
		apply := servers[0].toApply(t)
		wantOnce(t, callAtOnce(t, callersOf(servers, each), "apply_set_setting", apply), "applied")
		wantWrites(t, target, 1, "after all")
	})
}

// callersOf are so many callers of each server.
func callersOf(servers []*process, each int) (callers []*client) {
	for _, server := range servers {
		callers = append(callers, slices.Repeat([]*client{server.client}, each)...)
	}
	return callers
}

// callAtOnce has all callers make the same call, and counts the answers.
func callAtOnce(t *testing.T, callers []*client, tool string, arguments map[string]string) tally {
	t.Helper()
	answers, start := make(chan string), make(chan struct{})
	for _, c := range callers {
		go func() {
			<-start
			answers <- callOnce(t.Context(), c.session, tool, arguments)
		}()
	}
	close(start)
	counted := tally{}
	for range callers {
		counted[<-answers]++
	}
	return counted
}

// wantOnce checks that one caller was told that the call was carried out, and each other that it was before, or is being.
func wantOnce(t *testing.T, counted tally, carriedOut string) {
	t.Helper()
	if refused := counted["refused already_used"] + counted["refused in_flight"]; counted[carriedOut] != 1 || refused != counted.sum()-1 {
		t.Errorf("answers: %v", counted)
	}
}

// callOnce is the status of an answer, and the code of a refusal.
func callOnce(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]string) string {
	texts, err := textsOf(ctx, session, tool, arguments)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(texts["status"] + " " + texts["code"])
}

// textsOf makes a call, and gives the texts of its answer.
func textsOf(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	answer, texts := r.StructuredContent.(map[string]any), map[string]string{}
	for name, value := range answer {
		if text, ok := value.(string); ok {
			texts[name] = text
		}
	}
	return texts, nil
}

// A server whose stdin closes in the middle of an apply ends by itself once the body has ended, with all recorded.
func TestProcessWhoseInputEndsDrains(t *testing.T) {
	t.Parallel()
	in := inFiles(t.TempDir())
	target := openTargetDB(t, in.directory)
	leaving := startProcess(t, in, atApply)
	apply := leaving.toApply(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = leaving.try(context.Background(), "apply_set_setting", apply)
	}()
	leaving.stopped(t)
	if err := leaving.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	_ = leaving.goOn.Close()
	leaving.wantEnd(t)
	<-done
	wantWrites(t, target, 1, "after the end")
	again := startProcess(t, in, "")
	if s := again.call(t, "get_change_status", map[string]string{"change_id": apply["change_id"]}); s.Status != "applied" {
		t.Errorf("%s", s.raw)
	}
}

// A client that dies takes all three pipes with it. The server cannot write to any of them, not even to its log; the
// change that runs is recorded all the same, and the server ends.
func TestProcessWhoseClientDiesDrains(t *testing.T) {
	t.Parallel()
	in := inFiles(t.TempDir())
	target := openTargetDB(t, in.directory)
	left := startProcess(t, in, atApply)
	apply := left.toApply(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = left.try(context.Background(), "apply_set_setting", apply)
	}()
	left.stopped(t)
	for _, ours := range []io.Closer{left.stdout, left.stderr, left.stdin} {
		_ = ours.Close() // the client closes what it still has when it sees one of them closed
	}
	_ = left.goOn.Close()
	left.wantEnd(t)
	<-done
	wantWrites(t, target, 1, "after the end")
	again := startProcess(t, in, "")
	if s := again.call(t, "get_change_status", map[string]string{"change_id": apply["change_id"]}); s.Status != "applied" {
		t.Errorf("%s", s.raw)
	}
}
