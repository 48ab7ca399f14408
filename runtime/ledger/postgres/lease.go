package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
	"github.com/jackc/pgx/v5"
)

// lease is how long a registration lasts by the clock of the database, how often it is renewed, and how long after the latest
// renewal began, by the clock of this process, it is taken to be lost. Whoever lost it has the rest of the lease to bring to
// an end what it carries out.
type lease struct{ length, renewal, loss time.Duration }

const (
	holdPrefix  = "hold_"
	randomBytes = 16 // of randomness in a name
)

// hold is a row that says how long its process is to be taken for alive, and a goroutine that renews it.
type hold struct {
	*options
	pool *sharedPool
	name string
	kept *term

	releasing sync.Mutex
	released  bool
	given     sync.Once
	ending    chan struct{} // closed when it is given up: nothing is renewed any more
}

var _ ledger.Hold = (*hold)(nil)

const (
	// oldHolder is how long holders that are over and have nothing open are remembered, in milliseconds.
	oldHolder = 24 * 60 * 60 * 1000

	// registerSQL also forgets old holders. What claims were left by one of a name that nobody knows is never said to be gone.
	registerSQL = `, forgotten AS (
	DELETE FROM changesetgen.holders AS h WHERE h.until < ` + present + ` - ?::bigint
		AND NOT EXISTS (SELECT FROM changesetgen.changes AS c WHERE c.` + selection.IsOpen + ` AND c.holder = h.name)
)
INSERT INTO changesetgen.holders (name, host, pid, heard_at, until)
SELECT ?, ?, ?::bigint, ` + present + `, ` + present + ` + ?::bigint FROM settings WHERE NOT ` + isOutdated

	// renewSQL has no effect on a lease that is over: others may have found out.
	renewSQL = `
UPDATE changesetgen.holders SET heard_at = ` + present + `, until = ` + present + ` + ?::bigint
FROM settings WHERE name = ? AND over_at IS NULL AND until > ` + present

	// overSQL locks the row against claims, which share it, so that those that were made before are there to be seen
	// afterwards, and none is made any more.
	overSQL = `, found AS (
	SELECT h.name FROM settings CROSS JOIN changesetgen.holders AS h
	WHERE h.name = ? AND h.over_at IS NULL AND (h.until <= ` + present + ` OR ?::boolean) FOR UPDATE OF h
)
UPDATE changesetgen.holders AS h SET over_at = ` + present + ` FROM found WHERE h.name = found.name`
)

// Hold implements ledger.Store. The registration is renewed until Release, also when the store is closed.
func (s *Store) Hold(ctx context.Context) (ledger.Hold, error) {
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	h := &hold{options: &s.options, pool: s.holds, name: newHoldName(), ending: make(chan struct{})}
	h.pool.join()
	process, began := upkeep.ThisProcess(), time.Now()
	n, err := s.exec(ctx, s.holds.Pool, s.patience(), "register a holder", registerSQL,
		oldHolder, h.name, stored(process.Host), process.PID, s.lease.length.Milliseconds(), s.programSchema())
	if err == nil && n == 0 {
		err = s.read(ctx, "read the account", func(ctx context.Context, db reader) error { return s.whyOutdated(ctx, db) })
	}
	if err != nil {
		h.pool.leave()
		return nil, err
	}
	h.kept = newTerm(s.lease.loss, began, h.tellLost)
	go h.keep()
	return h, nil
}

// keep renews the registration until it is given up, or lost.
func (h *hold) keep() {
	for wait := h.lease.renewal; h.sleep(wait); {
		began := time.Now()
		n, err := h.renew()
		switch {
		case err != nil:
			h.kept.fail(err)
			wait = h.lease.renewal / renewalAttempts
		case n == 1:
			h.kept.renew(began)
			wait = h.lease.renewal
		case h.isReleased(): // which is why it was refused
			return
		default:
			h.kept.fail(errLapsed)
			h.kept.lose()
		}
	}
}

// isReleased tells whether the hold is released, once whoever releases it is done.
func (h *hold) isReleased() bool {
	h.releasing.Lock()
	defer h.releasing.Unlock()
	return h.released
}

