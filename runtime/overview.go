package runtime

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/changesetgen/changesetgen/internal/plural"
)

// overview is what is said of a diff that is not shown whole.
type overview struct {
	Rows        int      `json:"rows"`
	Changes     int      `json:"changes"`
	LeftOut     int      `json:"left_out"` // rows
	LargestRise *rowView `json:"largest_rise,omitzero"`
	LargestFall *rowView `json:"largest_fall,omitzero"`
	Whole       string   `json:"whole"` // address of the resource that shows all of it
}

func newOverview(rows []line, left int, id string) *overview {
	o := &overview{Rows: len(rows), LeftOut: left, Whole: changeURI(id)}
	var rise, fall line
	highest, lowest := new(big.Rat), new(big.Rat)
	for _, l := range rows {
		if l.changes() {
			o.Changes++
		}
		by := l.by()
		switch {
		case by == nil:
		case by.Cmp(highest) > 0:
			highest, rise = by, l
		case by.Cmp(lowest) < 0:
			lowest, fall = by, l
		}
	}
	o.LargestRise, o.LargestFall = extreme(rise, highest), extreme(fall, lowest)
	return o
}

// by is how much a number grows; nil where the row is not about a number.
func (l line) by() *big.Rat {
	before, wasNumber := numberOf(l.Before)
	after, isNumber := numberOf(l.After)
	if !wasNumber || !isNumber || l.Context {
		return nil
	}
	return new(big.Rat).Sub(after, before)
}

func numberOf(value json.RawMessage) (*big.Rat, bool) {
	if len(value) == 0 || !strings.ContainsRune("-0123456789", rune(value[0])) {
		return nil, false
	}
	return new(big.Rat).SetString(string(value))
}

// extreme is nil where no number rises, or falls.
func extreme(l line, by *big.Rat) *rowView {
	if by.Sign() == 0 {
		return nil
	}
	v := l.view(excerpted)
	return &v
}

// text of an overview, in one line.
func (o *overview) text() string {
	told := fmt.Sprintf("Not all of it is shown here: %s, %d of which change; %d are left out.", plural.Of(o.Rows, "row"), o.Changes, o.LeftOut)
	if o.LargestRise != nil {
		told += " Largest rise: " + o.LargestRise.text() + "."
	}
	if o.LargestFall != nil {
		told += " Largest fall: " + o.LargestFall.text() + "."
	}
	return told + " The whole is the resource " + o.Whole + "."
}
