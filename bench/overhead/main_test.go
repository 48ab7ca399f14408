package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain is also the servers that the measurement starts.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != serveArgument {
		os.Exit(m.Run())
	}
	if err := start(context.Background(), os.Args[1:]); err != nil {
		os.Exit(1)
	}
}

func TestEveryTransportIsMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"-rounds", "2", "-for", "1ms"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{
		"| preview, in memory ", "| apply, in memory ", "| preview, stdio ", "| apply, stdio ", "| preview, streamable HTTP ",
		"| apply, streamable HTTP ", "| preview through a guard over a bare tool, stdio | ≤ 1.50 |",
	} {
		if !strings.Contains(out.String(), what) {
			t.Errorf("%q is missing from\n%s", what, &out)
		}
	}
}

func TestWhatCannotBeMeasuredIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-rounds", "0"}, {"-for", "0s"}, {"something"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// The bare tools have to answer as much as the guarded ones, or the ratio would be about the length of answers.
func TestBareAnswersAreAsLongAsGuardedOnes(t *testing.T) {
	t.Parallel()
	want, err := answered(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bare, err := bareKind(want)
	if err != nil {
		t.Fatal(err)
	}
	c, err := overMemory(t.Context(), bare)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sizesOf(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sizes (-guarded +bare):\n%s", diff)
	}
}
