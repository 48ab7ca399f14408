package generator

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// How the schema file is laid out.
const (
	schemaWidth  = 120 // of a line, in bytes; what does not fit is broken
	schemaIndent = "  "
)

// schemas is the file of JSON Schemas: one object, the schemas by name, after a comment that marks it as generated.
// Members keep their order, and numbers and strings their spelling.
func schemas(m *model) ([]byte, error) {
	comment, err := jsontext.AppendQuote(nil, header(m.Spec))
	if err != nil {
		return nil, err
	}
	all := []member{{name: []byte(`"$comment"`), value: comment}}
	for _, s := range m.Schemas {
		name, err := jsontext.AppendQuote(nil, s.Name)
		if err != nil {
			return nil, err
		}
		line := jsontext.Value(s.JSON).Clone()
		if err := line.Format(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true), jsontext.PreserveRawStrings(true)); err != nil {
			return nil, fmt.Errorf("schema %s: %w", s.Name, err)
		}
		all = append(all, member{name: name, value: line})
	}
	var out bytes.Buffer
	if err := breakLines(&out, '{', all, '}', 0); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// member is a member of an object, or an element of an array and then without a name.
type member struct{ name, value jsontext.Value }

// breakLines writes an object or an array with each of its members on a line of its own, or on several.
func breakLines(out *bytes.Buffer, begin byte, members []member, end byte, depth int) error {
	out.WriteByte(begin)
	for i, m := range members {
		if i > 0 {
			out.WriteByte(',')
		}
		newLine(out, depth+1)
		before := out.Len()
		if m.name != nil {
			fmt.Fprintf(out, "%s: ", m.name)
		}
		used := len(schemaIndent)*(depth+1) + out.Len() - before
		if err := writeValue(out, m.value, used, depth+1); err != nil {
			return err
		}
	}
	newLine(out, depth)
	out.WriteByte(end)
	return nil
}

// writeValue writes a value that begins after used bytes of a line: on that line if it fits, with a comma behind it.
func writeValue(out *bytes.Buffer, line jsontext.Value, used, depth int) error {
	isComposite := line.Kind() == '{' || line.Kind() == '['
	if !isComposite || used+len(line)+len(",") <= schemaWidth {
		out.Write(line)
		return nil
	}
	members, err := split(line)
	if err != nil {
		return err
	}
	return breakLines(out, line[0], members, line[len(line)-1], depth)
}

// split takes an object or an array apart.
func split(composite jsontext.Value) ([]member, error) {
	in := jsontext.NewDecoder(bytes.NewReader(composite))
	begin, err := in.ReadToken()
	if err != nil {
		return nil, err
	}
	isObject := begin.Kind() == '{'
	var members []member
	for in.PeekKind() != '}' && in.PeekKind() != ']' {
		var m member
		if isObject {
			if m.name, err = readValue(in); err != nil {
				return nil, err
			}
		}
		if m.value, err = readValue(in); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// readValue reads a value that outlives the next call of the decoder.
func readValue(in *jsontext.Decoder) (jsontext.Value, error) {
	v, err := in.ReadValue()
	return v.Clone(), err
}

func newLine(out *bytes.Buffer, depth int) {
	out.WriteByte('\n')
	out.WriteString(strings.Repeat(schemaIndent, depth))
}
