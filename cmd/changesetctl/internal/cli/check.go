package cli

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func (s *session) checkCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Short: "See whether anything is wrong", Args: none,
		Long: "check looks at every row of the ledger, and in a file at every page, at what is in doubt, and at who holds claims. The\n" +
			"exit code is 1 if anything needs somebody: what joined operations left does not, a server settles it.",
		RunE: func(c *cobra.Command, _ []string) error {
			return s.look(c, func(ctx context.Context, d desk) error { return s.check(ctx, d, asJSON) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON, for programs")
	return c
}

// findings are what check found.
type findings struct {
	Faults  []string             `json:"faults"`   // of the ledger itself
	InDoubt []runtime.View       `json:"in_doubt"` // changes in doubt, and damaged ones
	Holders []ledger.HolderState `json:"holders"`
	now     time.Time            // by the clock of the ledger, when it was looked for holders
	partly  bool                 // InDoubt or Holders may lack some that could not be read
}

func (s *session) check(ctx context.Context, d desk, asJSON bool) error {
	found, err := look(ctx, d)
	switch {
	case err != nil:
		return err
	case asJSON:
		if err := s.out.JSON(found); err != nil {
			return err
		}
	default:
		s.showFindings(found)
	}
	if _, others := doubtsOf(found.InDoubt); len(found.Faults)+len(others) > 0 {
		return errFound
	}
	return nil
}

func look(ctx context.Context, d desk) (f findings, err error) {
	f = findings{Faults: []string{}, InDoubt: []runtime.View{}, Holders: []ledger.HolderState{}}
	faults, err := d.ledger.Check(ctx)
	if err != nil {
		return f, err
	}
	f.Faults = append(f.Faults, faults...)
	holders, err := d.ledger.Holders(ctx)
	if err = f.take(err); err != nil {
		return f, err
	}
	f.Holders = append(f.Holders, holders...)
	clock, err := d.ledger.Now(ctx)
	if err = f.take(err); err != nil {
		return f, err
	}
	f.now = clock.Now
	// All at once: behind a damaged id no page can be asked for.
	q := ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}, Limit: math.MaxInt}
	views, err := d.operator.List(ctx, q)
	for _, v := range views {
		if v.InDoubt || v.Damaged {
			f.InDoubt = append(f.InDoubt, v)
		}
	}
	err = f.take(err)
	return f, err
}

// take makes a fault of an error that says that the ledger is damaged: what was found besides is told all the same.
func (f *findings) take(err error) error {
	if !errors.Is(err, ledger.ErrCorrupt) {
		return err
	}
	f.Faults, f.partly = append(f.Faults, err.Error()), true
	return nil
}

// showFindings tells a person what check found.
func (s *session) showFindings(f findings) {
	if len(f.Faults) == 0 {
		s.out.Line("The ledger is sound.")
	}
	for _, fault := range f.Faults {
		s.out.Line("Fault: %v", oneLine(fault))
	}
	if len(f.InDoubt) == 0 && !f.partly {
		s.out.Line("Nothing is in doubt.")
	}
	joined, others := doubtsOf(f.InDoubt)
	s.showDoubts(others, "In doubt: %v. Look at the target, and then: changesetctl reconcile ID --verdict done|not_done --note TEXT")
	s.showDoubts(joined, "Not recorded, and so not written: %v of joined operations. There is nothing to look at: a running server that has the "+
		"operation soon settles them; without one: changesetctl reconcile ID --verdict not_done --note TEXT")
	if len(f.Holders) == 0 {
		if !f.partly {
			s.out.Line("%v", s.nobodyHolds())
		}
		return
	}
	s.showHolders(f.Holders, f.now)
}

// doubtsOf parts what is known not to be written from what somebody has to look at.
func doubtsOf(views []runtime.View) (joined, others []runtime.View) {
	for _, v := range views {
		if v.Joined && !v.Damaged {
			joined = append(joined, v)
		} else {
			others = append(others, v)
		}
	}
	return joined, others
}

// showDoubts shows changes below what is to be done about so many.
func (s *session) showDoubts(views []runtime.View, advice string) {
	if n := len(views); n > 0 {
		s.out.Line(advice, plural.Of(n, "change"))
		s.showTable(views)
	}
}

// nobodyHolds says that no server is known to use the ledger. A lease may be lost while its server runs on.
func (s *session) nobodyHolds() string {
	if at, err := s.ledgerAddress(); err == nil && at.file == "" {
		return "No server holds a lease. One that lost touch with the database may run all the same: it takes another lease within seconds of reaching that again."
	}
	return "No server uses the ledger."
}
