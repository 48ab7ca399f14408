package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// requestIDSchema is how clients are shown the request id of a preview.
func requestIDSchema() schema {
	return schema{"type": "string", "minLength": 1, "maxLength": maxRequestID, "description": aboutRequestID}
}

// withRequestID is the schema of a payload with the request id as its last property, for the arguments of a preview. All
// else is left as it was given, in its order, which is that of the author.
func withRequestID(given json.RawMessage) (json.RawMessage, error) {
	if err := checkNoRequestID(given); err != nil {
		return nil, err
	}
	member := append([]byte(`"`+argRequest+`":`), requestIDSchema().raw()...)
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

// checkNoRequestID refuses a payload with a property of that name: it would be taken for the request id.
func checkNoRequestID(payload json.RawMessage) error {
	var node struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		AllOf      []json.RawMessage          `json:"allOf"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
		OneOf      []json.RawMessage          `json:"oneOf"`
		Then       json.RawMessage            `json:"then"`
		Else       json.RawMessage            `json:"else"`
	}
	if json.Unmarshal(payload, &node) != nil {
		return nil // true, false, or nothing: they name none
	}
	if _, ok := node.Properties[argRequest]; ok || slices.Contains(node.Required, argRequest) {
		return fmt.Errorf("its payload has a property %s, which is the name of an argument of every preview: give it another name", argRequest)
	}
	for _, part := range slices.Concat(node.AllOf, node.AnyOf, node.OneOf, []json.RawMessage{node.Then, node.Else}) {
		if err := checkNoRequestID(part); err != nil {
			return err
		}
	}
	return nil
}
