package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
)

// TestMain is also the processes that the measurement starts.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != childArgument {
		os.Exit(m.Run())
	}
	if err := start(context.Background(), os.Args[1:]); err != nil {
		os.Exit(1)
	}
}

func TestALedgerOfThisHostIsMeasured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := measured(t, "-only", "sqlite,processes,rows", "-dir", dir, "-rounds", "2", "-for", "1ns", "-rows", "50,100")
	for _, what := range []string{
		"| " + appended, "| " + oneByOne(1), "| " + together(1), "| " + oneByOne(256), "| " + together(256), "| " + shared(4), "| " + shared(16),
		"| " + claimAmong(50), "| " + listAmong(100), "| syncs a commit, one caller ", "| p50 of a claim among 100 over 50 ",
	} {
		if !strings.Contains(out, what) {
			t.Errorf("%q is missing from\n%s", what, out)
		}
	}
	kept, err := os.ReadDir(dir)
	if err != nil || len(kept) != 2 {
		t.Errorf("%d files are left (%v), want the two ledgers that are kept", len(kept), err)
	}
	// A second run finds a ledger as it was, with as many open changes in it, and makes another again that was damaged.
	if err := os.Truncate(filepath.Join(dir, "rows-50", "ledger.db"), 0); err != nil {
		t.Fatal(err)
	}
	measured(t, "-only", "rows", "-dir", dir, "-rounds", "1", "-for", "1ns", "-rows", "50,100")
}

func TestALineOfTheTableIsMeasuredAlone(t *testing.T) {
	t.Parallel()
	out := measured(t, "-only", "sqlite", "-lines", "batched, callers: (1|64)$", "-dir", t.TempDir(), "-rounds", "1", "-for", "1ns")
	if !strings.Contains(out, "| "+together(1)) || !strings.Contains(out, "| "+together(64)) || strings.Contains(out, together(16)) || strings.Contains(out, oneByOne(1)) {
		t.Errorf("measured was\n%s", out)
	}
}

func TestPostgreSQLIsMeasured(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	err := run(t.Context(), []string{"-only", "postgres", "-dir", t.TempDir(), "-rounds", "1", "-for", "1ns"}, &printed, io.Discard)
	if errors.Is(err, pgcluster.ErrNotInstalled) || errors.Is(err, fs.ErrNotExist) { // the server, or pgbench
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := printed.String()
	for _, what := range []string{"; postgres (PostgreSQL) ", "| " + peer, "| " + claims + " ", "| " + claimsOfAll} {
		if !strings.Contains(out, what) {
			t.Errorf("%q is missing from\n%s", what, out)
		}
	}
}

// measured is what a measurement prints.
func measured(t *testing.T, args ...string) string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWhatCannotBeMeasuredIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-rounds", "0"}, {"-for", "0s"}, {"something"}, {"-only", "mysql"}, {"-rows", "10,10"}, {"-rows", "x"}, {"-rows", ""}, {"-rows", "0"},
		{"-lines", "("}, {"-only", "sqlite", "-lines", "nothing"},
	} {
		if err := run(t.Context(), append(args, "-dir", t.TempDir()), io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// A ledger with fewer changes than are to be open in it is refused before it is filled.
func TestALedgerWithoutRoomForOpenChangesIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "bench")
	flags := func(rows int) []string {
		return []string{"-only", "rows", "-dir", dir, "-rounds", "1", "-for", "1ns", "-rows", strconv.Itoa(rows)}
	}
	err := run(t.Context(), flags(openChanges-1), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "20 or more") {
		t.Errorf("got error %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory was made: %v", err)
	}
	measured(t, flags(openChanges)...)
}

func TestTheRateOfPgbenchIsRead(t *testing.T) {
	t.Parallel()
	got, err := transactionRate("duration: 2 s\ntps = 6264.248310 (without initial connection time)\n")
	if err != nil || got != 6264.24831 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := transactionRate("pgbench: error\n"); err == nil {
		t.Error("no rate was found missing")
	}
}
