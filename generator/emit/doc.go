// Package emit prints Go files from a small model of them: declarations, statements and expressions. It is the only
// package that knows the printing library.
//
// Text that comes from a user (comments, string literals, struct tags) is turned into safe Go source here, before the
// library sees it: no description can end a comment, and no query can end a literal. Everything else, the order of
// declarations above all, is decided by the caller. Nothing is printed that does not parse.
package emit
