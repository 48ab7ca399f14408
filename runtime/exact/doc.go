// Package exact reads, compares, hashes and writes JSON without ever changing what it says: numbers keep every digit,
// names match exactly, and what cannot be carried faithfully is refused with its place.
//
// # Canonical form
//
// Two texts say the same exactly when their canonical forms are the same bytes, so comparing is bytes.Equal and hashing
// is Hash, both on canonical bytes. The form has no white space; members are in the order of the UTF-16 code units of
// their names and strings have the fewest escapes, as in RFC 8785; numbers have one spelling for each decimal value:
//
//   - plain digits and never an exponent: 1e3 is 1000, 1e-7 is 0.0000001;
//   - integers of any size without a point: 1.0 is 1;
//   - other numbers with at least one digit before the point and no zero at the end: 1.50 is 1.5;
//   - a zero without a sign: -0.0 is 0.
//
// No number passes through a float64 on its way. That is where this form differs from RFC 8785, which rounds.
//
// # Generated types
//
// Decode and Encode are for the types of generated code, which encoding/json does not serve as well: it matches names
// in any case, reads numbers without a type as float64, keeps members without a field under the name of their map, and
// names a property by its Go field where the name has characters that it does not expect.
package exact
