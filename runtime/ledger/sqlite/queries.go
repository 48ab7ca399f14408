package sqlite

import (
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// What is stored of a change, an event and the account, in the order of recordFields, eventFields and accountFields: the
// columns of every ledger, and check sums.
const (
	fixedColumns   = columns.Fixed + ", fixed_sum"
	mutableColumns = columns.Mutable + ", mutable_sum"
	recordColumns  = fixedColumns + ", revision, " + mutableColumns
	eventColumns   = "change, " + columns.Event + ", sum"
	accountColumns = "newest, writes, eventless, pruned, schema, oldest, key, sum"
)

const (
	beginSQL    = "BEGIN IMMEDIATE"
	commitSQL   = "COMMIT"
	rollbackSQL = "ROLLBACK"
	atOnceSQL   = "PRAGMA busy_timeout = 0"

	savepointSQL = "SAVEPOINT one"
	releaseSQL   = "RELEASE one"
	takeBackSQL  = "ROLLBACK TO one; RELEASE one"

	accountSQL = "SELECT " + accountColumns + " FROM ledger"

	// getSQL is one statement, so that the record and the clock are of one moment.
	getSQL = "SELECT " + accountColumns + ", " + recordColumns + " FROM ledger, changes WHERE id = ?"

	// knownSQL asks the index for the row, and the row for its id.
	knownSQL = "SELECT EXISTS (SELECT 1 FROM changes NOT INDEXED WHERE n = (SELECT n FROM changes WHERE id = ?) AND id = ?)"

	eventsSQL = "SELECT " + eventColumns + " FROM events WHERE change = (SELECT n FROM changes WHERE id = ?) ORDER BY seq"

	// needsKeySQL tells whether any change holds hashes made with the key.
	needsKeySQL = "SELECT EXISTS (SELECT 1 FROM changes WHERE sensitive IS NOT NULL OR sensitive_now IS NOT NULL)"

	openClaimsSQL = "SELECT count(*) FROM changes WHERE " + selection.IsOpen + " AND holder = ?"

	holdersSQL = "SELECT holder, count(*) FROM changes WHERE " + selection.IsOpen + " GROUP BY holder"

	// groupsSQL counts changes of a stretch by what they are at a time, with the times of the oldest and the newest.
	groupsSQL = "SELECT server, operation, CASE WHEN status = 'pending' AND expires_at <= ? THEN 'expired' ELSE status END AS stands, " +
		"count(*), min(created_at), max(created_at) FROM changes WHERE n BETWEEN ? AND ? GROUP BY server, operation, stands"
	sizesSQL = "SELECT page_size, page_count, freelist_count, writes FROM pragma_page_size, pragma_page_count, pragma_freelist_count, ledger"

	// The newest of everything; a limit that is negative is none.
	newestChangesSQL = "SELECT " + recordColumns + " FROM changes ORDER BY n DESC LIMIT ?"
	newestEventsSQL  = "SELECT " + eventColumns + " FROM events ORDER BY change DESC, seq DESC LIMIT ?"

	// lastOfStretchSQL gives no row where less is left than a stretch.
	lastOfStretchSQL = "SELECT id FROM changes WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?"

	prunedEventsSQL = "SELECT count(*), max(at) FROM events WHERE change IN " + listed
	pruneEventsSQL  = "DELETE FROM events WHERE change IN " + listed
	pruneChangesSQL = "DELETE FROM changes WHERE n IN " + listed

	structureSQL = "PRAGMA integrity_check(1)"
	// What Check looks for; each gives a text for each fault, and the first one "ok" for none. Its argument, the largest there
	// is, has the engine give all of them.
	faultsOfStructureSQL = "PRAGMA integrity_check(2147483647)"
	faultsOfEventsSQL    = "SELECT 'events: ' || count(*) || ' are of a change that is not there (row ' || change || ')' FROM events " +
		"WHERE change BETWEEN ? AND ? AND change NOT IN (SELECT n FROM changes) GROUP BY change"
	faultsOfHistorySQL = "SELECT 'change ' || id || ': it is at revision ' || revision || ' and has ' || count(seq) || ' events' " +
		"FROM changes LEFT JOIN events ON change = n WHERE n BETWEEN ? AND ? GROUP BY n HAVING count(seq) <> revision OR max(seq) <> revision"
	everyEventSQL = "SELECT " + eventColumns + " FROM events ORDER BY change, seq"

	// What is in a stretch of rows, and where the next one begins.
	changesOfSQL  = "SELECT n, " + recordColumns + " FROM changes WHERE n BETWEEN ? AND ? ORDER BY n"
	eventsOfSQL   = "SELECT " + eventColumns + " FROM events WHERE change BETWEEN ? AND ? ORDER BY change, seq"
	nextChangeSQL = "SELECT min(n) FROM changes WHERE n >= ?"
	nextEventSQL  = "SELECT min(change) FROM events WHERE change >= ?"
	pagesSQL      = "SELECT data FROM sqlite_dbpage"

	// accountFitsSQL holds because every event raises one revision by one, and every write that has none is told.
	accountFitsSQL = "SELECT newest IS (SELECT max(at) FROM (SELECT max(at) AS at FROM events UNION ALL SELECT pruned FROM ledger)) " +
		"AND writes - eventless = (SELECT count(*) FROM events) " +
		"AND writes - eventless = (SELECT coalesce(sum(revision), 0) FROM changes) FROM ledger"
	// countsFitSQL reads no change, but only an index of them. Every change has a first event. More events than the argument
	// are not counted.
	countsFitSQL = "SELECT writes - eventless > ? OR writes - eventless = (SELECT count(*) FROM events) " +
		"AND (SELECT count(*) FROM changes) = (SELECT count(*) FROM events WHERE seq = 1) FROM ledger"
)

// unclaimed are mutableColumns without the first.
var unclaimed = strings.TrimPrefix(mutableColumns, "claimed_at, ")

var (
	// insertAtSQL puts a change into a row that is given before its columns.
	insertAtSQL = "INSERT INTO changes (n, " + recordColumns + ") VALUES (?, " + placeholders(recordColumns) + ")"
	// takenSQL tells whether there is a record of that id, one that tries that change again, and one of that request.
	takenSQL = "SELECT EXISTS (SELECT 1 FROM changes WHERE id = ?), EXISTS (SELECT 1 FROM changes WHERE " + selection.IsRetry + " AND retry_of = ?), " +
		"EXISTS (SELECT 1 FROM changes WHERE " + selection.IsRequested + " AND request_id = ? AND server = ? AND operation = ? AND scope = ? AND caller = ?)"
	// findSQL tells where a change is, and whether it was claimed at that time.
	findSQL = "SELECT n, claimed_at IS ? FROM changes WHERE id = ? AND revision = ?"
	// thisChange is where one change is, by its row, its revision and its id.
	thisChange = "WHERE n = ? AND revision = ? AND id = ?"
	eventSQL   = "INSERT INTO events (" + eventColumns + ") VALUES (" + placeholders(eventColumns) + ")"

	firstAccountSQL = "INSERT INTO ledger (one, " + accountColumns + ") VALUES (1, " + placeholders(accountColumns) + ")"
	setAccountSQL   = "UPDATE ledger SET (" + accountColumns + ") = (" + placeholders(accountColumns) + ")"
)
