// Command changesetctl is how operators look after a ledger of changes: they see what agents proposed and what became of
// it, approve and reject, settle what is in doubt, and clear away what is over.
//
// Usage:
//
//	changesetctl list [--status S] [--operation O] [--server S] [--older-than AGE] [--newer-than AGE] [--limit N] [--after ID] [--json]
//	changesetctl show ID [--json]
//	changesetctl pending [--operation O] [--server S] [--json]
//	changesetctl approve [--undo] ID [--reason TEXT]
//	changesetctl reject [--undo] ID --reason TEXT
//	changesetctl undo ID [--reason TEXT] [--wait DURATION]
//	changesetctl reconcile ID --verdict done|not_done --note TEXT
//	changesetctl expire
//	changesetctl prune [--older-than AGE] [--keep N] [--include-applied]
//	changesetctl stats [--json]
//	changesetctl check [--json]
//	changesetctl backup FILE
//	changesetctl migrate [--backup FILE]
//	changesetctl version
//	changesetctl completion bash|zsh|fish|powershell
//
// The ledger is that of --ledger, or of the environment variable CHANGESET_LEDGER: a file, or the address of a PostgreSQL
// database, as postgres://USER@HOST/DATABASE or postgres:service=NAME, in which --schema may name another schema than
// changesetgen. A password is taken from PGPASSWORD, the password file, a service file, or CHANGESET_LEDGER, but not from
// the arguments, which other users can read. Backup and migrate are for files. No ledger is ever made. Who decides is the user
// of the system, with --as NAME beside it. Commands that change something show what, and ask on a terminal; --yes answers.
// Without either they do nothing, and the exit code is 2. It is 1 for every error, and when check finds something wrong.
// Those that only read make nothing beside the ledger. What the superuser makes there belongs to whom the ledger belongs
// to. No command prints a token.
package main

import (
	"os"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/cli"
)

func main() { os.Exit(cli.Main()) }
