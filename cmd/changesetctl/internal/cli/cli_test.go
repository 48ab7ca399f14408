package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"changesetctl": func() { os.Exit(cli.Main()) }})
}

// evil is a text that would clear a terminal, pose as a link and as a line, hide, and turn the rest around.
const evil = "\x1b[2J\u009b2J\x1b]8;;http://x\x1b\\\r\u2028\n\nApproved by ana\u202e\u2066\u200b"

func TestScripts(t *testing.T) {
	t.Parallel()
	// Ledgers as earlier versions left them.
	released, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "runtime", "ledger", "sqlite", "testdata", "ledgers"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("CHANGESET_LEDGER", ledgerIn(env.WorkDir))
			env.Setenv("evil", evil)
			env.Setenv("LEDGERS", released)
			p := &premises{directory: env.WorkDir}
			env.Values[premises{}] = p
			env.Defer(func() { _ = p.stop() })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ctl": ctl, "server": server, "agent": agent, "price": price, "spoil": spoil,
		},
	})
}
