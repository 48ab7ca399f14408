package runtime_test

import (
	"context"
	"strings"
	"testing"
)

// What is sent has nothing sensitive in it, so nothing is known to look for: what prepare makes of it is told nobody where it
// does not fit, in places that are not marked as well.
func TestPreparedSecretThatDoesNotFitIsToldNobody(t *testing.T) {
	t.Parallel()
	schemas := strings.NewReplacer(
		`"required": ["name", "credential"]`, `"required": ["name"]`, `"name": {"type": "string"}`, `"name": {"type": "string", "pattern": "^[a-z]+$"}`,
	).Replace(rotateSchemas)
	v := newVaultOf(t, schemas, func(o *rotate) {
		o.Prepare = func(_ context.Context, p *rotatePayload) (*rotatePayload, error) {
			p.Name = "with " + keySecret
			p.Extra = &credential{User: "ann", Secret: keySecret}
			return p, nil
		}
	})
	r := v.call(t, "preview_rotate", map[string]any{"name": "login"})
	wantRefused(t, r, "prepare_failed")
	wantNowhere(t, v.everything(t, r), "k3y-k3y")
}
