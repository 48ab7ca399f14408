package runtime

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// schema is a JSON Schema that clients get. Its root is a plain object without combinators, because some clients drop
// a tool whose schema has one: what an answer and a refusal have is listed side by side.
type schema map[string]any

func str(about string) schema  { return schema{"type": "string", "description": about} }
func flag(about string) schema { return schema{"type": "boolean", "description": about} }
func list(of schema) schema    { return schema{"type": "array", "items": of} }
func anything(about string) schema {
	return schema{"description": about}
}

func object(properties schema, required ...string) schema {
	of := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		of["required"] = required
	}
	return of
}

// raw is the schema as JSON text. It holds nothing that has none.
func (s schema) raw() json.RawMessage {
	encoded, _ := visible.Marshal(s)
	return encoded
}

func applyInput() json.RawMessage {
	return object(schema{
		argChange: str(aboutChangeID), argToken: str(aboutToken), argExpected: str(aboutExpected),
	}, argChange, argToken).raw()
}

func undoInput() json.RawMessage {
	return object(schema{argChange: str(aboutChangeID), argUndo: str(aboutUndoArg)}, argChange, argUndo).raw()
}

func statusInput() json.RawMessage {
	return object(schema{argChange: str(aboutChangeID)}, argChange).raw()
}

// previewOutput has what a status tells, too: a request that is made again may be about a change that is settled.
func previewOutput() json.RawMessage {
	properties := statusProperties()
	maps.Copy(properties, schema{
		"undo": object(schema{
			"possible": flag("Whether the change can be taken back."),
			"kind":     str("exact, or compensating: how far undo can be trusted."),
			"loses":    str("What undo cannot bring back."),
			"approval": str("Who has to say yes to an undo, besides whoever has its token; absent if nobody."),
		}, "possible"),
		argToken:         str("For the apply tool. It is shown once."),
		"writes_enabled": flag("Whether the operator has switched writes on."),
		"items":          schema{"type": "integer", "description": "How many things the change affects, where that is limited."},
		"previously_rejected": object(schema{
			"change_id": str("The change that a person rejected; absent if it was another caller's."),
			"reason":    str("Why, as the person said."),
		}),
	})
	return output(properties, append(changeStatuses(), statusPreview)...).raw()
}

func applyOutput(result json.RawMessage) json.RawMessage {
	root := output(schema{
		"operation":       str("Name of the operation."),
		"result":          anything("What apply returned."),
		argUndo:           str("For the undo tool. It is shown once."),
		"undo_expires_at": str("RFC 3339."),
		"next_step":       str("What to do now."),
		"retry": object(schema{
			argChange:    str("A new change that does the same, because this one is proved to have written nothing."),
			argToken:     str("For the apply tool, of that change."),
			"expires_at": str("RFC 3339."),
		}, argChange, "expires_at"),
	}, string(ledger.Applied))
	embedResult(root, result)
	return root.raw()
}

func undoOutput() json.RawMessage {
	return output(schema{
		"operation": str("Name of the operation."),
		"next_step": str("What to do now."),
	}, string(ledger.Undone)).raw()
}

func statusOutput() json.RawMessage { return output(statusProperties(), changeStatuses()...).raw() }

func statusProperties() schema {
	return schema{
		"operation":       str("Name of the operation."),
		"summary":         str("What the change does, in a sentence, as it was shown at the preview."),
		"diff":            diffSchema(),
		"overview":        overviewSchema(),
		"loses":           str("What undo cannot bring back."),
		"created_at":      str("RFC 3339."),
		"updated_at":      str("RFC 3339: the last transition."),
		"expires_at":      str("RFC 3339: the end of the preview. At this instant it is expired."),
		"applied_at":      str("RFC 3339."),
		"undo_expires_at": str("RFC 3339."),
		"in_doubt":        flag("What became of it is not known, or not recorded yet; it is never run again."),
		"doubt_reason":    str("Why."),
		"outcome":         str("Of a failure: not_applied only on proof, else unknown."),
		"payload_hash":    str("Of the payload that apply runs; apply takes it as " + argExpected + "."),
		"shown_digest":    str("Of the payload, the state and what was shown: what a person decides on."),
		"approval":        str("Who has to say yes to apply: token, whoever has it; operator, a person besides."),
		"decision":        str("What a person said to apply: approved, or rejected; absent if nothing."),
		"undo_decision":   str("What a person said to undo."),
		"retry_of":        str("The change that this one tries again."),
		"retry_id":        str("The change that tries this one again."),
		"next_step":       str("What to do now."),
	}
}

