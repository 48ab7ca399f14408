package requestid

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// AddTo is the schema of a payload with the request id as its last property, for the arguments of a preview; about says
// what it is for. All else is left as it was given, in its order, which is that of the author.
func AddTo(given json.RawMessage, about string) (json.RawMessage, error) {
	if err := CheckUnused(given); err != nil {
		return nil, err
	}
	property, err := visible.Marshal(map[string]any{"type": "string", "minLength": 1, "maxLength": MaxChars, "description": about})
	if err != nil {
		return nil, err
	}
	member := append([]byte(`"`+Name+`":`), property...)
	dec := jsontext.NewDecoder(bytes.NewReader(given))
	if start, err := dec.ReadToken(); err != nil || start.Kind() != '{' {
		return nil, errors.New("its root is no object")
	}
	isEmpty := true
	for ; dec.PeekKind() == '"'; isEmpty = false {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		isProperties := name.String() == "properties"
		value, err := dec.ReadValue()
		switch {
		case err != nil:
			return nil, err
		case isProperties && value.Kind() != '{':
			return nil, errors.New("its properties are no object")
		case isProperties:
			hasNone := len(bytes.TrimSpace(value[1:len(value)-1])) == 0
			return insertMember(given, int(dec.InputOffset())-1, member, hasNone), nil
		}
	}
	properties := slices.Concat([]byte(`"properties":{`), member, []byte(`}`))
	return insertMember(given, int(dec.InputOffset()), properties, isEmpty), nil
}

// insertMember puts a member at the end of an object, which is at that offset.
func insertMember(text []byte, end int, member []byte, first bool) json.RawMessage {
	if !first {
		member = append([]byte(","), member...)
	}
	return slices.Insert(slices.Clone(text), end, member...)
}
