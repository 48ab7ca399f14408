package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/google/go-cmp/cmp"
)

// patience is longer than anything here takes, on any machine.
const patience = time.Hour

// TestMain has writes wait until the test that holds them up lets them go on.
func TestMain(m *testing.M) {
	busyTimeout = patience
	rig.Main(m, run)
}

func TestServerPreviewsAppliesAndUndoesAChange(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server := place.serve(t, runtime.Guarded)
	db := openAt(t, place.database)

	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	if diff := cmp.Diff([]client.Row{{Field: "theme", Before: "light", After: "dark"}}, preview.Diff); diff != "" {
		t.Errorf("diff of the preview (-want +got):\n%s", diff)
	}
	wantStored(t, db, "theme", stored{"light", false, 1})

	done := rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(ledger.Applied))
	wantResult(t, done, 2)
	wantStored(t, db, "theme", stored{"dark", false, 2})

	again := rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(runtime.CodeAlreadyUsed))
	wantResult(t, again, 2)
	wantStored(t, db, "theme", stored{"dark", false, 2})

	// Whoever repeats an apply with its token may have lost the answer: the new undo token replaces the one in it.
	rig.Call(t, server, "undo_set_setting", rig.TakeBack(preview, done), string(runtime.CodeInvalidToken))
	rig.Call(t, server, "undo_set_setting", rig.TakeBack(preview, again), string(ledger.Undone))
	wantStored(t, db, "theme", stored{"light", false, 3})
}

func TestServerKeepsWritesOffUnlessTheyAreSwitchedOn(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server := place.serve(t, writesOff)
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(runtime.CodeWritesDisabled))
	wantStored(t, openAt(t, place.database), "theme", stored{"light", false, 1})
}

func TestServerOverwritesNothingThatChangedAfterThePreview(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server := place.serve(t, runtime.Guarded)
	db := openAt(t, place.database)
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	if _, err := db.Exec(`UPDATE settings SET value = 'blue', version = 2 WHERE key = 'theme'`); err != nil {
		t.Fatal(err)
	}
	refusal := rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(runtime.CodeStateChanged))
	if diff := cmp.Diff([]client.Changed{{Field: "value", Was: "light", Now: "blue"}}, refusal.Changed); diff != "" {
		t.Errorf("what has changed (-want +got):\n%s", diff)
	}
	wantStored(t, db, "theme", stored{"blue", false, 2})
}

func TestServerTellsTheAgentThatASettingIsLocked(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server := place.serve(t, runtime.Guarded)
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "timezone", "value": "CET"}, "preview")
	rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(runtime.CodeRefused))
	wantStored(t, openAt(t, place.database), "timezone", stored{"UTC", true, 1})
}

func TestServerFinishesAnApplyWhenStandardInputCloses(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	server, ending := place.serveUntilNoticed(t, endNotice)
	apply := applyBehindALock(t, server, place)
	apply.giveUp()
	closed := make(chan error, 1)
	go func() { closed <- server.Close() }()
	<-ending
	apply.unlock()
	if err := <-closed; err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
	wantAppliedOnce(t, place, apply.preview)
}

func TestServerFinishesAnApplyWhenASignalAsksForTheEnd(t *testing.T) {
	t.Parallel()
	if goruntime.GOOS == "windows" {
		t.Skip("Windows has no signal that asks a process to end")
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			place := newPlace(t)
			server, ending := place.serveUntilNoticed(t, endNotice)
			apply := applyBehindALock(t, server, place)
			apply.giveUp()
			if err := server.Signal(signal); err != nil {
				t.Fatal(err)
			}
			<-ending
			apply.unlock()
			if err := server.Close(); err != nil {
				t.Errorf("the server did not end well: %v", err)
			}
			wantAppliedOnce(t, place, apply.preview)
		})
	}
}

// A body that does not end does not keep the server from ending: nobody waits for it longer than the grace. Left to
// itself it would fail, once its database has been busy for too long, and the change would not be in doubt.
func TestServerLeavesAnApplyThatOutlivesTheGraceInDoubt(t *testing.T) {
	t.Parallel()
	for name, end := range ends() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := newPlace(t)
			command := place.command(runtime.Guarded)
			command.Args = append(command.Args, "--grace", "1ms")
			server := rig.Start(t, command, t.Output())
			preview := endInApply(t, server, place, end)
			wantInDoubt(t, place.serve(t, runtime.Guarded), preview)
		})
	}
}

// ends are what makes a server end while it applies a change.
func ends() map[string]func(*client.Server, heldApply) error {
	all := map[string]func(*client.Server, heldApply) error{
		"the client leaves": func(server *client.Server, apply heldApply) error {
			apply.giveUp()
			return server.Close()
		},
	}
	if goruntime.GOOS != "windows" { // it has no signal that asks a process to end
		all["a signal while the client waits"] = func(server *client.Server, _ heldApply) error {
			return errors.Join(server.Signal(syscall.SIGTERM), server.Wait())
		}
	}
	return all
}

// endInApply makes a server end while it applies a change, and expects it to end well.
func endInApply(t *testing.T, server *client.Server, place place, end func(*client.Server, heldApply) error) (preview *client.Answer) {
	t.Helper()
	apply := applyBehindALock(t, server, place)
	if err := end(server, apply); err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
	apply.giveUp()
	apply.unlock()
	return apply.preview
}

