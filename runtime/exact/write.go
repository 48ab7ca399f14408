package exact

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// FromTree writes a tree of the kind that Tree reads as canonical bytes. Nil maps and slices are empty objects and
// arrays. A value of another Go type, a json.Number that is no number within DefaultLimits, a string that is not
// UTF-8, and nesting beyond 1,000, as in a cycle, are an *Error with the path.
func FromTree(tree any) ([]byte, error) {
	return write(tree, treeLimits)
}

// writer appends the canonical form of a tree to out.
type writer struct {
	out    []byte
	limits Limits
	path   []string // of the value being written, unescaped
}

// write takes limits that are filled.
func write(tree any, limits Limits) ([]byte, error) {
	w := &writer{limits: limits}
	if err := w.value(tree); err != nil {
		return nil, err
	}
	return w.out, nil
}

func (w *writer) value(v any) error {
	switch v := v.(type) {
	case nil:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case string:
		return w.text(v)
	case json.Number:
		return w.number(v)
	case []any:
		return w.array(v)
	case map[string]any:
		return w.object(v)
	default:
		return w.fault(ErrType, fmt.Sprintf("a tree has no place for a Go %T", v))
	}
	return nil
}

func (w *writer) text(s string) error {
	var err error
	if w.out, err = jsontext.AppendQuote(w.out, s); err != nil {
		return w.fault(ErrInvalidText, fmt.Sprintf("%q is not UTF-8", shorten(s)))
	}
	return nil
}

func (w *writer) number(n json.Number) error {
	number, err := jsonNumber(n.String(), w.limits)
	if err != nil {
		return w.fault(ErrNumber, fmt.Sprintf("%q %v", shorten(n.String()), err))
	}
	w.out = append(w.out, number...)
	return nil
}

func (w *writer) array(items []any) error {
	if err := w.checkDepth(); err != nil {
		return err
	}
	w.out = append(w.out, '[')
	for i, item := range items {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.child(strconv.Itoa(i), item); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

func (w *writer) object(members map[string]any) error {
	if err := w.checkDepth(); err != nil {
		return err
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.SortFunc(names, compareUTF16)
	w.out = append(w.out, '{')
	for i, name := range names {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.text(name); err != nil {
			return err
		}
		w.out = append(w.out, ':')
		if err := w.child(name, members[name]); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

func (w *writer) child(token string, v any) error {
	w.path = append(w.path, token)
	err := w.value(v)
	w.path = w.path[:len(w.path)-1]
	return err
}

// checkDepth looks at the object or array that is about to be opened.
func (w *writer) checkDepth() error {
	if len(w.path) < w.limits.Depth {
		return nil
	}
	return w.fault(ErrDepth, tooDeep(w.limits))
}

func (w *writer) fault(cause error, detail string) error {
	var pointer jsontext.Pointer
	for _, token := range w.path {
		pointer = pointer.AppendToken(token)
	}
	return &Error{Path: string(pointer), Offset: noOffset, Cause: cause, Detail: detail}
}
