// Package runtime makes writes through an MCP server safe to give to an agent: a change is previewed, applied exactly
// as previewed and at most once, and taken back, all through a Guard and recorded in a durable ledger.
//
// A Guard registers three tools for an operation. Preview checks the payload, looks at the state, and stores both with
// the diff that a person reads; it writes nothing else and hands out a token. Apply takes the token, claims the change,
// looks again, and runs what was stored if the state is still what was shown. Undo takes it back if nobody changed it
// since. A claim is on disk before any of an author's code runs, and nothing ever runs a claim again: a change whose
// process died, or whose body gave no answer, is in doubt until somebody looks.
//
// # A server
//
// A server opens a ledger, such as that of package sqlite, makes a [Guard] with [NewGuard], lets the Register of each
// generated package add its tools, serves, and closes the guard before the ledger. Writes are off until an operator
// switches them on ([Options.WriteMode]). [StdioTransport] serves over standard input and output.
//
// # Bodies
//
// What a body returns says what became of the write: nil that it was made, [NotApplied] and [Conflict] that it was not,
// [InDoubt] that nobody knows; any other error says that nothing more will be sent. Only the text of [Refuse] and
// [Conflict] reaches the agent. A body that takes long tells how far it is with [Progress].
//
// # People
//
// An [Operator] approves, rejects and settles changes through the ledger, which no tool of a server can. A [Sink] is told
// what becomes of changes, an [Interceptor] stands around each attempt.
//
// Everything here is safe for concurrent use unless it says otherwise. Texts that people read are made by [Textf].
package runtime

// SupportsV1 exists exactly while this runtime can run code generated for version 1 of the spec language.
const SupportsV1 = true
