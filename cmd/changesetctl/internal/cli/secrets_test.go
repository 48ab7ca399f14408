package cli_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/cli"
	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

// ran is all that a run in this process left, where nobody can be asked.
type ran struct {
	code           int
	stdout, stderr string
}

func run(s *shop, args ...string) ran {
	var stdout, stderr strings.Builder
	code := cli.Run(context.Background(), args, cli.Streams{
		In: strings.NewReader("y\n"), Out: &stdout, Err: &stderr,
		Getenv: func(name string) string { return map[string]string{"CHANGESET_LEDGER": s.address}[name] },
	})
	return ran{code, stdout.String(), stderr.String()}
}

func TestNoCommandPrintsATokenOrItsHash(t *testing.T) {
	t.Parallel()
	onEachLedger(t, testNoCommandPrintsATokenOrItsHash)
}

func testNoCommandPrintsATokenOrItsHash(t *testing.T, s *shop) {
	ctx := t.Context()
	id := proposed(t, s, "set_rule", "tea", "3")
	doubt := proposed(t, s, "set_price", "milk", doubtfulApply)
	if r, err := s.apply(ctx, "set_price", doubt); err != nil || r.Code != "in_doubt" {
		t.Fatalf("%v, %+v", err, r)
	}
	outputs := map[string]ran{}
	try := func(code int, args ...string) {
		t.Helper()
		r := run(s, args...)
		if r.code != code {
			t.Errorf("%q: exit code %d, want %d: %s", args, r.code, code, r.stderr)
		}
		outputs[strings.Join(args, " ")] = r
	}
	secrets := map[string]bool{}
	remember := func() {
		t.Helper()
		for _, token := range s.tokens {
			secrets[token] = true
		}
		for _, id := range []string{id, doubt} {
			r, _, err := s.store.Get(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			for _, hash := range [][]byte{r.ApplyToken, r.UndoToken} {
				if hash != nil {
					secrets[hex.EncodeToString(hash)] = true
					secrets[base64.StdEncoding.EncodeToString(hash)] = true
					secrets[base64.RawURLEncoding.EncodeToString(hash)] = true
				}
			}
		}
	}
	remember()
	try(2, "approve", id)
	try(2, "reject", id, "--reason", "no")
	try(0, "approve", id, "--yes")
	if r, err := s.apply(ctx, "set_rule", id); err != nil || r.Status != "applied" {
		t.Fatalf("%v, %+v", err, r)
	}
	remember()
	for _, args := range [][]string{
		{"list"}, {"list", "--json"}, {"show", id}, {"show", id, "--json"}, {"show", doubt}, {"pending"}, {"pending", "--json"},
		{"stats"}, {"stats", "--json"}, {"expire"}, {"prune", "--keep", "0"},
	} {
		try(0, args...)
	}
	try(1, "check")
	try(1, "check", "--json")
	try(0, "reconcile", doubt, "--verdict", "done", "--note", "looked", "--yes")
	try(1, "approve", id, "--yes")
	try(2, "undo", id)
	try(0, "undo", id, "--yes", "--wait", screen.Age(patience))
	remember()
	try(0, "show", id)
	if len(secrets) < 10 {
		t.Fatalf("only %d secrets to look for", len(secrets))
	}
	for command, r := range outputs {
		for secret := range secrets {
			if strings.Contains(r.stdout+r.stderr, secret) {
				t.Errorf("%s tells %s", command, secret)
			}
		}
	}
}
