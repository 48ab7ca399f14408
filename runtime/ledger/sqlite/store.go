package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

// Store is a ledger in a SQLite file. It is safe for concurrent use.
type Store struct {
	path string
	options

	queue   *gather.Queue[*write] // of the writes of this process; who has its slot is the only one that writes
	crowd   int                   // how many writes were in the batch before; who has the slot of the queue guards it
	turn    turn
	access  access
	place   place
	mark    markFile
	seen    progress
	log     keptLog
	key     atomic.Pointer[key] // nil until it was asked for
	writer  *writer
	reading sync.RWMutex // held for reading by each read, so that Close can wait for them
	readers *readers

	opened  bool  // whole
	altered error // how the ledger is not as it was when it was closed, for who only looks; else nil
	closing sync.Once
	closed  chan struct{}
	failure error // of Close
}

var _ ledger.Store = (*Store)(nil)

// Open opens the ledger in the file at path and makes it if there is none. It waits for its turn. A path that begins with
// ~/ is one in the home directory.
//
// ErrUnsupported says that the file, its directory or its file system must not be used, or that another program or a
// newer version wrote it; ErrCorrupt that it is damaged, empty, not as it was when it was closed, or without its latest
// writes, or that it is missing while other files say that it was there; ErrUnavailable that its disk is full, fails, or
// cannot be written; ErrBusy that others keep it from its turn, or that this program would make of it what a server which
// lives could not use. None of them changes the file: a ledger is never made in the place of one that was there. A new
// one is made under another name and then renamed, so that an empty file is never a ledger.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	path, err := locate(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, options: newOptions(opts), closed: make(chan struct{})}
	s.queue, s.turn, s.mark = s.newQueue(), newTurn(path, s.looks), newMarkFile(path, s.looks)
	if err := s.expectLedger(); err != nil {
		return nil, err
	}
	if err := checkPlace(path, s.logger); err != nil {
		return nil, err
	}
	if err := s.expectLength(); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.opened = true
	return s, nil
}

// open makes or checks the file and connects to it, while no other process writes.
func (s *Store) open(ctx context.Context) error {
	wait := s.patience(ctx)
	wait.length *= openPatience
	defer wait.end()
	done, err := s.exclude(wait)
	if err != nil {
		return err
	}
	defer done()
	// From here on the verdict is awaited: what is half opened would have to be thrown away.
	ctx = context.WithoutCancel(ctx)
	if err := s.createOrProbe(ctx); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	if !s.looks {
		if err := s.removeDeadHolds(ctx); err != nil {
			return err
		}
	}
	if err := checkFiles(s.path); err != nil {
		return err
	}
	if s.place, err = remember(s.path, s.access.files); err != nil {
		return err
	}
	return s.markOpen(ctx)
}

// Close waits for the reads and the write that are under way, refuses all others with os.ErrClosed, and leaves no
// write-ahead log behind unless another process uses the ledger. It may be called more than once.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		s.queue.Close() // nobody writes any more
		// A connection that is in use is closed only when it is free, which would be after the writer's.
		s.reading.Lock()
		defer s.reading.Unlock()
		tidy := s.intact()
		s.mark.close()
		s.failure = s.disconnect(tidy)
		if s.failure == nil && s.opened && tidy {
			s.failure = s.markClosed(context.Background())
		}
		s.turn.close()
		if s.failure != nil {
			s.failure = fmt.Errorf("%s: close: %w", s.path, s.failure)
		}
	})
	return s.failure
}

// intact tells whether the files are still those of the ledger that was opened.
func (s *Store) intact() bool {
	if !s.opened {
		return s.place.check() == nil
	}
	_, err := s.verifyFiles(context.Background())
	if err != nil {
		s.logger.Error("the files of the ledger are left as they are", "ledger", s.path, "error", err)
	}
	return err == nil
}

// disconnect closes all connections. The last one copies the write-ahead log into the file and removes it, which only
// one that may write can do. A store whose files were displaced must not: others may have written to the log since, by
// an index that this process has not seen. Nor must one whose file is not the one that the log belongs to.
func (s *Store) disconnect(tidy bool) error {
	if tidy {
		return errors.Join(s.readers.close(), s.writer.close())
	}
	return errors.Join(s.writer.close(), s.readers.close())
}

// isClosed tells whether Close was called.
func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// errClosed is the answer of a store that is closed.
func (s *Store) errClosed() error {
	return fmt.Errorf("%s: the ledger is closed: %w", s.path, os.ErrClosed)
}

// now reads the store's clock.
func (s *Store) now() time.Time { return columns.ToMillisecond(s.clock()) }
