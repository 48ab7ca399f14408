package document

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// syntax is what the YAML parser says, at the place it says it of.
func syntax(name string, src []byte, err error) *diag.Diagnostic {
	d := diag.Diagnostic{Pos: diag.Pos{File: name, Line: 1, Column: 1}, Message: "not YAML: " + err.Error(), Code: diag.BadYAML}
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return &d
	}
	d.Pos = inside(name, src, load.Mark)
	if load.Message == errTooDeep.Error() { // the parser keeps the words of the error, not the error
		d.Message, d.Code = fmt.Sprintf("nested more than %d deep", maxDepth), diag.TooDeep
		return &d
	}
	d.Message = "not YAML: " + load.Message
	if context := load.ContextMsg; context != "" {
		if begun := load.ContextMark.Line; begun > 0 && begun < d.Pos.Line {
			context += fmt.Sprintf(" that begins on line %d", begun)
		}
		d.Message += " (" + context + ")"
	}
	d.Hint = advice(load.Message, load.ContextMsg, splitLines(src)[d.Pos.Line-1], d.Pos.Column)
	return &d
}

// inside moves a mark that lies past the end of the file to its last place.
func inside(name string, src []byte, mark yaml.Mark) diag.Pos {
	lines := splitLines(bytes.TrimSuffix(src, []byte("\n")))
	line := min(max(mark.Line, 1), len(lines))
	column := utf8.RuneCountInString(lines[line-1]) + 1
	if line == mark.Line {
		column = min(max(mark.Column, 1), column)
	}
	return diag.Pos{File: name, Line: line, Column: column}
}

// advice is what mends a fault of the syntax in a line; "" where that cannot be told from what the parser says.
func advice(message, context, line string, column int) string {
	rest := fromColumn(line, column)
	before := strings.TrimSuffix(line, rest)
	blank := strings.TrimSpace(before) == ""
	switch {
	case strings.Contains(message, "tab character"), blank && strings.HasPrefix(rest, "\t"):
		return "indent with spaces"
	case strings.Contains(message, "incompatible YAML document"):
		return "take the %YAML line out"
	case strings.Contains(context, "quoted scalar"):
		return adviceInQuotes(message)
	}
	found, inside := entryAt(line, column)
	block := found.key != "" && !strings.Contains(context, "flow") // what ends brackets has none to end
	if quoted := found.quoted(); inside && quoted != "" && (block || selfContained(found.value)) {
		if anchor, isName := strings.CutPrefix(found.value, "*"); isName && strings.Contains(message, "unknown anchor") {
			return "quote it: " + quoted + "; if it is an alias, write &" + anchor + " before what it stands for, above"
		}
		return "quote it: " + quoted
	}
	if strings.Contains(context, "flow") && strings.HasSuffix(before, "$") && strings.HasPrefix(rest, "{") {
		return "quote text that holds ${…}"
	}
	return generalAdvice(message, context, rest, blank)
}

// selfContained tells whether text holds nothing that ends, or goes on with, the brackets around it.
func selfContained(text string) bool {
	return !slices.ContainsFunc([]string{",", "}", "]"}, func(mark string) bool { return length(text, mark) < len(text) })
}

// generalAdvice is for a fault at the rest of a line, which follows nothing but space if it is blank.
func generalAdvice(message, context, rest string, blank bool) string {
	switch {
	case strings.Contains(context, "flow sequence"):
		return "close it with ], or quote text that holds any of { } [ ] , :"
	case strings.Contains(context, "flow mapping"):
		return "close it with }, or quote text that holds any of { } [ ] , :"
	case strings.Contains(message, "mapping values are not allowed"):
		return "quote text that holds a colon, or indent the line as those beside it"
	case blank && strings.Contains(context, "parsing a block"):
		return "indent the line as those beside it"
	case strings.Contains(message, "expected node content") || strings.Contains(message, "cannot start any token"):
		return "quote text that begins with " + firstRune(rest)
	case strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "]"):
		return "take the " + firstRune(rest) + " out: nothing is open that it ends"
	case strings.Contains(message, "expected key"):
		return "what begins with a quote or a bracket ends with it: quote the whole text"
	default:
		return ""
	}
}

// firstRune is the first character of a text that is not empty.
func firstRune(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

func adviceInQuotes(message string) string {
	switch {
	case strings.Contains(message, "end of stream"):
		return "close the quote"
	case strings.Contains(message, "invalid Unicode"):
		return "write the character itself"
	default:
		return `in double quotes \ begins an escape: use single quotes`
	}
}
