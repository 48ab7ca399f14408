// Package payload decides whether JSON fits a schema, and says what is wrong in words an agent can act on.
//
// The verdict is that of JSON Schema draft 2020-12 on the exact canonical bytes: a number is compared with all its
// digits, format is an annotation unless it is to be asserted, and a schema refers to nothing outside itself. Schema
// defaults are filled in before the verdict, so what is validated is what is stored, shown and run.
//
// A library reads a schema, holds it against the metaschema, and resolves its references; from what it made, [Compile]
// builds rules, and a run asks them about a payload. The library's own evaluation is not used: its work doubles with each
// level of some schemas, and it gathers an error for each branch of each union. A run asks each rule about each value
// once, counts its steps, and gives up when there are too many. Only for a payload that does not fit, an explainer then
// goes the same ways again and reports every flaw, of a union those of the branch that was meant.
//
// What "x-sensitive": true marks can be found in a payload, and is in no word about one.
package payload
