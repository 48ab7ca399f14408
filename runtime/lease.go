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

// renewHold gives a claim that is not made yet another hold in place of one that is lost.
func (g *Guard) renewHold(ctx context.Context, granted *grant) error {
	fresh, err := g.holds.Replace(ctx, granted.hold)
	if err == nil {
		granted.hold = fresh
	}
	return err
}