func changeStatuses() []string {
	return []string{
		string(ledger.Pending), string(ledger.Rejected), string(ledger.Expired), string(ledger.Applying),
		string(ledger.Applied), string(ledger.ApplyFailed), string(ledger.Undoing), string(ledger.Undone),
		string(ledger.UndoFailed),
	}
}

// output is the schema of an answer with one of these statuses, and of a refusal.
func output(own schema, statuses ...string) schema {
	properties := refusalProperties()
	maps.Copy(properties, own)
	properties["status"] = schema{"type": "string", "enum": append(statuses, statusRefused)}
	return object(properties, "status")
}

func refusalProperties() schema {
	return schema{
		"change_id":     str("The change this is about."),
		"code":          str("Stable name of the cause of a refusal or failure."),
		"message":       str("What was wrong."),
		"hint":          str("What to do next."),
		"change_status": str("Where the change stands."),
		"changed": list(object(schema{
			"field":     str("The field that differs."),
			"was":       anything("Its earlier value; absent if it had none."),
			"now":       anything("Its value now; absent if it has none."),
			"sensitive": flag("Its values differ and are not shown."),
			"cut":       flag("Something of it is left out, and a text says so there."),

			"differs_at": count("Of what is cut: the first character that differs, counted from 1."),
		}, "field")),
		"violations": list(object(schema{
			"pointer":  str("JSON Pointer into the payload, or into the arguments."),
			"expected": str("What is asked for there."),
			"found":    str("What was there."),
			"message":  str("Both in a sentence."),
		}, "pointer", "expected", "found", "message")),
		"omitted":     count("How many entries the list has no room for."),
		"result_flaw": str("Why there is no result: result_omitted, result_invalid, or result_lost."),
		"retry_at":    str("RFC 3339: when a limit that is reached has room again."),
	}
}

func diffSchema() schema { return list(rowSchema()) }

func rowSchema() schema {
	return object(schema{
		"field":             str("What changes: a label, and below it a JSON Pointer where part of a value does."),
		"before":            anything("Its value now; absent if it has none."),
		"after":             anything("Its value after apply; absent if it has none."),
		"context":           flag("Shown for orientation; does not change."),
		"known_after_apply": flag("The value is made by the target."),
		"sensitive":         str("changed or unchanged, of a value that is not shown."),
		"lines":             list(str("A line of a unified diff of both texts.")),
		"cut":               flag("Something of the row is left out, and a text says so there."),
		"differs_at":        count("Of what is cut: the first character that differs, counted from 1."),
	}, "field")
}

func overviewSchema() schema {
	return object(schema{
		"rows":         count("How many rows the whole diff has."),
		"changes":      count("How many of them change something."),
		"left_out":     count("How many of them are not listed."),
		"largest_rise": rowSchema(),
		"largest_fall": rowSchema(),
		"whole":        str("Address of the resource that shows all of it."),
	}, "rows", "changes", "left_out", "whole")
}

func count(about string) schema { return schema{"type": "integer", "description": about} }

// reference finds what a schema refers to.
var reference = regexp.MustCompile(`"\$ref"\s*:\s*"([^"]*)"`)

func refersBeyondDefinitions(text []byte) bool {
	return slices.ContainsFunc(reference.FindAllSubmatch(text, -1), func(found [][]byte) bool {
		return !bytes.HasPrefix(found[1], []byte("#/$defs/"))
	})
}

// embedResult types the result of an answer. Definitions move to the root, where references look for them; a schema
// that refers to other parts of itself cannot be moved, and the result stays untyped.
func embedResult(root schema, result json.RawMessage) {
	var parts map[string]json.RawMessage
	if json.Unmarshal(result, &parts) != nil || refersBeyondDefinitions(result) {
		return
	}
	if definitions, ok := parts["$defs"]; ok {
		root["$defs"] = definitions
	}
	delete(parts, "$defs")
	delete(parts, "$schema")
	root["properties"].(schema)["result"] = parts
}
