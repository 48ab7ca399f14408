package spec

import (
	"strconv"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// Bounds of durations. The runtime has the same for its own options.
const (
	minTTL = time.Minute // shorter, and no one could answer in time
	maxTTL = time.Hour   // of a preview: longer, and what was shown is no longer what there is

	minTimeout = time.Millisecond // the least that a body could end in

	day = 24 * time.Hour
)

// never is the word for an undo without an end.
const never = "never"

// duration reads a duration that must be within bounds; 0 if it is left out. Without an upper bound, highest is 0.
func (c *checker) duration(node *document.Node, lowest, highest time.Duration) time.Duration {
	if node == nil || node.Broken {
		return 0
	}
	value, ok := parseDuration(node.Text)
	switch {
	case !ok:
		c.fault(node.Fault(diag.BadDuration, "write 90s, 15m, 12h or 7d", "%s is no duration", diag.Quote(node.Text)))
		return 0
	case value < lowest || highest > 0 && value > highest:
		bounds := short(lowest) + " or more"
		if highest > 0 {
			bounds = "between " + short(lowest) + " and " + short(highest)
		}
		c.fault(node.Fault(diag.BadDuration, "", "%s must be %s", diag.Quote(node.Key), bounds))
		return 0
	}
	return value
}

// short is a duration without the parts that are zero: 1h, not 1h0m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// parseDuration reads a duration as Go writes it, or a number of whole days: 7d.
func parseDuration(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.ParseUint(days, 10, 32)
		if err != nil || time.Duration(count) > (1<<63-1)/day {
			return 0, false
		}
		return time.Duration(count) * day, true
	}
	value, err := time.ParseDuration(text)
	return value, err == nil
}

// checkTimes reads the durations of an operation.
func (c *checker) checkTimes(d *declaredOperation, op *Operation) {
	op.TTL = c.duration(d.ttl, minTTL, maxTTL)
	op.Timeout = c.duration(d.timeout, minTimeout, 0)
	op.UndoForever = textOf(d.undoTTL) == never
	if !op.UndoForever {
		op.UndoTTL = c.duration(d.undoTTL, minTTL, 0)
	}
}
