package payload

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

const (
	// maxShown is how much of a value a violation repeats, in characters.
	maxShown = 80
	// maxListed is how many values or names a violation lists.
	maxListed = 50
)

// printable escapes what cannot be seen or would change how the text around it is shown.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func shorten(s string) string {
	n := 0
	for i := range s {
		if n == maxShown {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// show writes a value of a schema as JSON, shortened and printable.
func show(value any) string { return shown(placed(value)) }

// shown is show for a value of a payload. It reads little more of the value than it shows.
func shown(v *value) string {
	if v.sealed() != nil {
		return unsaidFound
	}
	if s, ok := v.raw.(string); ok {
		return printable(quote(shorten(s)))
	}
	var b strings.Builder
	sketch(&b, v)
	return printable(shorten(b.String()))
}

// sketch writes a value as JSON, and stops where there is more than is shown.
func sketch(b *strings.Builder, v *value) {
	if b.Len() > maxShown*utf8.UTFMax {
		return
	}
	if v.secret {
		b.WriteString(quote(unsaidFound))
		return
	}
	switch v.kind {
	case kindObject, kindArray:
		brackets := "[]"
		if v.kind == kindObject {
			brackets = "{}"
		}
		b.WriteByte(brackets[0])
		for i := range v.parts[:min(len(v.parts), maxShown)] {
			if i > 0 {
				b.WriteByte(',')
			}
			if v.kind == kindObject {
				b.WriteString(quote(shorten(v.parts[i].name)) + ":")
			}
			sketch(b, &v.parts[i])
		}
		b.WriteByte(brackets[1])
	case kindString:
		b.WriteString(quote(shorten(v.raw.(string))))
	default:
		b.WriteString(identity(v.raw))
	}
}

// quote is exact JSON.
func quote(s string) string {
	quoted, err := exact.FromTree(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(quoted)
}

// place names a JSON Pointer in a message.
func place(pointer string) string {
	if pointer == "" {
		return "the whole value"
	}
	return printable(CutPointer(pointer))
}

// list joins what an agent may choose from.
func list[T any](values []T) string {
	var told []string
	for _, value := range values[:min(len(values), maxListed)] {
		told = append(told, show(value))
	}
	text := strings.Join(told, ", ")
	if more := len(values) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// count says a number of things.
func count(n, thing string) string {
	if n == "1" {
		return n + " " + thing
	}
	if thing == "property" {
		return n + " properties"
	}
	return n + " " + thing + "s"
}

// nearest returns the name that was most likely meant, or "". In case or a third of its letters it may be different.
func nearest(name string, names []string) string {
	best, least := "", 0
	for _, candidate := range names {
		near := (len(candidate) + 1) / 3
		if len(name) > utf8.UTFMax*(len(candidate)+near) {
			continue // too long to be near, whatever it holds
		}
		distance := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(candidate))
		if distance <= near && (best == "" || distance < least) {
			best, least = candidate, distance
		}
	}
	return best
}
