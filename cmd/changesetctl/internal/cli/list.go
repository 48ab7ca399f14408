package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// defaultPage is how many changes list shows at once.
const defaultPage = 50

// statuses are what a change may be.
var statuses = []string{
	string(ledger.Pending), string(ledger.Rejected), string(ledger.Expired), string(ledger.Applying), string(ledger.Applied),
	string(ledger.ApplyFailed), string(ledger.Undoing), string(ledger.Undone), string(ledger.UndoFailed),
}

// filter is what list and pending are asked for.
type filter struct {
	statuses             []string
	operation, server    string
	olderThan, newerThan string
	limit                int
	after                string
	asJSON               bool
}

func (s *session) listCommand() *cobra.Command {
	var f filter
	c := &cobra.Command{
		Use: "list", Short: "List changes, the newest first", Args: none,
		Long: "list shows changes, the newest first. Their age is how long ago they last moved. A status with a ? is in doubt.\n" +
			"Of a damaged change, show says more.",
		RunE: func(c *cobra.Command, _ []string) error {
			return s.look(c, func(ctx context.Context, d desk) error { return s.list(ctx, d, f) })
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.statuses, "status", nil, "only changes that are `STATUS`, or one of several with commas between them")
	f.addTo(c)
	flags.StringVar(&f.olderThan, "older-than", "", "only changes that last moved longer ago than `AGE`, such as 30d or 12h")
	flags.StringVar(&f.newerThan, "newer-than", "", "only changes that moved within `AGE`")
	flags.IntVar(&f.limit, "limit", defaultPage, "show at most `N`")
	flags.StringVar(&f.after, "after", "", "the next page: only changes older than the one of this `ID`")
	complete(c, "status", statuses)
	return c
}

// addTo adds the flags that list and pending share.
func (f *filter) addTo(c *cobra.Command) {
	c.Flags().StringVar(&f.operation, "operation", "", "only changes of this `OPERATION`")
	c.Flags().StringVar(&f.server, "server", "", "only changes of this `SERVER`")
	c.Flags().BoolVar(&f.asJSON, "json", false, "write JSON, for programs")
}

// complete has the shell complete the values of a flag.
func complete(c *cobra.Command, flag string, values []string) {
	// The only error is that there is no such flag, or that it is completed already.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func (s *session) list(ctx context.Context, d desk, f filter) error {
	clock, err := d.ledger.Now(ctx)
	if err != nil {
		return fmt.Errorf("read the clock of the ledger: %w", err)
	}
	q, err := f.query(clock.Now)
	if err != nil {
		return err
	}
	q.Limit = min(f.limit, math.MaxInt-1) + 1
	views, err := d.operator.List(ctx, q)
	if err != nil && !errors.Is(err, ledger.ErrStopped) {
		return err
	}
	return errors.Join(s.showPage(views, f), err)
}

// showPage shows the first changes of those that were found, and says if there are more.
func (s *session) showPage(views []runtime.View, f filter) error {
	next := ""
	if len(views) > f.limit {
		views, next = views[:f.limit], views[f.limit-1].ID
	}
	if f.asJSON {
		return s.out.JSON(page(views, next))
	}
	if len(views) == 0 {
		s.err.Line("No change matches.")
		return nil
	}
	s.showTable(views)
	if next != "" {
		s.err.Line("There are more: add --after %v", next)
	}
	return nil
}

// page is a list for programs.
func page(views []runtime.View, next string) any {
	if views == nil {
		views = []runtime.View{}
	}
	return struct {
		Changes []runtime.View `json:"changes"`
		Next    string         `json:"next,omitzero"` // for --after
	}{views, next}
}

func (f filter) query(now time.Time) (ledger.Query, error) {
	q := ledger.Query{Server: f.server, Newest: true, After: f.after}
	if f.operation != "" {
		q.Operations = []string{f.operation}
	}
	for _, several := range f.statuses {
		for status := range strings.SplitSeq(several, ",") {
			if !slices.Contains(statuses, status) {
				return q, usageError{fmt.Errorf("%q is no status: give one of %s", status, strings.Join(statuses, ", "))}
			}
			q.Statuses = append(q.Statuses, ledger.Status(status))
		}
	}
	if f.limit <= 0 {
		return q, usageError{fmt.Errorf("--limit is %d: give a positive number", f.limit)}
	}
	older, err := age("older-than", f.olderThan)
	if err != nil {
		return q, err
	}
	if f.olderThan != "" {
		q.UpdatedBefore = now.Add(-older)
	}
	q.UpdatedWithin, err = age("newer-than", f.newerThan)
	if err == nil && f.newerThan != "" && q.UpdatedWithin == 0 { // which asks for no age
		err = usageError{fmt.Errorf("--newer-than is %s: nothing is newer than that; give an age, such as 12h", f.newerThan)}
	}
	return q, err
}

// age reads the value of a flag; "" is 0.
func age(flag, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := screen.ParseAge(text)
	if err != nil {
		return 0, usageError{fmt.Errorf("--%s: %w", flag, err)}
	}
	return d, nil
}

const (
	// The least of a name that a narrow terminal shows, and of a summary.
	minName    = 8
	minSummary = 16
	// minSummaryBeside is the least of a summary that stands beside the rest, and not below it.
	minSummaryBeside = 32
)

// showTable writes changes for people.
func (s *session) showTable(views []runtime.View) {
	columns := []screen.Column{
		{Head: "ID"}, {Head: "STATUS"}, {Head: "AGE"}, {Head: "WAITS FOR"}, {Head: "SERVER", Min: minName}, {Head: "OPERATION", Min: minName},
		{Head: "SUMMARY", Min: minSummary, Below: minSummaryBeside},
	}
	rows := make([][]screen.Cell, len(views))
	for i, v := range views {
		rows[i] = []screen.Cell{
			{Text: v.ID}, statusCell(v), {Text: sinceMoved(v)}, {Text: waitsFor(v)},
			{Text: v.Server}, {Text: v.Operation}, {Text: summary(v)},
		}
	}
	s.out.Table(columns, rows)
}

// sinceMoved is "" for what cannot be read.
func sinceMoved(v runtime.View) string {
	if v.UpdatedAt.IsZero() {
		return ""
	}
	return screen.Age(v.Now.Sub(v.UpdatedAt))
}

// summary says first what a decision on the change would be about.
func summary(v runtime.View) string {
	text := v.Summary
	if v.Seen.Subject == runtime.SubjectUndo {
		text = "Undo of: " + text
	}
	if v.PreviouslyRejected != "" && v.Seen.Subject == runtime.SubjectApply {
		text = "(rejected before) " + text
	}
	return text
}

// statusCell is the status with how much it needs somebody.
func statusCell(v runtime.View) screen.Cell {
	switch {
	case v.Damaged:
		return screen.Cell{Text: "damaged", Colour: screen.Red}
	case v.InDoubt:
		return screen.Cell{Text: string(v.Status) + "?", Colour: screen.Red}
	case v.Status == ledger.ApplyFailed, v.Status == ledger.UndoFailed:
		return screen.Cell{Text: string(v.Status), Colour: screen.Red}
	case v.Status == ledger.Pending:
		return screen.Cell{Text: string(v.Status), Colour: screen.Yellow}
	case v.Status == ledger.Applied:
		return screen.Cell{Text: string(v.Status), Colour: screen.Green}
	}
	return screen.Cell{Text: string(v.Status)}
}
