// Package spec reads a spec: YAML to a checked model, or to diagnostics that say where it is wrong and what to
// write instead. Everything in a spec is checked here; nothing in it is interpreted at run time.
package spec
