// Package sqlop is what generated and hand-written operations use to read and write rows: exact values in both
// directions, and a write that tells nothing-was-written from nobody-knows.
//
// # Columns
//
// A driver gives a column as whatever it finds convenient: SQLite's REAL 1e6 as a float, its booleans as integers, a
// NUMERIC as text, a declared DATE as a time. Each Column takes what means exactly its type and refuses everything else
// with a *ColumnError that says what to write in the query. Columns are matched to those of the query by name, exactly.
//
//	reads as          takes                                                               NULL
//	Text              text in UTF-8                                                       an error
//	Integer           an integer, or a number without a fraction that fits 64 bits        an error
//	WideInteger       an integer of any size, as text beyond 64 bits                      an error
//	Number            an integer, a decimal as text, a float as its shortest decimal      an error
//	Float             a number that a float64 gives back unchanged                        an error
//	Bool              a boolean, 0, 1                                                     an error
//	JSON              JSON as text that its Go type holds without a loss                  an error
//	Raw               JSON as text, and numbers and booleans as they are                  null
//	Nullable          what the column it is made of takes                                 nil: null
//	Optional…         what the column it is made of takes                                 nil: absent
//	OptionalNullable  what the column it is made of takes                                 null
//
// # Parameters
//
// Pointers are followed and nil is NULL; a named string is text; a json.Number is an integer where it is one of 64
// bits, a float where it has a fraction and at most 15 digits, which a float gives back, else its exact decimal as text,
// which compares as a number with a column of numbers but not with an expression; times, bytes and driver.Valuer go to
// the driver as they are; slices, maps and structs are JSON text, and a nil slice or map is NULL. A runtime.Optional is
// its value, or NULL. A json.RawMessage is its text: a string has its quotes and null is the text null, so that what is
// written is read again by Raw; a nil one is NULL.
package sqlop
