// Package diag holds what is said about a spec that is wrong: a position, a sentence, and a way out.
//
// Every part of the spec reader reports through a List, so that all faults of a run are shown together, in the
// order of the file, in one form.
package diag

// Pos is a place in a spec file. The zero Pos means no place is known.
type Pos struct {
	File   string // as the caller named it
	Line   int    // from 1
	Column int    // from 1, in characters
}

// Diagnostic is one fault of a spec.
type Diagnostic struct {
	Pos     Pos
	Where   string // the key path it is about: operations.set_setting.diff[0].after
	Message string // what is wrong, without a full stop
	Hint    string // what to write instead; "" if there is nothing to suggest
	Code    string // stable: CS1203
}
