// Package runtime makes writes through an MCP server safe to give to an agent: a change is previewed, applied exactly
// as previewed and at most once, and taken back, all through a Guard and recorded in a durable ledger.
//
// A Guard registers three tools for an operation. Preview checks the payload, looks at the state, and stores both with
// the diff that a person reads; it writes nothing else and hands out a token. Apply takes the token, claims the change,
// looks again, and runs what was stored if the state is still what was shown. Undo takes it back if nobody changed it
// since. A claim is on disk before any of an author's code runs, and nothing ever runs a claim again: a change whose
// process died, or whose body gave no answer, is in doubt until somebody looks.
package runtime

// SupportsV1 exists exactly while this runtime can run code generated for version 1 of the spec language.
const SupportsV1 = true
