package sqlite

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/gofrs/flock"
)

const (
	holdPrefix  = "hold_"
	randomBytes = 16 // of randomness in a name
)

// held keeps every hold of this process reachable until it is released. A lock whose file is garbage is let go, and its
// holder would be taken for gone while it lives.
var held sync.Map

// hold is a locked file beside the ledger. The system lets the lock go exactly when the process is gone.
type hold struct {
	store     *Store
	name      string
	lock      *flock.Flock
	releasing sync.Mutex
}

var _ ledger.Hold = (*hold)(nil)

// errLooked says that somebody looks whether the holder of a new file lives, and has locked it for that moment.
var errLooked = errors.New("somebody looks at it")

// Hold implements ledger.Store. It waits for its turn as a write does, so that nobody takes the file for a dead one
// before it is locked.
func (s *Store) Hold(ctx context.Context) (ledger.Hold, error) {
	wait := s.patience(ctx)
	defer wait.end()
	done, err := s.exclude(wait)
	if err != nil {
		return nil, err
	}
	defer done()
	for {
		// Under another name each time: who looks may have been stopped in the middle of it.
		h, err := s.makeHold(newHoldName())
		switch {
		case err == nil:
			return h, nil
		case !errors.Is(err, errLooked):
			return nil, err
		case pause(wait, lockPoll) != nil:
			return nil, s.gaveUp(wait, "making a file that shows that this process lives, while others look at it")
		}
	}
}

// makeHold makes a locked file, or none.
func (s *Store) makeHold(name string) (*hold, error) {
	h := &hold{store: s, name: name, lock: flock.New(s.holdPath(name), flock.SetFlag(os.O_RDWR))}
	err := makeBeside(s.path, h.lock.Path())
	if err == nil {
		noteHold(h.lock.Path())
		err = lockNew(h.lock)
	}
	if err == nil {
		// A file that a power loss takes along would leave its claims unsettled until somebody looks.
		err = syncDirectory(filepath.Dir(s.path))
	}
	if err != nil {
		return nil, errors.Join(unavailable(s.path, "make "+h.lock.Path(), err), h.lock.Unlock(), s.removeHold(name))
	}
	held.Store(name, h)
	return h, nil
}

// lockNew locks a file that nobody but those who look can have locked.
func lockNew(lock *flock.Flock) error {
	locked, err := lock.TryLock()
	if err == nil && !locked {
		err = errLooked
	}
	return err
}

// Name implements ledger.Hold.
func (h *hold) Name() string { return h.name }

// Lost implements ledger.Hold. The system lets the lock go with the process, and not before.
func (h *hold) Lost() <-chan struct{} { return nil }

// Release implements ledger.Hold. The file stays while claims are open, as the proof that their holder is gone; a later
// Open removes it. Releasing again does nothing, unless it failed.
func (h *hold) Release() error {
	h.releasing.Lock()
	defer h.releasing.Unlock()
	if _, mine := held.Load(h.name); !mine {
		return nil
	}
	open, err := h.store.openClaims(context.Background(), h.name)
	if err := h.lock.Unlock(); err != nil {
		return unavailable(h.store.path, "release "+h.name, err)
	}
	if err == nil && open == 0 { // else it is not known to be unneeded
		if err := h.store.removeHold(h.name); err != nil {
			return err
		}
	}
	held.Delete(h.name)
	return nil
}

// Holder implements ledger.Store.
func (s *Store) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	if err := ctx.Err(); err != nil {
		return ledger.Unknown, err
	}
	if !isHoldName(name) {
		return ledger.Unknown, nil
	}
	liveness, err := probeHold(s.holdPath(name))
	if err != nil {
		return ledger.Unknown, unavailable(s.path, "look at "+name, err)
	}
	return liveness, nil
}

// probeHold tries the lock of a holder. It asks for a shared lock, so that two that ask at once do not take each other
// for the holder.
func probeHold(path string) (ledger.Liveness, error) {
	probe := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := probe.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ledger.Unknown, nil
	case err != nil:
		return ledger.Unknown, err
	case !free:
		return ledger.Alive, nil
	}
	return ledger.Gone, probe.Unlock()
}

// removeDeadHolds removes the files of holders that are gone and have left nothing open. Nobody else may be writing.
func (s *Store) removeDeadHolds(ctx context.Context) error {
	names, err := s.holds()
	if err != nil {
		return unavailable(s.path, "look for old holders", err)
	}
	for _, name := range names {
		if err := s.removeIfDead(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// holds are the names of all holders that have a file, alive or not.
func (s *Store) holds() (names []string, err error) {
	files, err := os.ReadDir(filepath.Dir(s.path))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if name, beside := strings.CutPrefix(file.Name(), filepath.Base(s.path)+"."); beside && isHoldName(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (s *Store) removeIfDead(ctx context.Context, name string) error {
	liveness, err := s.Holder(ctx, name)
	if err != nil || liveness != ledger.Gone {
		return err
	}
	open, err := s.openClaims(ctx, name)
	if err != nil || open > 0 {
		return err
	}
	return s.removeHold(name)
}

func (s *Store) removeHold(name string) error {
	if err := os.Remove(s.holdPath(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(s.path, "remove "+name, err)
	}
	return nil
}

func (s *Store) holdPath(name string) string { return s.path + "." + name }

// newHoldName is a name that no holder had and none will have.
func newHoldName() string { return holdPrefix + randomDigits() }

// randomDigits are digits that nobody draws twice.
func randomDigits() string {
	random := make([]byte, randomBytes)
	rand.Read(random) // never fails
	return hex.EncodeToString(random)
}

// isHoldName keeps names that come from records from leading to other files.
func isHoldName(name string) bool { return hasDigits(name, holdPrefix) }

// hasDigits tells whether a name is that prefix and digits that were drawn.
func hasDigits(name, prefix string) bool {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok || len(digits) != hex.EncodedLen(randomBytes) {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}
