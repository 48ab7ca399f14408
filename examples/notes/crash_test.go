package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/gofrs/flock"
)

// What a killed server left is found out by looking: if what was asked for is there, the change is applied. If it is
// not, nobody can know that it will not arrive, and an operator decides.
func TestChangeOfAKilledServerIsFoundOut(t *testing.T) {
	t.Parallel()
	for operation, test := range map[string]struct {
		args rig.Args
		land func(note string) error // makes it as if the write had been made
	}{
		"write_note":  {rig.Args{"name": "note", "text": "new"}, func(note string) error { return os.WriteFile(note, []byte("new"), 0o600) }},
		"rename_note": {rig.Args{"name": "note", "new_name": "other"}, func(note string) error { return os.Rename(note, filepath.Join(filepath.Dir(note), "other.md")) }},
		"delete_note": {rig.Args{"name": "note"}, os.Remove},
	} {
		for _, landed := range []bool{true, false} {
			t.Run(operation+map[bool]string{true: " that landed", false: " that did not"}[landed], func(t *testing.T) {
				t.Parallel()
				place := newPlace(t)
				put(t, place.notes, "note.md", "old")
				preview := killInApply(t, place, operation, test.args)
				want := string(ledger.Applying)
				if landed {
					want = string(ledger.Applied)
					if err := test.land(filepath.Join(place.notes, "note.md")); err != nil {
						t.Fatal(err)
					}
				}
				server := place.serve(t)
				if landed {
					rig.AwaitStatus(t, server, preview, ledger.Applied) // an agent waits for no look that takes long
				}
				status := rig.Call(t, server, "get_change_status", rig.Args{"change_id": preview.ChangeID}, want)
				if status.InDoubt == landed {
					t.Errorf("in doubt: %t\n%s", status.InDoubt, status.Text)
				}
				rig.Call(t, server, "apply_"+operation, rig.Approval(preview), map[bool]string{true: string(runtime.CodeAlreadyUsed), false: string(runtime.CodeInDoubt)}[landed])
			})
		}
	}
}

// killInApply kills a server whose body waits for the lock of the folder, so that the change is claimed and not written.
func killInApply(t *testing.T, place place, operation string, args rig.Args) *client.Answer {
	t.Helper()
	command := place.command()
	command.Stderr = t.Output()
	server, err := client.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(place.notes, lockFile))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	preview := rig.Call(t, server, "preview_"+operation, args, "preview")
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = server.Call(t.Context(), "apply_"+operation, rig.Approval(preview)) // the server dies without an answer
	}()
	rig.AwaitStatus(t, server, preview, ledger.Applying)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	<-gone
	return preview
}
