package spec_test

import (
	"strings"
	"testing"
)

// digestsOf are those of the only operation of a spec.
func digestsOf(t *testing.T, src string) (behaviour, undo string) {
	t.Helper()
	op := accept(t, src).Operations[0]
	return op.Digest, op.UndoDigest
}

const digested = `
version: 1
package: p
server: {name: s}
connections: {main: {sql: sqlite}}
operations:
  set_thing:
    title: Change a thing
    description: Change a thing.
    observe:
      db: main
      sql: |
        SELECT name, size -- of a thing
        FROM things
        WHERE id = ${payload.id}
      after:
        sql: SELECT name, size FROM things WHERE id = ${result.id}
    state: {type: object, required: [name, size], properties: {name: {type: string}, size: {type: integer}}}
    bind: [state.name]
    volatile: [state.size]
    payload: {type: object, required: [id], properties: {id: {type: string, maxLength: 10}}}
    result: {type: object, required: [id], properties: {id: {type: string}}}
    summary: Change ${payload.id}
    apply: go
    undo: go
    ttl: 10m
`

func TestDigestDoesNotDependOnProseTimesAndLayout(t *testing.T) {
	t.Parallel()
	wantBehaviour, wantUndo := digestsOf(t, digested)
	if !strings.HasPrefix(wantBehaviour, "sha256:") || wantBehaviour == wantUndo {
		t.Errorf("digests %q and %q", wantBehaviour, wantUndo)
	}
	rewritten := `{operations: {set_thing: {
		undo: go, apply: go, summary: 'Alter ${payload.id}', timeout: 5s, inverse: {kind: exact},
		description: 'Another text.', # a comment
		diff: [{label: id, after: payload.id}],
		result: {properties: {id: {type: string, description: Made.}}, required: [id], type: object},
		payload: {properties: {id: {maxLength: 1e1, type: string, title: Which}}, required: [id], type: object},
		volatile: [state.size], bind: [state.name],
		state: {properties: {size: {type: integer}, name: {type: string}}, required: [size, name], type: object},
		observe: {absent: refuse, after: {db: main, sql: 'SELECT name, size FROM things WHERE id = ${ result.id }'},
			sql: 'SELECT name, size FROM things WHERE id = ${payload.id}', db: main}}},
	connections: {main: {sql: sqlite}}, server: {name: other}, package: q, version: 1}`
	behaviour, undo := digestsOf(t, strings.ReplaceAll(rewritten, "\t", " "))
	if behaviour != wantBehaviour {
		t.Error("the digest of the behaviour changed")
	}
	if undo != wantUndo {
		t.Error("the digest of the undo changed")
	}
}

func TestDigestChangesWithTheBehaviour(t *testing.T) {
	t.Parallel()
	behaviour, undo := digestsOf(t, digested)
	for _, test := range []struct {
		name, old, new  string
		behaves, undoes bool // which of the digests change
	}{
		{"payload", "maxLength: 10", "maxLength: 11", true, false},
		{"query", "FROM things\n", "FROM other_things\n", true, false},
		{"parameter", "WHERE id = ${payload.id}\n      after", "WHERE id = lower(${payload.id})\n      after", true, false},
		{"look after", "FROM things WHERE id = ${result.id}", "FROM things WHERE key = ${result.id}", true, true},
		{"state", "size: {type: integer}", "size: {type: integer, minimum: 0}", true, true},
		{"bind", "    bind: [state.name]\n", "", true, false},
		{"volatile", "    volatile: [state.size]\n", "", true, false},
		{"absence", "      db: main\n", "      db: main\n      absent: allow\n", true, false},
		{"result", "properties: {id: {type: string}}}\n    summary", "properties: {id: {type: string, minLength: 1}}}\n    summary", false, true},
		{"undo", "undo: go", "undo: none", true, true},
		{"how far the undo can be trusted", "    ttl: 10m\n", "    inverse: {kind: compensating}\n", true, false},
		{"what the undo loses", "    ttl: 10m\n", "    inverse: {kind: exact, loses: 'the history of ${payload.id}'}\n", true, false},
		{"formats that are asserted", "    ttl: 10m\n", "    assert_formats: true\n", true, true},
		{"preparing, which an approval comes after", "    ttl: 10m\n", "    prepare: go\n", false, false},
		{"Go type in the payload", "maxLength: 10", "maxLength: 10, x-go-type: raw", true, false},
		{"Go type in the state", "{name: {type: string}", "{name: {type: string, x-go-type: raw}", true, true},
		{"Go type in the result", "properties: {id: {type: string}}}\n    summary", "properties: {id: {type: string, x-go-type: raw}}}\n    summary", false, true},
		{"Go name", "maxLength: 10", "maxLength: 10, x-go-name: Which", false, false},
		{"connection", "{main: {sql: sqlite}}", "{main: {sql: postgres}}", true, true},
		{"revision of the bodies", "    ttl: 10m\n", "    revision: '2'\n", true, false},
		{"who says yes", "    ttl: 10m\n", "    approval: {by: operator, when: payload.id == 'x'}\n    undo_approval: token\n", false, false},
		{"limits", "    ttl: 10m\n", "    limits: {changes: 1, per: 1h}\n", false, false},
		{"what ends a doubt", "    ttl: 10m\n", "    reconcile: go\n", false, false},
		{"a second try", "    ttl: 10m\n", "    retry: if_not_applied\n    no_change: never\n", false, false},
		{"hints for clients and names of tools", "    ttl: 10m\n", "    annotations: {open_world: false}\n    tool_names: {preview: show}\n", false, false},
		{"name", "  set_thing:", "  change_thing:", false, false},
		{"former names", "    ttl: 10m\n", "    aliases: [change_thing]\n", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(digested, test.old, test.new, 1)
			if changed == digested {
				t.Fatal("nothing is replaced")
			}
			gotBehaviour, gotUndo := digestsOf(t, changed)
			if (gotBehaviour != behaviour) != test.behaves {
				t.Errorf("the digest of the behaviour changed: %v", !test.behaves)
			}
			if (gotUndo != undo) != test.undoes {
				t.Errorf("the digest of the undo changed: %v", !test.undoes)
			}
		})
	}
}
