package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// lapsed is what a holder is called that nobody has written down as gone yet, though its lease is over.
const lapsed = "gone, not written down yet"

// livenessText says whether a holder is there.
func livenessText(h ledger.HolderState, now time.Time) string {
	if h.Liveness == ledger.Unknown && !h.GoneAt.IsZero() && !now.Before(h.GoneAt) {
		return lapsed
	}
	return h.Liveness.String()
}

// processText says where the process of a holder is; "" where nobody knows.
func processText(h ledger.HolderState) string {
	if h.Process == (ledger.Process{}) {
		return ""
	}
	return h.Process.String()
}

// showHolders shows who holds claims, or may.
func (s *session) showHolders(holders []ledger.HolderState, now time.Time) {
	columns := []screen.Column{
		{Head: "HOLDER", Min: minName}, {Head: "IS"}, {Head: "OPEN CLAIMS"}, {Head: "LAST HEARD OF"}, {Head: "WHERE", Min: minName, Below: minSummary},
	}
	rows := make([][]screen.Cell, len(holders))
	for i, h := range holders {
		rows[i] = []screen.Cell{
			{Text: cmp.Or(h.Name, "(no name)")}, {Text: livenessText(h, now)}, {Text: strconv.Itoa(h.Claims)},
			{Text: screen.Moment(h.HeardAt, now)}, {Text: processText(h)},
		}
	}
	s.out.Table(columns, rows)
}

// claimantText says who claimed a change, if that is known: where, and until when they count as there. It is "" without a claim.
func claimantText(ctx context.Context, d desk, v runtime.View) (string, error) {
	if v.HolderName == "" {
		return "", nil
	}
	holders, err := d.ledger.Holders(ctx)
	switch {
	case errors.Is(err, ledger.ErrCorrupt): // elsewhere than in this change, which was read
		return "", nil
	case err != nil:
		return "", err
	}
	at := slices.IndexFunc(holders, func(h ledger.HolderState) bool { return h.Name == v.HolderName })
	if at < 0 {
		return "", nil
	}
	h := holders[at]
	text := fmt.Sprintf("%s (%s)", h.Process, livenessText(h, v.Now))
	switch {
	case h.GoneAt.IsZero():
	case v.Now.Before(h.GoneAt):
		text += fmt.Sprintf(", last heard of %s; unless it is heard of again, it counts as gone from %s", screen.Moment(h.HeardAt, v.Now), screen.Moment(h.GoneAt, v.Now))
	default:
		text += ", last heard of " + screen.Moment(h.HeardAt, v.Now)
	}
	return text, nil
}

// showClaimant says who claimed a change that is in doubt or being carried out.
func showClaimant(ctx context.Context, to *screen.Screen, d desk, v runtime.View) error {
	who, err := claimantText(ctx, d, v)
	if err == nil && who != "" {
		to.Line("Claimed by %v.", who)
	}
	return err
}

// whoRuns adds to a refusal, because a change is being carried out, by whom it is.
func whoRuns(ctx context.Context, d desk, v runtime.View, refusal error) error {
	if !errors.Is(refusal, runtime.ErrInFlight) {
		return refusal
	}
	who, err := claimantText(ctx, d, v)
	if err != nil || who == "" {
		return errors.Join(refusal, err)
	}
	return fmt.Errorf("%w; it is %s", refusal, who)
}