// renewalAttempts is how many times as often a renewal is tried that failed.
const renewalAttempts = 10

// sleep tells whether the hold is still wanted then, and is not lost.
func (h *hold) sleep(d time.Duration) bool {
	select {
	case <-h.ending:
		return false
	case <-h.kept.judged():
		return false
	case <-time.After(d):
		return true
	}
}

// renew tells how many registrations it has renewed: one, or none that is over. It leaves as much time for others as it takes
// itself: a connection may have gone silent. Then all that are there may have, and the next is a new one.
func (h *hold) renew() (int64, error) {
	limit := h.kept.left() / 2
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	n, err := h.exec(ctx, h.pool.Pool, limit, "renew "+h.name, renewSQL, h.lease.length.Milliseconds(), h.name)
	if errors.Is(err, errUndecided) {
		h.pool.Reset()
	}
	return n, err
}

var (
	// errLapsed is a renewal that came too late.
	errLapsed = errors.New("its lease was over in the database when it was to be renewed")
	// errUnrenewed is why a hold is lost of which no renewal has failed.
	errUnrenewed = errors.New("no renewal came through in time: this process was stopped, its host slept, or is too slow")
)

// tellLost says what the latest renewal met with, if that failed.
func (h *hold) tellLost(met error) {
	met = cmp.Or(met, errUnrenewed)
	h.logger.Warn("the registration of a holder was lost; no claim is made with it any more", "ledger", h.String(), "holder", h.name, "error", met)
}

// Name implements ledger.Hold.
func (h *hold) Name() string { return h.name }

// Lost implements ledger.Hold. Whoever asks is told what the clocks say at that moment.
func (h *hold) Lost() <-chan struct{} { return h.kept.judged() }

// Release implements ledger.Hold. Whatever it comes to, nothing is renewed from then on: where the server cannot be told, the lease
// ends by itself.
func (h *hold) Release() error {
	h.releasing.Lock()
	defer h.releasing.Unlock()
	h.given.Do(func() {
		h.kept.end()
		close(h.ending)
	})
	if h.released {
		return nil
	}
	if _, err := h.exec(context.Background(), h.pool.Pool, h.patience(), "release "+h.name, overSQL, h.name, true); err != nil {
		return err
	}
	h.released = true
	h.pool.leave()
	return nil
}

// Holder implements ledger.Store. It is the first to ask after the end of a lease who writes down that the holder is over, and
// that is then so for ever, whatever becomes of the clock of the database.
func (s *Store) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	if !isHoldName(name) {
		return ledger.Unknown, ctx.Err()
	}
	said, lapsed, err := s.holder(ctx, name)
	if err != nil || !lapsed || s.looks {
		return said, err
	}
	if _, err := s.exec(ctx, s.pool, s.patience(), "look at "+name, overSQL, name, false); err != nil {
		return ledger.Unknown, err
	}
	said, _, err = s.holder(ctx, name)
	return said, err
}

const holderSQL = "SELECT over_at IS NOT NULL, until <= " + present + " FROM changesetgen.holders WHERE name = $1"

// holder is what is written of a holder. Of one whose lease has lapsed it is not known whether it can still be renewed.
func (s *Store) holder(ctx context.Context, name string) (said ledger.Liveness, lapsed bool, err error) {
	err = s.read(ctx, "look at "+name, func(ctx context.Context, db reader) error {
		var over bool
		err := db.QueryRow(ctx, s.in(holderSQL), name).Scan(&over, &lapsed)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			said = ledger.Unknown
			return nil
		case over:
			said, lapsed = ledger.Gone, false
		case !lapsed:
			said = ledger.Alive
		}
		return err
	})
	return said, lapsed, err
}

// newHoldName is a name that no holder had and none will have.
func newHoldName() string {
	random := make([]byte, randomBytes)
	rand.Read(random) // never fails
	return holdPrefix + hex.EncodeToString(random)
}

// isHoldName tells whether a holder may have been registered under that name.
func isHoldName(name string) bool {
	digits, ok := strings.CutPrefix(name, holdPrefix)
	return ok && len(digits) == hex.EncodedLen(randomBytes) && strings.Trim(digits, "0123456789abcdef") == ""
}
