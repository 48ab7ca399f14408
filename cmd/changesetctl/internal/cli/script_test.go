package cli_test

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/cli"
	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

// premises are where the ledger of a script is, and its shop, if it is open.
type premises struct {
	address string
	shop    *shop
}

func premisesOf(ts *testscript.TestScript) *premises { return ts.Value(premises{}).(*premises) }

func (p *premises) stop() error {
	if p.shop == nil {
		return nil
	}
	err := p.shop.close()
	p.shop = nil
	return err
}

// ctl runs changesetctl in this process, which takes far less time than one of its own: "exec changesetctl" is for where
// that counts, or the directory that it runs in.
func ctl(ts *testscript.TestScript, fails bool, args []string) {
	code := cli.Run(context.Background(), args, cli.Streams{
		In: strings.NewReader(""), Out: ts.Stdout(), Err: ts.Stderr(), Getenv: ts.Getenv,
	})
	if fails != (code != 0) {
		ts.Fatalf("exit code %d", code)
	}
}

// server starts a guarded server over the ledger of the script, in place of one that runs: "server", or "server AGE" for
// one whose clock is behind by that, where the ledger is a file. "server stop" only stops it.
func server(ts *testscript.TestScript, _ bool, args []string) {
	p := premisesOf(ts)
	ts.Check(p.stop())
	var behind time.Duration
	var err error
	switch {
	case len(args) == 0:
	case args[0] == "stop":
		return
	default:
		behind, err = screen.ParseAge(args[0])
		ts.Check(err)
	}
	p.shop, err = openShop(context.Background(), p.address, behind)
	ts.Check(err)
}

// agent calls a tool. "agent preview NAME OPERATION ITEM PRICE" keeps the id of the change in $NAME and its token in
// $NAME_token; "agent apply NAME OPERATION WANT" and "agent undo NAME OPERATION WANT" expect a status or a code.
func agent(ts *testscript.TestScript, _ bool, args []string) {
	s, ctx := premisesOf(ts).shop, context.Background()
	var r reply
	var err error
	want := "preview"
	switch name, operation := args[1], args[2]; args[0] {
	case "preview":
		r, err = s.preview(ctx, operation, args[3], args[4])
		ts.Setenv(name, r.ChangeID)
		ts.Setenv(name+"_token", r.ConfirmationToken)
	case "apply":
		r, err = s.apply(ctx, operation, ts.Getenv(name))
		want = args[3]
	case "undo":
		r, err = s.undo(ctx, operation, ts.Getenv(name))
		want = args[3]
	default:
		ts.Fatalf("unknown call %s", args[0])
	}
	ts.Check(err)
	if r.said() != want {
		ts.Fatalf("%q: %s (%s), want %s", args, r.said(), r.Message, want)
	}
	ts.Logf("%s: %s", r.said(), r.Message)
}

// later waits until what moved last did so before now.
func later(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(premisesOf(ts).shop.untilLater(context.Background()))
}

// price expects a price: "price ITEM WANT"; or it sets one behind everybody's back: "price ITEM = PRICE".
func price(ts *testscript.TestScript, _ bool, args []string) {
	if args[1] == "=" {
		premisesOf(ts).shop.set(args[0], args[2])
		return
	}
	if got := premisesOf(ts).shop.price(args[0]); got != args[1] {
		ts.Fatalf("%s costs %s, want %s", args[0], got, args[1])
	}
}

// spoil overwrites what is in the middle of a file.
func spoil(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	content, err := os.ReadFile(name)
	ts.Check(err)
	const damaged = 2048
	for i := range min(damaged, len(content)/2) {
		content[len(content)/2+i] = 0xA5
	}
	ts.Check(os.WriteFile(name, content, 0o600))
}
