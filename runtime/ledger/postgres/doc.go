// Package postgres keeps a ledger in a PostgreSQL database, shared by any number of programs on any number of hosts.
//
// Every write is one transaction: most often one statement, in which a record is changed and its event is added. The row is
// locked first, and the time is read afterwards, from the clock of the database: the clocks of the hosts decide nothing, and a
// claim that waited past its limit comes too late. What many want written at the same time goes to the database together, each
// with a verdict of its own. Caps are counted under a lock that only those wait for who write under the same cap.
//
// # Hosts that go silent
//
// Where the server knows idle_in_transaction_session_timeout, it takes the locks of a program that goes silent within a
// transaction of several round trips back after the busy timeout and half a minute; not those of a joined body, until that has
// returned. Those of a host that is gone it takes back after half a minute, also in the middle of a joined body, or of what goes to
// it in one round trip and comes in part: it asks for that host meanwhile, or for the pooler in its place, by
// tcp_keepalives_idle and the two that go with it, where it knows these and the connection is by TCP. A program that is stopped
// in such a place, on a host that lives, keeps its locks until it goes on or ends.
//
// # Answers that are lost
//
// A write that the server says it has rolled back, or that was not sent, has written nothing, and is tried again or said to be
// busy. After any other failure nobody knows: the error says so, and the next Get of that record waits for whatever the server
// still does with it, and for a standby that has to confirm it. The caller looks for the WriteID that it gave. What is still on
// its way, in a network or a pooler, is not waited for: that Get also moves the record to another revision, if it is at the same
// one still, with an event of the ledger's own (withdrawn), so that the write comes to nothing however late it is. Of a new record
// that is still on its way nobody has the token.
//
// # Holders
//
// Who may claim has a lease by the clock of the database, which it renews, and which others take for over only once they have
// written that down. Whoever cannot renew it for most of its length is told by Hold.Lost, and its claims are refused from the
// moment at which the lease is over. There is no notification: who waits for another program's decision asks again.
//
// # Tables of others
//
// A body can change other tables of the database in the transaction that records its change: Join. It sees one state of the
// database (REPEATABLE READ), and where somebody else has changed what it changes, nothing is written. It has one of the
// connections of the pool meanwhile. Its role needs grants on those tables; and since it can write to the ledger too, nothing but
// care keeps a body from that: a change that it moves is not told from one that a guard has moved.
//
// # What the server has to be
//
// PostgreSQL 13 or later, with a database encoded as UTF8. No extension is needed. What speaks its protocol must have its row
// locks, among them SKIP LOCKED, its advisory locks, and statements that change rows within WITH; one that ignores advisory locks keeps
// to no cap.
//
// A commit is answered when it is on the disk of the server: Open refuses one with fsync = off, and each write sets
// synchronous_commit to on for its own transaction, or leaves it at remote_apply, whatever the role has as a default. With
// standbys, name those in synchronous_standby_names that may be promoted: a standby that did not have to confirm a claim may
// not know of it, and its token is good again there. Open warns where standbys follow that nobody waits for. When a commit was
// kept from waiting for its standby, the write is answered as one of which nobody knows.
//
// Writes that meet wait for each other in READ COMMITTED, the default of PostgreSQL. Where default_transaction_isolation is a
// stricter level, the server rolls some of them back, and reads too under SERIALIZABLE. They are tried again within the busy
// timeout: nothing goes wrong, but a busy ledger carries less. Open warns of it.
//
// No session state is relied on, so that a pooler may give each transaction another session. One that does needs, in the
// address, a default_query_exec_mode that prepares no statements, such as exec, unless it looks after them itself.
//
// # Address
//
// The address is one of pgx. The password is best left to PGPASSWORD, PGPASSFILE or the service file: nothing here prints it
// either way. Take sslmode=verify-full over any network. Of the servers that it names one is used that takes writes: who does
// more than look is not told by a standby of what may be long past. The pool has at most 9 connections, or as many as there are
// processors if these are more; pool_max_conns says otherwise. Writes gather behind one of them, and behind two where many
// wait. One more is kept for reads; joined bodies share the rest evenly with what waits for locks. Holds have one or two of
// their own, which wait for nothing else.
//
// # Roles
//
// Whoever opens the ledger first makes it, which takes CREATE on the database, or an empty schema of its own. The owner of the
// tables adds what a later version needs. Everybody else gets by with this, for the schema changesetgen:
//
//	-- a server
//	GRANT USAGE ON SCHEMA changesetgen TO server;
//	GRANT SELECT, INSERT ON changesetgen.changes TO server;
//	GRANT UPDATE (revision, claimed_at, write_id, status, expires_at, apply_token, undo_token, decision, undo_decision,
//		undo_request, claim_id, holder, joined, doubt_at, doubt_reason, finding, code, message, error, outcome, retry_id,
//		state_before, state_after, result, result_flaw, sensitive_now, applied_at, undo_expires_at, updated_at)
//		ON changesetgen.changes TO server;
//	GRANT SELECT, INSERT ON changesetgen.events TO server;
//	GRANT SELECT, INSERT, UPDATE, DELETE ON changesetgen.holders TO server;
//	GRANT SELECT, UPDATE (key) ON changesetgen.ledger TO server;
//
//	-- an operator, who also prunes
//	GRANT USAGE ON SCHEMA changesetgen TO operator;
//	GRANT SELECT, DELETE ON changesetgen.changes TO operator;
//	GRANT UPDATE (revision, claimed_at, write_id, status, expires_at, apply_token, undo_token, decision, undo_decision,
//		undo_request, claim_id, holder, joined, doubt_at, doubt_reason, finding, code, message, error, outcome, retry_id,
//		state_before, state_after, result, result_flaw, sensitive_now, applied_at, undo_expires_at, updated_at)
//		ON changesetgen.changes TO operator;
//	GRANT SELECT, INSERT, DELETE ON changesetgen.events TO operator;
//	GRANT SELECT, UPDATE (over_at) ON changesetgen.holders TO operator;
//	GRANT SELECT, UPDATE (pruned) ON changesetgen.ledger TO operator;
//
//	-- a reader, with LookOnly
//	GRANT USAGE ON SCHEMA changesetgen TO reader;
//	GRANT SELECT ON changesetgen.changes, changesetgen.events, changesetgen.holders, changesetgen.ledger TO reader;
//
// # Damage and backups
//
// The pages are the server's to look after: initialise it with data check sums. Open refuses tables that somebody has changed:
// without an index a request could be taken twice, and a trigger could take a claim back. Check reads all of a ledger. Back it
// up as you do the database, with pg_dump --schema or with a base backup and its log; what was applied after the moment of a
// backup is forgotten when it is restored, so stop every server before. The key of what is sensitive is in none of them.
//
// # Versions
//
// A ledger says which schema it has, and the oldest that a program may be made for to use it. What a later version only adds is
// added when that version opens the ledger, while programs of earlier versions go on using it. Where they could not, that
// version is refused while a holder lives, and adds nothing; afterwards earlier ones are, at their next call, with
// ErrUnsupported, and lose nothing.
package postgres
