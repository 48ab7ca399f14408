package runtime

import (
	"context"
	"log/slog"
)

// tellOfLoss tells the operator that others may take this process for gone.
func (g *Guard) tellOfLoss(name string) {
	g.log(context.Background(), slog.LevelError,
		"the ledger has not heard of this process for too long: what it carries out is told to end, and is in doubt if it does not say how it ended", "holder", name)
}

// tellOfReturn tells the operator that others know of this process again.
func (g *Guard) tellOfReturn(name string) {
	g.log(context.Background(), slog.LevelInfo, "the ledger has heard of this process again: claims are made with another hold", "holder", name)
}

// renewHold gives a claim that is not made yet another hold in place of one that is lost.
func (g *Guard) renewHold(ctx context.Context, granted *grant) error {
	fresh, err := g.holds.Replace(ctx, granted.hold)
	if err == nil {
		granted.hold = fresh
	}
	return err
}
