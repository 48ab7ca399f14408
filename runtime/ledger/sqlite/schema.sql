-- Schema 2 of a changesetgen ledger. Times are Unix milliseconds, UTC; NULL is no time. Each check sum is over the
-- other columns of its part of the row, and is compared whenever they are read.

-- One row a change. Row numbers rise with time, so that new rows land on the last page; the bodies come last, so that
-- reading what precedes them does not walk their overflow pages. Bytes of 4 KiB and more are compressed; the check sums
-- are over what they were.
CREATE TABLE changes (
	n               INTEGER PRIMARY KEY,
	id              TEXT NOT NULL UNIQUE,
	revision        INTEGER NOT NULL,
	write_id        TEXT NOT NULL,
	status          TEXT NOT NULL,
	server          TEXT NOT NULL,
	operation       TEXT NOT NULL,
	scope           TEXT NOT NULL,
	caller          TEXT NOT NULL,
	digest          TEXT NOT NULL,
	undo_digest     TEXT NOT NULL,
	payload_hash    TEXT NOT NULL,
	shown_digest    TEXT NOT NULL,
	request_id      TEXT NOT NULL,
	request_hash    TEXT NOT NULL,
	retry_of        TEXT NOT NULL,
	rejected        TEXT NOT NULL,
	approval        TEXT NOT NULL,
	undo_approval   TEXT NOT NULL,
	ttl             INTEGER NOT NULL, -- milliseconds
	undo_ttl        INTEGER NOT NULL, -- milliseconds; negative: none
	items           INTEGER NOT NULL,
	created_at      INTEGER,
	expires_at      INTEGER,
	updated_at      INTEGER,
	apply_token     BLOB,
	undo_token      BLOB,
	decision        BLOB, -- JSON; NULL for none, as the next two and the finding
	undo_decision   BLOB,
	undo_request    BLOB,
	claimed_at      INTEGER,
	claim_id        TEXT NOT NULL,
	holder          TEXT NOT NULL,
	joined          INTEGER NOT NULL, -- 0 or 1
	doubt_at        INTEGER,
	doubt_reason    TEXT NOT NULL,
	finding         BLOB,
	code            TEXT NOT NULL,
	message         TEXT NOT NULL,
	error           TEXT NOT NULL,
	outcome         TEXT NOT NULL,
	retry_id        TEXT NOT NULL,
	result_flaw     TEXT NOT NULL,
	applied_at      INTEGER,
	undo_expires_at INTEGER,
	sensitive       BLOB,
	sensitive_now   BLOB,
	shown           BLOB,
	payload         BLOB,
	state           BLOB,
	state_before    BLOB,
	state_after     BLOB,
	result          BLOB,
	fixed_sum       BLOB NOT NULL, -- over what never changes
	mutable_sum     BLOB NOT NULL  -- over the id, the revision and the rest
) STRICT;

-- The few rows that are looked for by status, and by whom they wait for. An index over all statuses would make every
-- settled change pay for them, and pruning too.
CREATE INDEX changes_open ON changes (id) WHERE status IN ('applying', 'undoing');
CREATE INDEX changes_pending ON changes (id) WHERE status = 'pending';
CREATE INDEX changes_expiring ON changes (expires_at) WHERE status = 'pending';
CREATE INDEX changes_waiting ON changes (server, scope, caller, expires_at) WHERE status = 'pending';
CREATE INDEX changes_rejected ON changes (payload_hash) WHERE status = 'rejected';
CREATE INDEX changes_undo_requests ON changes (id) WHERE status = 'applied' AND undo_request IS NOT NULL;

-- What was claimed lately, for the limits of an operation: it holds all that they count by, in the order of time.
CREATE INDEX changes_claimed ON changes (server, operation, claimed_at, scope, caller) WHERE claimed_at IS NOT NULL;

CREATE UNIQUE INDEX changes_requests ON changes (request_id, server, operation, scope, caller) WHERE request_id <> '';
CREATE UNIQUE INDEX changes_retries ON changes (retry_of) WHERE retry_of <> '';

-- One row a transition; seq is the revision of the change that it made.
CREATE TABLE events (
	change      INTEGER NOT NULL,
	seq         INTEGER NOT NULL,
	at          INTEGER NOT NULL,
	actor       TEXT NOT NULL,
	from_status TEXT NOT NULL,
	to_status   TEXT NOT NULL,
	code        TEXT NOT NULL,
	reason      TEXT NOT NULL,
	sum         BLOB NOT NULL,
	PRIMARY KEY (change, seq)
) STRICT, WITHOUT ROWID;

-- One row, made with the ledger. Every write changes it: it accounts for all that the ledger has taken, and says who may
-- use it.
CREATE TABLE ledger (
	one       INTEGER PRIMARY KEY CHECK (one = 1),
	newest    INTEGER,          -- the latest time of any event, of those that were pruned too
	writes    INTEGER NOT NULL, -- one for each event, and those without
	eventless INTEGER NOT NULL, -- the writes that have no event here: of what was pruned, each prune, and what is about the ledger
	pruned    INTEGER,          -- the latest time of an event that was pruned
	schema    INTEGER NOT NULL, -- that it has, as its header says too
	oldest    INTEGER NOT NULL, -- programs made for a schema before this one must not use the ledger
	key       BLOB,             -- fingerprint of the key in FILE.key; NULL before there is one
	sum       BLOB NOT NULL
) STRICT;
