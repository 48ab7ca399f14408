package shown

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/changesetgen/changesetgen/internal/plural"
)

// Overview is what is said of a diff that is not shown whole.
type Overview struct {
	Rows        int       `json:"rows"`
	Changes     int       `json:"changes"`
	LeftOut     int       `json:"left_out"` // rows
	LargestRise *LineView `json:"largest_rise,omitzero"`
	LargestFall *LineView `json:"largest_fall,omitzero"`
	Whole       string    `json:"whole"` // address of the resource that shows all of it
}

func newOverview(rows []Line, left int, address string) *Overview {
	o := &Overview{Rows: len(rows), LeftOut: left, Whole: address}
	var rise, fall Line
	highest, lowest := new(big.Rat), new(big.Rat)
	for _, l := range rows {
		if l.Changes() {
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
func (l Line) by() *big.Rat {
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
func extreme(l Line, by *big.Rat) *LineView {
	if by.Sign() == 0 {
		return nil
	}
	v := l.View(Excerpted)
	return &v
}

// Text of an overview, in one line.
func (o *Overview) Text() string {
	told := fmt.Sprintf("Not all of it is shown here: %s, %d of which change; %d are left out.", plural.Of(o.Rows, "row"), o.Changes, o.LeftOut)
	if o.LargestRise != nil {
		told += " Largest rise: " + o.LargestRise.Text() + "."
	}
	if o.LargestFall != nil {
		told += " Largest fall: " + o.LargestFall.Text() + "."
	}
	return told + " The whole is the resource " + o.Whole + "."
}
