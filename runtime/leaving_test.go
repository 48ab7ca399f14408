package runtime_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// slowWorld is a world whose apply says that it has started, and waits to be let on.
func slowWorld(t *testing.T, changes ...func(*world)) (w *world, started, release chan struct{}) {
	t.Helper()
	started, release = make(chan struct{}), make(chan struct{})
	w = newWorld(t, append(changes, func(w *world) {
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			close(started)
			<-release
			if err := ctx.Err(); err != nil {
				return nil, runtime.NotApplied(err)
			}
			return apply(ctx, c)
		}
	})...)
	return w, started, release
}

// async calls apply with a context, and gives its answer later.
func async(ctx context.Context, c *client, p reply) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := c.try(ctx, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
		done <- err
	}()
	return done
}

func wait(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s did not happen", what)
	}
}

func TestCallerThatCancelsDuringApply(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, started, release := slowWorld(t)
		p := w.preview(t, "theme", "dark")
		ctx, cancel := context.WithCancel(t.Context())
		done := async(ctx, w.client, p)
		wait(t, started, "apply")
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled call: %v", err)
		}
		other := w.connect(t)
		s := other.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID})
		if s.Status != "applying" || s.InDoubt {
			t.Errorf("while the body runs: %s", s.raw)
		}
		wantRefused(t, other.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}), "in_flight")
		close(release)
		if err := w.guard.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := w.record(t, p.ChangeID); r.Status != ledger.Applied || w.writes(t) != 1 {
			t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
		}
		w.start(t)
		again := w.apply(t, p.ChangeID, p.ConfirmationToken)
		wantRefused(t, again, "already_used")
		if w.writes(t) != 1 || again.Result == nil {
			t.Errorf("the repeated call: %s, %d bodies ran", again.raw, w.writes(t))
		}
	})
}

func TestCallerThatDisconnectsDuringApply(t *testing.T) {
	t.Parallel()
	w, started, release := slowWorld(t)
	p := w.preview(t, "theme", "dark")
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return w.server }, nil))
	t.Cleanup(web.Close)
	leaver, err := mcp.NewClient(&mcp.Implementation{Name: "leaver", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: web.URL, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := async(t.Context(), &client{session: leaver, wire: &wire{}}, p)
	wait(t, started, "apply")
	web.CloseClientConnections()
	if err := <-done; err == nil {
		t.Error("the call was answered although its connection is gone")
	}
	close(release)
	w.closes(t)
	if r := w.record(t, p.ChangeID); r.Status != ledger.Applied || r.Result == nil || w.writes(t) != 1 {
		t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
	}
}

// A call that is cancelled before the claim spends nothing.
func TestCallerThatCancelsBeforeTheClaim(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, f := newFaultyWorld(t)
		p := w.preview(t, "theme", "dark")
		reached := make(chan struct{})
		f.set(func(f *faulty) {
			f.get = func(ctx context.Context, read func() error) error {
				err := read()
				close(reached)
				<-ctx.Done() // the server has seen the cancellation
				return err
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := async(ctx, w.client, p)
		wait(t, reached, "the read before the claim")
		cancel()
		<-done
		f.set(func(f *faulty) { f.get = nil })
		if err := w.guard.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := w.record(t, p.ChangeID); r.Status != ledger.Pending || w.writes(t) != 0 {
			t.Fatalf("%s, %d bodies ran", r.Status, w.writes(t))
		}
		w.start(t)
		if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
			t.Errorf("%s", a.raw)
		}
	})
}

func TestCloseWaitsForBodiesAndRefusesNewClaims(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, started, release := slowWorld(t)
		running, waiting := w.preview(t, "theme", "dark"), w.preview(t, "language", "de")
		done := async(t.Context(), w.client, running)
		wait(t, started, "apply")
		closed := make(chan error, 1)
		go func() { closed <- w.guard.Close(context.Background()) }()
		other := w.connect(t)
		for { // Close has begun once a preview is refused
			r := other.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "blue"})
			if r.Code == "shutting_down" {
				break
			}
		}
		r := other.call(t, "apply_set_setting", map[string]string{"change_id": waiting.ChangeID, "confirmation_token": waiting.ConfirmationToken})
		wantRefused(t, r, "shutting_down")
		select {
		case err := <-closed:
			t.Fatalf("closed while a body runs: %v", err)
		default:
		}
		close(release)
		if err := <-closed; err != nil {
			t.Error(err)
		}
		<-done
		if w.record(t, running.ChangeID).Status != ledger.Applied || w.record(t, waiting.ChangeID).Status != ledger.Pending {
			t.Error("the running change did not end, or the waiting one did")
		}
	})
}

func TestCloseGivesUpAfterItsGrace(t *testing.T) {
	t.Parallel()
	w, started, release := slowWorld(t, func(w *world) { w.options.ShutdownGrace = shortTimeout })
	p := w.preview(t, "theme", "dark")
	done := async(t.Context(), w.client, p)
	wait(t, started, "apply")
	if err := w.guard.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "1 change") {
		t.Errorf("close with a running body: %v", err)
	}
	// The hold is kept, so others still see the change in flight.
	if alive, err := w.store.Holder(t.Context(), w.record(t, p.ChangeID).Holder); err != nil || alive != ledger.Alive {
		t.Errorf("the holder is %v, %v", alive, err)
	}
	close(release)
	<-done
	if r := w.record(t, p.ChangeID); r.Status != ledger.Applied {
		t.Errorf("%s", r.Status)
	}
	w.closes(t) // once the body has ended
}

// closes closes a guard whose grace may be over before what it waits for is, or whose ledger takes its time to let it go.
func (w *world) closes(t testing.TB) {
	t.Helper()
	if err := closeInTheEnd(t.Context(), w.guard); err != nil {
		t.Fatalf("the guard never closes: %v", err)
	}
}

// closeInTheEnd closes a guard, as often as that takes.
func closeInTheEnd(ctx context.Context, guard *runtime.Guard) (err error) {
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for err = guard.Close(ctx); err != nil && patient.Err() == nil; {
		err = guard.Close(ctx)
	}
	return err
}

// After a signal the context of main is over; the bodies are waited for all the same.
func TestCloseWithAContextThatIsOverStillWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, started, release := slowWorld(t)
		p := w.preview(t, "theme", "dark")
		done := async(t.Context(), w.client, p)
		wait(t, started, "apply")
		over, cancel := context.WithCancel(context.Background())
		cancel()
		closed := make(chan error, 1)
		go func() { closed <- w.guard.Close(over) }()
		close(release)
		if err := <-closed; err != nil {
			t.Error(err)
		}
		<-done
	})
}

// A server whose stdin closes in the middle of an apply drains and returns.
func TestServerWhoseInputEndsDrains(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, started, release := slowWorld(t)
		p := w.preview(t, "theme", "dark")
		fromServer, toClient := io.Pipe()
		fromClient, toServer := io.Pipe()
		ran := make(chan error, 1)
		go func() {
			err := w.server.Run(context.Background(), &mcp.IOTransport{Reader: fromClient, Writer: toClient})
			ran <- errors.Join(err, w.guard.Close(context.Background()))
		}()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "leaver", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
		if err != nil {
			t.Fatal(err)
		}
		done := async(t.Context(), &client{session: c, wire: &wire{}}, p)
		wait(t, started, "apply")
		_ = toServer.Close()
		close(release)
		select {
		case err := <-ran:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("the server did not end")
		}
		_ = fromServer.Close()
		<-done
		if r := w.record(t, p.ChangeID); r.Status != ledger.Applied || w.writes(t) != 1 {
			t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
		}
	})
}
