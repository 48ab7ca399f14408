// Package runtime makes writes through an MCP server safe to give to an agent: a change is previewed, applied exactly
// as previewed and at most once, and taken back, all through a Guard and recorded in a durable ledger.
package runtime

// SupportsV1 exists exactly while this runtime can run code generated for version 1 of the spec language.
const SupportsV1 = true
