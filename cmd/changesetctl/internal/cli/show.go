package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
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
			return s.work(c, func(ctx context.Context, d desk) error {
				v, err := d.operator.Get(ctx, args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return s.out.JSON(v)
				}
				s.change(v)
				s.history(v)
				return nil
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON, for programs")
	return c
}

// change shows a change as somebody who decides on it has to see it.
func (s *session) change(v runtime.View) {
	s.out.Line("Change %v of %v (server %v) is %v.", v.ID, v.Operation, v.Server, string(v.Status))
	if v.InDoubt {
		s.out.Line("In doubt: %v", v.DoubtReason)
	}
	s.out.Lines("", v.Summary)
	for _, row := range v.Lines {
		s.out.Lines(indent, row)
	}
	s.out.Line("%v", undoNote(v))
	s.out.Fields(indent, facts(v))
}

// undoNote says how far the change can be taken back.
func undoNote(v runtime.View) string {
	note := "Undo: not possible."
	switch {
	case v.Undoable && v.Status != ledger.Applied:
		note = "Undo: possible once it is applied."
	case v.Undoable && v.UndoExpiresAt.IsZero():
		note = "Undo: possible."
	case v.Undoable:
		note = "Undo: possible until " + screen.Moment(v.UndoExpiresAt, v.Now) + "."
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
		{Name: "approval", Value: screen.Cell{Text: v.Approval}},
		{Name: "undo approval", Value: screen.Cell{Text: v.UndoApproval}},
		{Name: "decision", Value: screen.Cell{Text: decisionText(v.Decision)}},
		{Name: "undo requested", Value: screen.Cell{Text: requestText(v.UndoRequest)}},
		{Name: "undo decision", Value: screen.Cell{Text: decisionText(v.UndoDecision)}},
		{Name: "holder", Value: screen.Cell{Text: v.Holder}},
	}
	for _, more := range [][2]string{
		{"affects", itemsText(v.Items)},
		{"created", screen.Moment(v.CreatedAt, v.Now)},
		{"expires", expiry(v)},
		{"applied", screen.Moment(v.AppliedAt, v.Now)},
		{"in doubt since", screen.Moment(v.DoubtAt, v.Now)},
		{"outcome", v.Outcome},
		{"code", v.Code},
		{"message", v.Message},
		{"error", v.Error},
		{"result", v.ResultFlaw},
		{"retry of", v.RetryOf},
		{"retried as", v.RetriedAs},
		{"rejected before", v.PreviouslyRejected},
		{"payload hash", v.PayloadHash},
		{"shown digest", v.ShownDigest},
	} {
		fields = append(fields, screen.Field{Name: more[0], Value: screen.Cell{Text: more[1]}})
	}
	return fields
}

// expiry counts until the change is carried out.
func expiry(v runtime.View) string {
	if v.Status != ledger.Pending && v.Status != ledger.Expired {
		return ""
	}
	return screen.Moment(v.ExpiresAt, v.Now)
}

func itemsText(n int64) string {
	if n == 0 {
		return ""
	}
	return counted(int(n), "item")
}

func decisionText(d *ledger.Decision) string {
	if d == nil {
		return ""
	}
	return told(fmt.Sprintf("%s by %s (%s) at %s", verdictText(d), d.By, d.Channel, timestamp(d.At)), d.Reason)
}

func requestText(r *ledger.Request) string {
	if r == nil {
		return ""
	}
	return told(fmt.Sprintf("by %s (%s) at %s", r.By, r.Channel, timestamp(r.At)), r.Reason)
}

// told adds a reason, if there is one.
func told(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

// history shows the events of a change, the oldest first.
func (s *session) history(v runtime.View) {
	s.out.Line("History:")
	columns := []screen.Column{{Head: "AT"}, {Head: "WHO"}, {Head: "TO"}, {Head: "CODE", Min: minName}, {Head: "WHY", Min: minSummary}}
	rows := make([][]screen.Cell, len(v.Events))
	for i, e := range v.Events {
		rows[i] = []screen.Cell{
			{Text: timestamp(e.At)}, {Text: e.Actor}, {Text: string(e.To)}, {Text: e.Code}, {Text: strings.TrimSpace(e.Reason)},
		}
	}
	s.out.Table(columns, rows)
}