// wantInDoubt asks a new server what became of a change.
func wantInDoubt(t *testing.T, server *client.Server, preview *client.Answer) {
	t.Helper()
	status := rig.Call(t, server, "get_change_status", rig.Args{"change_id": preview.ChangeID}, string(ledger.Applying))
	if !status.InDoubt {
		t.Errorf("the change is not in doubt:\n%s", status.Text)
	}
}

// heldApply is an apply whose write waits.
type heldApply struct {
	preview *client.Answer
	giveUp  func() // the client does not wait any longer
	unlock  func() // the write does not wait any longer
}

// applyBehindALock begins an apply whose write waits for another's.
func applyBehindALock(t *testing.T, server *client.Server, place place) heldApply {
	t.Helper()
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	locked := lock(t, place.database)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = server.Call(ctx, "apply_set_setting", rig.Approval(preview)) // no test waits for the answer
	}()
	rig.AwaitStatus(t, server, preview, ledger.Applying)
	return heldApply{
		preview: preview,
		giveUp: func() {
			cancel()
			<-gone
		},
		unlock: func() {
			if _, err := locked.ExecContext(t.Context(), `ROLLBACK`); err != nil {
				t.Error(err)
			}
		},
	}
}

// lock takes the write lock of a database, on a connection of its own.
func lock(t *testing.T, database string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, err := conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	return conn
}

// wantAppliedOnce looks, with a new server, at what became of a change.
func wantAppliedOnce(t *testing.T, place place, preview *client.Answer) {
	t.Helper()
	wantStored(t, openAt(t, place.database), "theme", stored{"dark", false, 2})
	server := place.serve(t, runtime.Guarded)
	rig.Call(t, server, "get_change_status", rig.Args{"change_id": preview.ChangeID}, string(ledger.Applied))
}

// place is where a server keeps its files.
type place struct{ database, ledger string }

func newPlace(t *testing.T) place {
	t.Helper()
	dir := t.TempDir()
	return place{database: filepath.Join(dir, "settings.db"), ledger: filepath.Join(dir, "ledger", "settings.db")}
}

// serve starts the server on the files of the place.
func (p place) serve(t *testing.T, mode runtime.WriteMode) *client.Server {
	t.Helper()
	return rig.Start(t, p.command(mode), t.Output())
}

// serveUntilNoticed starts the server with writes on. The channel is closed when it logs the notice.
func (p place) serveUntilNoticed(t *testing.T, notice string) (*client.Server, <-chan struct{}) {
	t.Helper()
	log := &watchedLog{out: t.Output(), notice: notice, noticed: make(chan struct{})}
	return rig.Start(t, p.patientCommand(), log), log.noticed
}

// command starts the server on the files of the place.
func (p place) command(mode runtime.WriteMode) *exec.Cmd {
	return rig.Command("--db", p.database, "--ledger", p.ledger, "--write-mode", string(mode))
}

// patientCommand starts the server with writes on, which waits for those that run at the end.
func (p place) patientCommand() *exec.Cmd {
	command := p.command(runtime.Guarded)
	command.Args = append(command.Args, "--grace", patience.String())
	return command
}

// watchedLog passes a log on, and closes noticed when the notice has been in it.
type watchedLog struct {
	out     io.Writer
	notice  string
	noticed chan struct{}
	seen    strings.Builder
	once    sync.Once
}

// Write implements io.Writer, for one writer at a time.
func (l *watchedLog) Write(p []byte) (int, error) {
	l.seen.Write(p)
	if strings.Contains(l.seen.String(), l.notice) {
		l.once.Do(func() { close(l.noticed) })
	}
	return l.out.Write(p)
}

func wantResult(t *testing.T, answer *client.Answer, version int64) {
	t.Helper()
	var got struct{ Version int64 }
	if err := json.Unmarshal(answer.Result, &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != version {
		t.Errorf("the result has version %d, want %d", got.Version, version)
	}
}

// The client of the SDK cannot send a line that is no JSON, so this one writes its lines itself.
func TestServerRefusesALineThatIsNoJSONAndGoesOn(t *testing.T) {
	t.Parallel()
	command := newPlace(t).command(runtime.Guarded)
	command.Stderr = t.Output()
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for _, exchange := range []struct{ line, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"lines","version":"1"}}}`, `"id":1`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"preview_set_setting","arguments":{"key":"theme","value":NaN}}}`,
			`"pointer":"/value"`},
		{`what is this?`, `"id":null`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"preview_set_setting","arguments":{"key":"theme","value":"dark"}}}`,
			`"confirmation_token"`},
	} {
		if _, err := io.WriteString(in, exchange.line+"\n"); err != nil {
			t.Fatal(err)
		}
		if exchange.want == "" {
			continue
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), exchange.want) {
			t.Errorf("%s: answered %s, want %s", exchange.line, answers.Text(), exchange.want)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if answers.Scan() {
		t.Errorf("the server says %s after the end", answers.Text())
	}
	if err := command.Wait(); err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
}

// A client that dies takes all three pipes with it, the log too.
func TestServerFinishesAnApplyWhenItsClientDies(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	log, theirLog, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := place.patientCommand()
	command.Stderr = theirLog
	server, err := client.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	if err := theirLog.Close(); err != nil {
		t.Fatal(err)
	}
	apply := applyBehindALock(t, server, place)
	apply.giveUp()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- server.Close() }()
	apply.unlock()
	if err := <-closed; err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
	wantAppliedOnce(t, place, apply.preview)
}
