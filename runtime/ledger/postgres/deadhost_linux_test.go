package postgres_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// die has this end of a connection answer nothing any more, as of a host that has lost its power, once the other end has all
// that was sent.
func die(conn net.Conn) error {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for left := 1; left > 0 && failed == nil; {
			left, failed = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ)
		}
		dropAll := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
		failed = errors.Join(failed, unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &dropAll}))
	})
	return errors.Join(err, failed)
}

// TestAHostThatDiesWithinABatchLetsGoOfItsLocks has one be gone with a part of what it sends, when the server has the lock of a
// cap.
func TestAHostThatDiesWithinABatchLetsGoOfItsLocks(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	dying, other := open(t, dsn), open(t, direct, postgres.WithBusyTimeout(patience))
	underCap := ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 10}
	first, second := waiting(1), waiting(2)
	second.WriteID = "the end"
	dead, done := make(chan error, 1), make(chan struct{})
	p.breakAt(second.WriteID, func(conn net.Conn) { dead <- die(conn) })
	go func() {
		defer close(done)
		dying.Together(t.Context(), []postgres.Write{postgres.NewInsert(first, previewed, underCap), postgres.NewInsert(second, previewed, underCap)})
	}()
	defer func() {
		p.refuse() // so that nothing is waited for
		<-done
	}()
	if err := <-dead; err != nil {
		t.Skipf("no host can be made to seem dead here: %v", err)
	}
	if err := other.Insert(t.Context(), waiting(3), previewed, underCap); err != nil {
		t.Errorf("an insert under the same cap: %v", err)
	}
	if _, _, err := other.Get(t.Context(), id(1)); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("what was sent in whole: %v", err)
	}
}

// TestAHostThatDiesInAJoinedBodyLetsGoOfItsLocks has one be gone when its body has locked what somebody else needs.
func TestAHostThatDiesInAJoinedBodyLetsGoOfItsLocks(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	p, dsn := newProxy(t, j.dsn)
	dying := &joining{Store: open(t, dsn), dsn: dsn, claimed: j.claimed}
	dead, done := make(chan error, 1), make(chan struct{})
	p.breakAt("the end", func(conn net.Conn) { dead <- die(conn) })
	go func() {
		defer close(done)
		_ = dying.join(t.Context(), func(ctx context.Context, _ pgx.Tx) error {
			return errors.Join(addNote(ctx, "one"), addNote(ctx, "the end"))
		})
	}()
	defer func() {
		p.refuse() // so that nothing is waited for
		<-done
	}()
	if err := <-dead; err != nil {
		t.Skipf("no host can be made to seem dead here: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := connect(t, j.dsn).Exec(ctx, "INSERT INTO notes VALUES ('one')"); err != nil {
		t.Errorf("the same note of somebody else: %v", err)
	}
	j.expect(t, ledger.Applying, "one")
}
