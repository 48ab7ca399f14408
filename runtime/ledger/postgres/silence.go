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
var alive = aliveSetting("idle", int(keepAlive.Idle.Seconds())) + ", " +
	aliveSetting("interval", int(keepAlive.Interval.Seconds())) + ", " + aliveSetting("count", keepAlive.Count)

func aliveSetting(name string, value int) string {
	return fmt.Sprintf("CASE WHEN current_setting('tcp_keepalives_%[1]s', true) <> '0' THEN set_config('tcp_keepalives_%[1]s', '%[2]d', true) END", name, value)
}
