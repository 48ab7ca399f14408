package generator_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is what one more operation with eight payload fields may add: compiling it is what users pay for.
const maxLines = 100

func TestOperationWithEightFieldsStaysWithinItsLines(t *testing.T) {
	t.Parallel()
	added := goLines(t, manyOperations(t, 2)) - goLines(t, manyOperations(t, 1))
	if added > maxLines || added < maxLines/2 {
		t.Errorf("one more operation adds %d lines, want at most %d (and a count that can be believed)", added, maxLines)
	}
}

// shapes are operations with eight fields that bring more than those of manyOperations: enums, an inline state, rows.
var shapes = map[string]string{
	"a create with seven enums": `
    payload:
      type: object
      required: [name, kind]
      properties:
        name: {type: string, description: Name of the rule.}
        kind: {enum: [metric, log, trace], description: What it looks at.}
        severity: {enum: [info, warning, critical], default: warning, description: How bad it is.}
        channel: {enum: [mail, chat, pager], default: mail, description: Where it is sent.}
        mode: {enum: [once, always, digest], default: once, description: How often.}
        window: {enum: [minute, hour, day], default: hour, description: Over what time.}
        op: {enum: [above, below, equal], default: above, description: How it compares.}
        unit: {enum: [count, percent, bytes], default: count, description: In what unit.}
    observe: none
    diff: [{label: rule, after: payload}]
    undo: none
    result: {type: object, required: [id], properties: {id: {type: integer}}}
`,
	"an update with two enums and a state of its own": `
    payload:
      type: object
      required: [name]
      properties:
        name: {type: string, description: Which issue.}
        title: {type: [string, 'null'], description: 'What it is called, by which it is found and shown in every list and search.'}
        phase: {enum: [open, closed, draft, merged, locked, pinned], description: How far it is.}
        labels: {type: array, items: {type: string}, description: All labels of the issue; those that are not named are taken from it.}
        milestone: {type: [integer, 'null'], description: 'The number of the milestone, or null for none at all, which takes it off.'}
        priority: {enum: [low, medium, high, urgent, none], description: How urgent it is.}
        assignee: {type: [string, 'null'], description: Who looks after it.}
        due: {type: [string, 'null'], format: date-time, description: 'When it is due; null for never, and it stays as it is if it is left out.'}
    observe: go
    state:
      type: object
      required: [id, title, phase]
      properties:
        id: {type: integer}
        title: {type: string}
        phase: {type: string}
        labels: {type: array, items: {type: string}}
        milestone: {type: [integer, 'null']}
        priority: {type: [string, 'null']}
        assignee: {type: [string, 'null']}
        due: {type: [string, 'null']}
    diff:
      - {label: title, before: state.title, after: payload.title}
      - {label: phase, before: state.phase, after: payload.phase}
      - {label: labels, before: state.labels, after: payload.labels}
      - {label: milestone, before: state.milestone, after: payload.milestone}
      - {label: priority, before: state.priority, after: payload.priority}
      - {label: assignee, before: state.assignee, after: payload.assignee}
      - {label: due, before: state.due, after: payload.due}
    undo: go
    result: {type: object, required: [version, url], properties: {version: {type: integer}, url: {type: string}}}
`,
}

func TestFileOfAnOperationWithEightFieldsStaysWithinItsLines(t *testing.T) {
	t.Parallel()
	for name, operation := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := "version: 1\npackage: p\nserver: {name: s}\noperations:\n  change_it:\n    title: Change it\n    description: Change one.\n" +
				"    summary: Change ${payload.name}\n    apply: go" + operation
			file := generateFrom(t, "spec.changeset.yaml", []byte(src))["spec.change_it.changeset.go"]
			if lines := strings.Count(file, "\n"); lines > maxLines || lines < maxLines/2 {
				t.Errorf("the file has %d lines, want at most %d (and a count that can be believed):\n%s", lines, maxLines, file)
			}
		})
	}
}

// goLines counts the lines of all Go files that a spec becomes.
func goLines(t *testing.T, spec []byte) int {
	t.Helper()
	lines := 0
	for name, text := range generateFrom(t, "spec.changeset.yaml", spec) {
		if strings.HasSuffix(name, ".go") {
			lines += strings.Count(text, "\n")
		}
	}
	return lines
}

// maxFunctions is what one more operation may add to what is compiled: the function that makes it, its three hooks, two
// wrappers for each of its two bodies, and one for the only method that a runtime.Operation has. A method more there, or
// one of a change, would be compiled again for each operation.
const maxFunctions = 9

func TestOneMoreOperationAddsFewFunctions(t *testing.T) {
	t.Parallel()
	module := newModule(t)
	added := functions(t, module, manyOperations(t, 12)) - functions(t, module, manyOperations(t, 11))
	if added > maxFunctions || added < maxFunctions/2 {
		t.Errorf("one more operation adds %d functions, want at most %d (and a count that can be believed)", added, maxFunctions)
	}
}

// functions counts what the compiler makes of the package that a spec becomes.
func functions(t *testing.T, module string, spec []byte) int {
	t.Helper()
	dir, err := os.MkdirTemp(module, "counted")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range generateFrom(t, "spec.changeset.yaml", spec) {
		write(t, filepath.Join(dir, name), text)
	}
	archive := filepath.Join(dir, "package.a")
	run := func(args ...string) string {
		command := exec.Command("go", args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GOWORK="+filepath.Join(module, workFile))
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("build", "-o", archive, ".")
	return strings.Count(run("tool", "nm", archive), " T ")
}
