package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// digests are over the behaviour of an operation, and over that part of it which an undo depends on. They are the same
// for every way to write a spec: prose, times, layout, comments and the order of keys do not count. What is promised of
// an undo does, because it is why somebody says yes. Who says yes, limits and what ends a doubt do not: what the running
// operation says of them counts for changes of earlier versions too.
func digests(op *Operation, r *resource, payload, result string) (behaviour, undo string) {
	after := r.After
	lookAfter := r.lookAfter
	if after == nil {
		after, lookAfter = &r.Observe, r.look
	}
	shared := []string{
		part("state", r.canonical),
		part("after", describe(after, lookAfter)),
		part("many", fmt.Sprint(r.Many)),
		part("undo", fmt.Sprint(op.Undo)),
	}
	if op.AssertFormats {
		shared = append(shared, part("formats", "asserted"))
	}
	own := []string{
		part("payload", payload),
		part("observe", describe(&r.Observe, r.look)),
		part("bind", paths(r.Bind)),
		part("volatile", paths(r.Volatile)),
		part("absent", fmt.Sprint(r.Absent)),
		part("apply", fmt.Sprint(op.Apply)),
		part("inverse", string(op.Inverse)),
		part("loses", op.Loses.String()),
	}
	if op.Revision != "" {
		own = append(own, part("revision", op.Revision))
	}
	behaviour = digest(append(own, shared...))
	undo = digest(append([]string{part("result", result)}, shared...))
	return behaviour, undo
}

// part is a named part of what is hashed, quoted so that no two lists of parts run together alike.
func part(name, value string) string { return fmt.Sprintf("%s %q\n", name, value) }

func digest(parts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// describe is a look in the same words for every layout.
func describe(o *Observe, q query) string {
	connection := ""
	if o.Connection != nil {
		connection = o.Connection.Name + " " + string(o.Connection.Dialect)
	}
	return fmt.Sprintf("%d %q %q", o.Kind, connection, q.statement.Normal)
}

// paths are field paths in an order of their own.
func paths(all [][]string) string {
	joined := make([]string, len(all))
	for i, path := range all {
		joined[i] = strings.Join(path, ".")
	}
	slices.Sort(joined)
	return strings.Join(joined, " ")
}
