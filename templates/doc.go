// Package templates holds the files that an author of a server starts from:
//
//   - settings.changeset.yaml, a spec of one operation, with which examples/settings.changeset.yaml begins;
//   - main.go.txt, a server over standard input and output with a SQLite ledger;
//   - bodies.go.txt, the bodies of the operation, which refuse until they are written.
//
// They are copied once and then belong to the author; nothing ever writes to them again. The quickstart in
// examples/settings/README.md uses them, and its test keeps them working.
package templates
