package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Tokens are told once, in the answer that hands them out, and are nowhere else: not in the ledger's files, its events
// or records, not in the log, and not in any other answer, whatever a client does with them.
func TestTokensAppearNowhere(t *testing.T) {
	t.Parallel()
	fail := false
	w := newWorld(t, func(w *world) {
		undo := w.operation.Undo
		w.operation.Undo = func(ctx context.Context, c *setApplied) error {
			if fail {
				return errors.New("failed")
			}
			return undo(ctx, c)
		}
	})
	p := w.preview(t, "theme", "dark")
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	anew := w.apply(t, p.ChangeID, p.ConfirmationToken) // which hands out another undo token
	tokens := []string{p.ConfirmationToken, a.UndoToken, anew.UndoToken}
	answers := []reply{w.preview(t, "language", "de")}
	for _, token := range tokens {
		for _, tool := range []string{"apply_set_setting", "undo_set_setting", "get_change_status"} {
			for _, arguments := range []map[string]any{
				{"change_id": token, "confirmation_token": token}, {"change_id": token, "undo_token": token},
				{"change_id": p.ChangeID, "confirmation_token": []string{token}}, {"change_id": p.ChangeID, "token": token},
				{"change_id": token}, {token: token}, {"change_id": p.ChangeID, "undo_token": token + "x", "confirmation_token": token},
			} {
				answers = append(answers, w.call(t, tool, arguments))
			}
		}
	}
	answers = append(answers, w.status(t, p.ChangeID), w.undo(t, p.ChangeID, a.UndoToken))
	fail = true
	failed := w.undo(t, p.ChangeID, anew.UndoToken)
	wantRefused(t, failed, "undo_failed")
	answers = append(answers, failed, w.undo(t, p.ChangeID, anew.UndoToken), w.status(t, p.ChangeID))
	places := map[string]string{"log": w.log.String(), "records": dumpLedger(t, w.store)}
	for i, answer := range answers {
		places["answer "+string(rune('a'+i%26))+" "+answer.Code] += answer.text + string(answer.raw)
	}
	w.closes(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	readFiles(t, w.directory, places)
	for where, text := range places {
		for _, token := range tokens {
			if _, secret, _ := strings.Cut(token, "_"); strings.Contains(text, secret) {
				t.Errorf("a token is in %s", where)
			}
		}
	}
	if len(places["log"]) == 0 || len(places["records"]) == 0 {
		t.Error("there is nothing to look through")
	}
}

func dumpLedger(t *testing.T, store ledger.Store) string {
	t.Helper()
	records, err := store.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, r := range records {
		events, err := store.Events(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r, string(r.Shown), string(r.Payload), events)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readFiles(t *testing.T, directory string, places map[string]string) {
	t.Helper()
	err := filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		places[filepath.Base(path)] += string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
