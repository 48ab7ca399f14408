package postgres

import "fmt"

// silenceSQL has the server end a transaction whose program says nothing any more, so that nobody waits for its locks until the
// network tells. It goes on after the clause of the settings. There are servers that do not know this one.
const silenceSQL = `
SELECT CASE WHEN current_setting('idle_in_transaction_session_timeout', true) IS NOT NULL
	THEN set_config('idle_in_transaction_session_timeout', ?, true) END FROM settings`

// alive has the server ask, until the transaction ends, whether the other end of its connection is there still, as that asks for
// the server. What goes to the server in one round trip and comes in part needs that: the server does not take it for silence. A
// setting is left as it is where the server does not know it, and where it is 0, as over a Unix socket.
var alive = forAlive("CASE WHEN current_setting('tcp_keepalives_%[1]s', true) <> '0' THEN set_config('tcp_keepalives_%[1]s', '%[2]d', true) END", ", ")

// canAskSQL tells whether all of these settings are there. Then aliveLocally does the same, and looks at nothing.
const canAskSQL = "coalesce(current_setting('tcp_keepalives_count', true), '0') <> '0'"

var aliveLocally = forAlive("SET LOCAL tcp_keepalives_%s = %d", "; ")

// forAlive is something for each of the settings, with its name and its value.
func forAlive(something, between string) string {
	setting := func(name string, value int) string { return fmt.Sprintf(something, name, value) }
	return setting("idle", int(keepAlive.Idle.Seconds())) + between + setting("interval", int(keepAlive.Interval.Seconds())) + between +
		setting("count", keepAlive.Count)
}
