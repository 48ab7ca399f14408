// Package exact reads, compares, hashes and writes JSON without ever changing what it says: numbers keep every digit,
// names match exactly, and what cannot be carried faithfully is refused with its place.
package exact
