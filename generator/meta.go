package generator

import (
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec"
)

// metaKey is everything about an operation that does not depend on its types.
func metaKey(op *operation) []emit.Key {
	var keys []emit.Key
	add := func(name string, present bool, value emit.Expr) {
		if present {
			keys = append(keys, emit.Key{Name: name, Value: value})
		}
	}
	add("Name", true, emit.String(op.Name))
	add("Title", op.Title != "", emit.String(op.Title))
	add("Description", op.Description != "", emit.Text(op.Description))
	add("Resource", true, emit.String(op.resource.Name))
	add("Absent", op.resource.Absent != spec.AbsentRefused, absence(op.resource.Absent))
	add("Bind", op.resource.Bind != nil, paths(op.resource.Bind))
	add("Volatile", op.resource.Volatile != nil, paths(op.resource.Volatile))
	add("Inverse", op.Inverse == spec.Compensating, runtimePkg.Dot("Compensating"))
	add("AssertFormats", op.AssertFormats, trueValue)
	add("Digest", true, emit.String(op.Digest))
	add("UndoDigest", true, emit.String(op.UndoDigest))
	add("TTL", op.TTL != 0, duration(op.TTL))
	add("UndoTTL", op.UndoTTL != 0, duration(op.UndoTTL))
	add("UndoTTL", op.UndoForever, runtimePkg.Dot("Never"))
	add("Timeout", op.Timeout != 0, duration(op.Timeout))
	keys = append(keys, policyKeys(&op.Policy)...)
	return []emit.Key{{Name: "Meta", Value: emit.Lines(runtimePkg.Dot("Meta"), keys...)}}
}

// absence is what finding nothing, or something, means.
func absence(a spec.Absence) emit.Expr {
	switch a {
	case spec.AbsentAllowed:
		return runtimePkg.Dot("AbsentAllowed")
	case spec.ExistsRefused:
		return runtimePkg.Dot("ExistsRefused")
	default:
		return runtimePkg.Dot("AbsentRefused")
	}
}

// paths are field paths, dotted.
func paths(fields [][]string) emit.Expr {
	dotted := make([]string, len(fields))
	for i, f := range fields {
		dotted[i] = strings.Join(f, ".")
	}
	return texts(dotted)
}

// texts is a list of strings.
func texts(all []string) emit.Expr {
	keys := make([]emit.Key, len(all))
	for i, text := range all {
		keys[i] = emit.Key{Value: emit.String(text)}
	}
	return emit.Literal(emit.Slice(emit.Name("string")), keys...)
}

// unit is what durations are written in.
type unit struct {
	length time.Duration
	expr   emit.Expr
}

const hoursADay = 24

// units are all of them, the largest first.
var units = []unit{
	{hoursADay * time.Hour, emit.Times(hoursADay, timePkg.Dot("Hour"))},
	{time.Hour, timePkg.Dot("Hour")},
	{time.Minute, timePkg.Dot("Minute")},
	{time.Second, timePkg.Dot("Second")},
	{time.Millisecond, timePkg.Dot("Millisecond")},
	{time.Microsecond, timePkg.Dot("Microsecond")},
	{time.Nanosecond, timePkg.Dot("Nanosecond")},
}

// duration is d in the largest unit that d is a multiple of: 15 * time.Minute.
func duration(d time.Duration) emit.Expr {
	fits := slices.IndexFunc(units, func(u unit) bool { return d%u.length == 0 }) // the nanosecond always does
	u := units[fits]
	return emit.Times(int64(d/u.length), u.expr)
}
