package document

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readableBytes is the length of the longest line that is taken apart. Nobody reads a longer one, and taking it apart for
// each of its faults could take long.
const readableBytes = 4096

// quotedRunes bounds the text that is shown in quotes, so that a message stays readable.
const quotedRunes = 100

// Quoted is the node as it would be written in quotes, with its key, where YAML takes what stands in its line for
// something else than text: before: '!state.locked'. It is "" where the line does not hold the node, or too much of it.
func (n *Node) Quoted() string {
	if n == nil || n.Pos.Line != n.Start().Line {
		return ""
	}
	found, inside := entryAt(n.origin.source.from(n.Pos.Line, 1), n.Pos.Column)
	if !inside && n.Key == "" {
		found = found.whole()
	}
	if found.key != n.Key {
		return ""
	}
	return found.quoted()
}

// Rewritten is text that stands in several lines of the file as it would be written on one; "" if it cannot be, or is
// too long.
func (n *Node) Rewritten() string {
	return entry{key: n.Key, value: strings.TrimRight(n.Text, "\n")}.quoted()
}

// entry is a key and its value in a line, as they were written. The key is "" for an item of a list.
type entry struct {
	key, value string
	start      int    // of the value, in bytes
	text       string // both
}

// whole is the entry as an item of a list: what looks like a key and its value may be meant as one text.
func (e entry) whole() entry { return entry{value: e.text} }

// quoted is the entry with its value in quotes; "" if it holds what cannot stand there, or nothing that needs them.
func (e entry) quoted() string {
	if e.value == "" || isOpen(e.value) || utf8.RuneCountInString(e.value) > quotedRunes || strings.ContainsFunc(e.value, unicode.IsControl) {
		return ""
	}
	value := "'" + strings.ReplaceAll(e.value, "'", "''") + "'"
	if e.key == "" {
		return value
	}
	if kind, clear := resolve(e.key); kind != Text || !clear || !plainKey.MatchString(e.key) {
		return ""
	}
	return e.key + ": " + value
}

// plainKey is what a key looks like that means the same wherever it stands.
var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.$-]*$`)

// entryAt finds the entry of a line that a column lies in, and tells whether that is in its value. The line may be one
// that YAML cannot read.
func entryAt(line string, column int) (found entry, inside bool) {
	if len(line) > readableBytes {
		return entry{}, false
	}
	at := len(line) - len(fromColumn(line, column))
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	for strings.HasPrefix(line[start:], "- ") {
		start = len(line) - len(strings.TrimLeft(line[start+1:], " "))
	}
	found = entryOf(line, start, start+len(withoutComment(line[start:])))
	found.value = strings.TrimSuffix(found.value, ",") // of a map in braces over several lines
	for at > found.start && at < found.start+len(found.value) && bracketed(found.value) {
		found = found.part(line, at)
	}
	return found, found.start <= at && at <= found.start+len(found.value)
}

// part is the entry that has a place in it, of those in a list or map in brackets.
func (e entry) part(line string, at int) entry {
	from, end := e.start+1, e.start+len(e.value)-1
	for {
		to := from + length(line[from:end], ",")
		if at <= to {
			return entryOf(line, from, to)
		}
		from = to + 1
	}
}

// entryOf takes the part of a line between two places for an entry, without the space around it.
func entryOf(line string, from, to int) entry {
	text := strings.TrimRight(line[from:to], " \t")
	e := entry{value: text, text: strings.TrimLeft(text, " \t")}
	if colon := length(text, ": "); colon < len(text) {
		e.key, e.value = strings.TrimSpace(text[:colon]), text[colon+1:]
	}
	e.value = strings.TrimLeft(e.value, " \t")
	e.start = from + len(text) - len(e.value)
	return e
}

// bracketed tells whether text is one list or map in brackets from its first to its last character.
func bracketed(text string) bool {
	length, closed := token(text)
	return opens(text) && closed && length == len(text)
}

// isOpen tells whether text begins with a bracket or a quote that goes on in the next line.
func isOpen(text string) bool {
	_, closed := token(text)
	return !closed
}

func opens(text string) bool { return text != "" && (text[0] == '{' || text[0] == '[') }

// length is how much of a text comes before a mark outside quotes and brackets: all of it if there is none.
func length(text, mark string) int {
	for at := 0; at < len(text); {
		switch {
		case strings.HasPrefix(text[at:], mark):
			return at
		case at > 0 && text[at] == '\'' && isWord(text[at-1]): // it's
			at++
		default:
			size, _ := token(text[at:])
			at += size
		}
	}
	return len(text)
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// token is the length of what a text begins with: a quote or brackets to their end, or else one byte. What is not
// closed ends with the text.
func token(text string) (length int, closed bool) {
	switch {
	case text == "":
		return 0, true
	case text[0] == '\'' || text[0] == '"':
		if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
			return end + len(`""`), true
		}
		return len(text), false
	case opens(text):
		for at := 1; at < len(text); {
			if text[at] == '}' || text[at] == ']' {
				return at + 1, true
			}
			size, _ := token(text[at:])
			at += size
		}
		return len(text), false
	default:
		return 1, true
	}
}

// withoutComment is the rest of a line without a comment at its end. A value that begins with # as a colour does is not
// taken for one: it is there to be put in quotes.
func withoutComment(text string) string {
	end := length(text, " #")
	if length(text, ": ")+1 == end && !strings.HasPrefix(text[end:], " # ") {
		return text
	}
	return text[:end]
}
