package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/cli"
	"github.com/changesetgen/changesetgen/internal/pgcluster"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"changesetctl": func() { os.Exit(cli.Main()) }})
}

// evil is a text that would clear a terminal, pose as a link and as a line, hide, and turn the rest around.
const evil = "\x1b[2J\u009b2J\x1b]8;;http://x\x1b\\\r\u2028\n\nApproved by ana\u202e\u2066\u200b"

// The scripts are for ledgers of either kind; those of "file" and "database" are for one.
func TestScripts(t *testing.T) {
	t.Parallel()
	for kind, address := range map[string]func(t *testing.T, directory string) string{
		"file":     func(_ *testing.T, directory string) string { return ledgerIn(directory) },
		"database": func(t *testing.T, _ string) string { return database(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			if kind == "database" {
				pgcluster.Shared(t) // skips where there is none
			}
			dir := filepath.Join("testdata", "script")
			runScripts(t, dir, address)
			runScripts(t, filepath.Join(dir, kind), address)
		})
	}
}

func runScripts(t *testing.T, dir string, address func(t *testing.T, directory string) string) {
	t.Helper()
	// Ledgers as earlier versions left them.
	released, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "runtime", "ledger", "sqlite", "testdata", "ledgers"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			p := &premises{address: address(t, env.WorkDir)}
			env.Setenv("CHANGESET_LEDGER", p.address)
			env.Setenv("evil", evil)
			env.Setenv("LEDGERS", released)
			env.Values[premises{}] = p
			env.Defer(func() { _ = p.stop() })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ctl": ctl, "server": server, "agent": agent, "later": later, "price": price, "spoil": spoil,
		},
	})
}
