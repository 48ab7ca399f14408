package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

const labelSchemas = `{"add_label.payload": {
  "type": "object",
  "properties": {"labels": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}},
  "unevaluatedProperties": false
}}`

// labelling is a client of a server that takes labels.
func labelling(t *testing.T) *client {
	t.Helper()
	w := newWorld(t)
	operation := &noteOperation{
		Meta:  runtime.Meta{Name: "add_label", Digest: "sha256:1", UndoDigest: "sha256:1"},
		Apply: runtime.NoResult(func(context.Context, *noteChange) error { return nil }),
	}
	if err := w.guard.Register(w.server, runtime.Spec{Server: "settings", Schemas: []byte(labelSchemas)}, operation); err != nil {
		t.Fatal(err)
	}
	return w.connect(t)
}

func TestAnswersAboutLongNamesAreSmall(t *testing.T) {
	t.Parallel()
	const (
		nameBytes = 500_000
		most      = 256 << 10 // both halves, escaped for the wire
	)
	long := strings.Repeat("k", nameBytes)
	var unknown, hidden []string
	for i := range 400 {
		unknown = append(unknown, fmt.Sprintf(`"%s%d": 1`, long[:1500], i))
		hidden = append(hidden, fmt.Sprintf(`"%s%d": 1`, strings.Repeat("\u202e", 500), i))
	}
	for _, test := range []struct{ name, arguments string }{
		{"many faults under one long name", `{"labels":{"` + long + `":["x"` + strings.Repeat(`,"x"`, 9000) + `]}}`},
		{"many unknown names", "{" + strings.Join(unknown, ",") + "}"},
		{"many unknown names that cannot be seen", "{" + strings.Join(hidden, ",") + "}"},
		{"a name that is there twice", `{"labels":{"` + long + `":[],"` + long + `":[]}}`},
		{"a number that cannot be kept under a long name", `{"labels":{"` + long + `":[1e999]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := labelling(t)
			r := c.call(t, "preview_add_label", test.arguments)
			wantRefused(t, r, "invalid_payload")
			if got := len(c.wire.last()); got > most || len(r.Violations) == 0 {
				t.Errorf("%d bytes with %d violations", got, len(r.Violations))
			}
			if total := strings.Count(r.text, "more"); len(r.Violations) > 1 && (r.Omitted == 0 || total == 0) {
				t.Errorf("does not say how many more there are: %d omitted", r.Omitted)
			}
		})
	}
}
