package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const indent = "  "

func (s *session) showCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show ID", Short: "Show one change with its whole diff and history", Args: oneID,
		Long: "show tells everything about a change that a person may know: its whole diff, who decided what, where it stands,\n" +
			"what went wrong, and every transition.",
		RunE: func(c *cobra.Command, args []string) error {
			return s.look(c, func(ctx context.Context, d desk) error { return s.show(ctx, d, args[0], asJSON) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON, for programs")
	return c
}

func (s *session) show(ctx context.Context, d desk, id string, asJSON bool) error {
	v, err := d.operator.Get(ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		return s.out.JSON(v)
	}
	showChange(s.out, v)
	if err := showClaimant(ctx, s.out, d, v); err != nil {
		return err
	}
	s.showHistory(v)
	return nil
}

// showChange shows a change with its diff, and what its undo would write where that is the next thing that may be.
func showChange(to *screen.Screen, v runtime.View) {
	showHeading(to, v)
	showRows(to, v.Lines)
	showUndo(to, v)
	to.Fields(indent, facts(v))
}

// showSubject shows a change as somebody has to see it who decides on its apply or its undo: of an undo, only what that would
// write, so that nobody takes one diff for the other.
func showSubject(to *screen.Screen, v runtime.View, what runtime.Subject) {
	if what != runtime.SubjectUndo {
		showChange(to, v)
		return
	}
	showHeading(to, v)
	showUndo(to, v)
	to.Fields(indent, facts(v))
}

func showHeading(to *screen.Screen, v runtime.View) {
	to.Line("Change %v of %v (server %v) is %v.", v.ID, v.Operation, v.Server, string(v.Status))
	if v.InDoubt {
		to.Line("In doubt: %v", v.DoubtReason)
	}
	to.Lines("", v.Summary)
}

// showRows writes the rows of a diff.
func showRows(to *screen.Screen, lines []string) {
	for _, row := range lines {
		to.Row(indent, row)
	}
}

// showUndo says how far the change can be taken back, and what that would write over what.
func showUndo(to *screen.Screen, v runtime.View) {
	to.Line("%v", undoNote(v))
	if v.Unlooked {
		to.Line("What it left is not known: the first undo only looks, and shows what it finds.")
	}
	if len(v.LeftLines) > 0 {
		to.Line("Looks before and after the apply differ in, whoever wrote it:")
		showRows(to, v.LeftLines)
	}
	if len(v.UndoLines) > 0 {
		to.Line("The undo would write, by what was shown of the change:")
		showRows(to, v.UndoLines)
	}
}

// undoNote says how far the change can be taken back.
func undoNote(v runtime.View) string {
	note := "Undo: not possible."
	switch {
	case v.Undoable && v.Status != ledger.Applied:
		note = "Undo: possible once it is applied."
	case v.Undoable && v.UndoDecision != nil && !isYes(v.UndoDecision):
		note = "Undo: " + decisionText(v.UndoDecision) + ". The agent cannot undo it; an operator can, with: changesetctl undo " + v.ID
	case v.Undoable && v.UndoExpiresAt.IsZero():
		note = "Undo: possible."
	case v.Undoable:
		note = "Undo: possible until " + screen.Moment(v.UndoExpiresAt, v.Now) + "."
	}
	if v.Undoable && v.Compensates {
		note += " It does what comes closest, and not exactly what takes the change back."
	}
	if v.Loses != "" {
		note += " It does not bring back: " + v.Loses
	}
	return note
}

// facts are what is known of a change besides its diff.
func facts(v runtime.View) []screen.Field {
	fields := []screen.Field{
		{Name: "waits for", Value: screen.Cell{Text: waitsFor(v), Colour: screen.Yellow}},
		{Name: "approval", Value: screen.Cell{Text: approvalText(v.Approval)}},
		{Name: "undo approval", Value: screen.Cell{Text: approvalText(v.UndoApproval)}},
		{Name: "decision", Value: screen.Cell{Text: decisionText(v.Decision)}},
		{Name: "undo requested", Value: screen.Cell{Text: requestText(v.UndoRequest)}},
		{Name: "undo decision", Value: screen.Cell{Text: decisionText(v.UndoDecision)}},
	}
	for _, more := range [][2]string{
		{"affects", itemsText(v.Items)},
		{"created", screen.Moment(v.CreatedAt, v.Now)},
		{"asked because", v.AskedBecause},
		{"expires", expiry(v)},
		{"applied", screen.Moment(v.AppliedAt, v.Now)},
		{"in doubt since", screen.Moment(v.DoubtAt, v.Now)},
		{"outcome", v.Outcome},
		{"code", string(v.Code)},
		{"message", v.Message},
		{"error", v.Error},
		{"result", v.ResultFlaw},
		{"retry of", v.RetryOf},
		{"retried as", v.RetriedAs},
		{"rejected before", told(v.PreviouslyRejected, v.PreviousRejection)},
		{"payload hash", v.PayloadHash},
		{"shown digest", v.ShownDigest},
	} {
		fields = append(fields, screen.Field{Name: more[0], Value: screen.Cell{Text: more[1]}})
	}
	return fields
}

// approvalText says whose yes is needed.
func approvalText(approval runtime.Approval) string {
	if approval == runtime.ByToken {
		return "none: the token is enough"
	}
	return "by an " + approval.String()
}

// expiry counts until the change is carried out.
func expiry(v runtime.View) string {
	if v.Status != ledger.Pending && v.Status != ledger.Expired {
		return ""
	}
	return screen.Moment(v.ExpiresAt, v.Now)
}

// itemsText is "" for an operation that counts nothing: a change is of one thing then, or nobody says of how many.
func itemsText(n int64) string {
	if n <= 1 {
		return ""
	}
	return plural.Of(int(n), "item")
}

func decisionText(d *runtime.ViewDecision) string {
	if d == nil {
		return ""
	}
	return told(fmt.Sprintf("%s by %s at %s with %s", d.Verdict, d.By, timestamp(d.At), d.Channel), d.Reason)
}

// requestText names the agent once: it has no other name.
func requestText(r *ledger.Request) string {
	if r == nil {
		return ""
	}
	if r.By == r.Channel {
		return told(fmt.Sprintf("by the %s at %s", r.By, timestamp(r.At)), r.Reason)
	}
	return told(fmt.Sprintf("by %s at %s with %s", r.By, timestamp(r.At), r.Channel), r.Reason)
}

// told adds a reason, if there is one.
func told(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

// showHistory shows the events of a change, the oldest first.
func (s *session) showHistory(v runtime.View) {
	s.out.Line("History:")
	columns := []screen.Column{{Head: "AT"}, {Head: "WHO"}, {Head: "TO"}, {Head: "CODE"}, {Head: "WHY", Min: minSummary, Below: minSummaryBeside, Wrap: true}}
	rows := make([][]screen.Cell, len(v.Events))
	for i, e := range v.Events {
		rows[i] = []screen.Cell{
			{Text: timestamp(e.At)}, {Text: e.Actor}, {Text: string(e.To)}, {Text: string(e.Code)}, {Text: strings.TrimSpace(e.Reason)},
		}
	}
	s.out.Table(columns, rows)
}
