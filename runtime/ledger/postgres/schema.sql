-- Schema 1 of a changesetgen ledger, in the schema "changesetgen" or one of another name. Times are Unix milliseconds by the
-- clock of the database; NULL is no time. Texts are compared byte by byte, on every machine.

-- One row a change. Ids rise with time, so that new ones come last in their index. A row is updated a few times, and grows by
-- what its change comes to: pages have room for that. An update within its page logs no more of a row than lies between the first
-- and the last of what has changed, so that what never does comes first.
CREATE TABLE changesetgen.changes (
	id              text COLLATE "C" PRIMARY KEY,
	server          text COLLATE "C" NOT NULL,
	operation       text COLLATE "C" NOT NULL,
	scope           text COLLATE "C" NOT NULL,
	caller          text COLLATE "C" NOT NULL,
	digest          text COLLATE "C" NOT NULL,
	undo_digest     text COLLATE "C" NOT NULL,
	payload_hash    text COLLATE "C" NOT NULL,
	shown_digest    text COLLATE "C" NOT NULL,
	request_id      text COLLATE "C" NOT NULL,
	request_hash    text COLLATE "C" NOT NULL,
	retry_of        text COLLATE "C" NOT NULL,
	rejected        text COLLATE "C" NOT NULL,
	approval        text COLLATE "C" NOT NULL,
	undo_approval   text COLLATE "C" NOT NULL,
	ttl             bigint NOT NULL, -- milliseconds
	undo_ttl        bigint NOT NULL, -- milliseconds; negative: none
	items           bigint NOT NULL,
	created_at      bigint,
	shown           bytea,
	payload         bytea,
	state           bytea,
	sensitive       bytea,
	revision        bigint NOT NULL,
	write_id        text COLLATE "C" NOT NULL,
	status          text COLLATE "C" NOT NULL,
	expires_at      bigint,
	updated_at      bigint NOT NULL,
	apply_token     bytea,
	undo_token      bytea,
	decision        bytea, -- JSON; NULL for none, as the next two and the finding
	undo_decision   bytea,
	undo_request    bytea,
	claimed_at      bigint,
	claim_id        text COLLATE "C" NOT NULL,
	holder          text COLLATE "C" NOT NULL,
	joined          boolean NOT NULL,
	doubt_at        bigint,
	doubt_reason    text COLLATE "C" NOT NULL,
	finding         bytea,
	code            text COLLATE "C" NOT NULL,
	message         text COLLATE "C" NOT NULL,
	error           text COLLATE "C" NOT NULL,
	outcome         text COLLATE "C" NOT NULL,
	retry_id        text COLLATE "C" NOT NULL,
	result_flaw     text COLLATE "C" NOT NULL,
	applied_at      bigint,
	undo_expires_at bigint,
	sensitive_now   bytea,
	state_before    bytea,
	state_after     bytea,
	result          bytea
) WITH (fillfactor = 60);

-- The few rows that are looked for by status, and by whom they wait for. An index over all statuses would make every
-- settled change pay for them, and pruning too.
CREATE INDEX changes_open ON changesetgen.changes (id) WHERE status IN ('applying', 'undoing');
CREATE INDEX changes_pending ON changesetgen.changes (id) WHERE status = 'pending';
CREATE INDEX changes_expiring ON changesetgen.changes (expires_at) WHERE status = 'pending';
CREATE INDEX changes_waiting ON changesetgen.changes (server, scope, caller, expires_at) WHERE status = 'pending';
CREATE INDEX changes_rejected ON changesetgen.changes (payload_hash) WHERE status = 'rejected';
CREATE INDEX changes_undo_requests ON changesetgen.changes (id) WHERE status = 'applied' AND undo_request IS NOT NULL;

-- What was claimed lately, for the limits of an operation: it holds all that they count by, in the order of time.
CREATE INDEX changes_claimed ON changesetgen.changes (server, operation, claimed_at, scope, caller) WHERE claimed_at IS NOT NULL;

CREATE UNIQUE INDEX changes_requests ON changesetgen.changes (request_id, server, operation, scope, caller) WHERE request_id <> '';
CREATE UNIQUE INDEX changes_retries ON changesetgen.changes (retry_of) WHERE retry_of <> '';

-- One row a transition; seq is the revision of the change that it made.
CREATE TABLE changesetgen.events (
	change      text COLLATE "C" NOT NULL,
	seq         bigint NOT NULL,
	at          bigint NOT NULL,
	actor       text COLLATE "C" NOT NULL,
	from_status text COLLATE "C" NOT NULL,
	to_status   text COLLATE "C" NOT NULL,
	code        text COLLATE "C" NOT NULL,
	reason      text COLLATE "C" NOT NULL,
	PRIMARY KEY (change, seq)
);

-- The newest time of all is read with every change: no write has to change a row that others wait for.
CREATE INDEX events_at ON changesetgen.events (at);

-- One row a registration of those who may claim.
CREATE TABLE changesetgen.holders (
	name     text COLLATE "C" PRIMARY KEY,
	host     text COLLATE "C" NOT NULL, -- where its process is, for people who look for it
	pid      bigint NOT NULL,
	heard_at bigint NOT NULL, -- when the lease was renewed last
	until    bigint NOT NULL, -- when it is over if it is not renewed
	over_at  bigint           -- when it was found to be over, or was given up; written once
);

-- One row, made with the ledger.
CREATE TABLE changesetgen.ledger (
	one     integer PRIMARY KEY CHECK (one = 1),
	schema  bigint NOT NULL, -- that it has
	oldest  bigint NOT NULL, -- programs made for a schema before this one must not use the ledger
	pruned  bigint,          -- the latest time of an event that was pruned
	key     bytea,           -- fingerprint of the key of what is sensitive; NULL before there was one
	objects text[] NOT NULL  -- the tables, columns, indexes and so on, as whoever made them found them
);
