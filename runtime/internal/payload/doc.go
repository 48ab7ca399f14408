// Package payload decides whether JSON fits a schema, and says what is wrong in words an agent can act on.
//
// The verdict is that of JSON Schema draft 2020-12 on the exact canonical bytes: a number is compared with all its
// digits, format is an annotation, and a schema refers to nothing outside itself. Schema defaults are filled in before
// the verdict, so what is validated is what is stored, shown and run.
package payload
