package payload

import (
	"fmt"
	"strconv"
	"strings"

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

// show writes a value as JSON, shortened and printable.
func show(value any) string {
	if s, ok := value.(string); ok {
		value = shorten(s)
	}
	text, err := exact.FromTree(value)
	if err != nil {
		return fmt.Sprintf("a value that cannot be shown (%v)", err)
	}
	if _, ok := value.(string); ok {
		return printable(string(text))
	}
	return printable(shorten(string(text)))
}

// place names a JSON Pointer in a message.
func place(pointer string) string {
	if pointer == "" {
		return "the whole value"
	}
	return printable(shorten(pointer))
}

// list joins what an agent may choose from.
func list(shown []string) string {
	text := strings.Join(shown[:min(len(shown), maxListed)], ", ")
	if more := len(shown) - maxListed; more > 0 {
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
		distance := levenshtein.ComputeDistance(shorten(strings.ToLower(name)), strings.ToLower(candidate))
		if near := (len(candidate) + 1) / 3; distance <= near && (best == "" || distance < least) {
			best, least = candidate, distance
		}
	}
	return best
}
