package payload

import (
	"encoding/json"
	"math/big"
	"unicode/utf8"
)

// run asks the rules of one schema about one payload.
type run struct {
	budget
	known map[question]outcome
}

// question is one shared rule about one value.
type question struct{ rule, value int }

// outcome is what a rule says of a value. What it has seen is there only where the rule tracks it and the value fits.
type outcome struct {
	fits bool
	seen seen
}

func newRun() *run { return &run{known: map[question]outcome{}} }

// fits is the verdict on a value, which is wrong once the budget is over: whoever asks looks at that in the end.
func (r *run) fits(u *rule, v *value) bool { return r.ask(u, v).fits }

func (r *run) ask(u *rule, v *value) outcome {
	if !r.spend(1, v) {
		return outcome{}
	}
	if u.constant != nil {
		return outcome{fits: *u.constant}
	}
	if !u.shared || v.isName() {
		return r.judge(u, v)
	}
	q := question{u.id, v.id}
	if o, ok := r.known[q]; ok {
		return o
	}
	o := r.judge(u, v)
	r.known[q] = o
	return o
}

func (r *run) judge(u *rule, v *value) (o outcome) {
	if !r.fitsItself(u, v) || !r.fitsAround(u, v, &o.seen) {
		return outcome{}
	}
	switch v.kind {
	case kindObject:
		o.fits = r.fitsObject(u, v, &o.seen)
	case kindArray:
		o.fits = r.fitsArray(u, v, &o.seen)
	default:
		o.fits = true
	}
	return o
}

// fitsItself is about the value without its parts.
func (r *run) fitsItself(u *rule, v *value) bool {
	if u.kinds&v.kind == 0 {
		return false
	}
	for _, a := range u.allows {
		if !r.allowed(a, v) {
			return false
		}
	}
	switch raw := v.raw.(type) {
	case string:
		return r.fitsText(u, v, raw)
	case json.Number:
		for _, b := range u.bounds {
			if !r.within(b, v, raw) {
				return false
			}
		}
	}
	return true
}

func (r *run) allowed(a allowance, v *value) bool {
	if v.parts != nil && !a.deep {
		return false
	}
	return r.spend(v.size(), v) && a.values[identity(v.raw)]
}

func (r *run) fitsText(u *rule, v *value, s string) bool {
	if u.length != (span{-1, -1}) {
		n := r.characters(v, s)
		if u.length.tooFew(n) || u.length.tooMany(n) {
			return false
		}
	}
	return (u.pattern == nil || r.matches(*u.pattern, v, s)) && (u.format == nil || r.hasFormat(u.format, v, s))
}

// stepBytes is how much text is read in about the time of a step.
const stepBytes = 64

func (r *run) characters(v *value, s string) int {
	r.spend(len(s)/stepBytes, v)
	return utf8.RuneCountInString(s)
}

// stepInstructions is how many instructions of a pattern are tried on one byte each in about the time of a step.
const stepInstructions = 16

// cost is what matching takes at worst, in steps: each instruction is tried at each byte.
func (p pattern) cost(s string) int { return 1 + len(s)*p.size/stepInstructions }

// matches is false where there are not enough steps to find out.
func (r *run) matches(p pattern, v *value, s string) bool {
	return r.spend(p.cost(s), v) && p.expression.MatchString(s)
}

func (r *run) hasFormat(is func(string) bool, v *value, s string) bool {
	return r.spend(1+len(s)/stepBytes, v) && is(s)
}

// maxSmall is how many characters a number may have and be an integer of 64 bits for certain.
const maxSmall = 18

// within compares exactly. The digits of a number cost more the more there are.
func (r *run) within(b bound, v *value, n json.Number) bool {
	if b.isSmall && v.kind == kindInteger && len(n) <= maxSmall {
		given, err := n.Int64()
		return err == nil && b.hasInteger(given)
	}
	if !r.spend(1+len(n)*len(n)/stepBytes, v) {
		return false
	}
	given, ok := new(big.Rat).SetString(n.String())
	return ok && b.has(given)
}

func (b bound) hasInteger(n int64) bool {
	switch b.keyword {
	case "minimum":
		return n >= b.small
	case "maximum":
		return n <= b.small
	case "exclusiveMinimum":
		return n > b.small
	case "exclusiveMaximum":
		return n < b.small
	}
	return n%b.small == 0
}

// has may change what it is given.
func (b bound) has(n *big.Rat) bool {
	switch b.keyword {
	case "minimum":
		return n.Cmp(b.limit) >= 0
	case "maximum":
		return n.Cmp(b.limit) <= 0
	case "exclusiveMinimum":
		return n.Cmp(b.limit) > 0
	case "exclusiveMaximum":
		return n.Cmp(b.limit) < 0
	}
	return n.Quo(n, b.limit).IsInt()
}

// fitsAround is about the rules in place of u.
func (r *run) fitsAround(u *rule, v *value, s *seen) bool {
	for _, part := range u.always {
		if !r.holds(part.rule, v, u, s) {
			return false
		}
	}
	for _, d := range u.dependent {
		if v.member(d.given) != nil && !r.holds(d.rule, v, u, s) {
			return false
		}
	}
	for _, choice := range u.unions {
		if n := r.countFitting(choice, v, u, s); n == 0 || n > 1 && choice.exclusive() {
			return false
		}
	}
	if u.not != nil && r.fits(u.not, v) {
		return false
	}
	if next := r.chosen(u, v, s); next != nil {
		return r.holds(next, v, u, s)
	}
	return true
}

// holds asks a rule in place of u, and adds what it has seen to what u has.
func (r *run) holds(part *rule, v *value, u *rule, s *seen) bool {
	o := r.ask(part, v)
	if o.fits && u.tracks {
		r.spend(len(o.seen.bits), v)
		s.join(o.seen)
	}
	return o.fits
}

// countFitting counts the branches that fit, up to where the verdict and what they have seen are certain.
func (r *run) countFitting(choice union, v *value, u *rule, s *seen) int {
	n := 0
	for _, branch := range choice.branches {
		if r.holds(branch, v, u, s) {
			n++
		}
		if n > 1 && choice.exclusive() || n > 0 && !choice.exclusive() && !u.tracks {
			break
		}
	}
	return n
}

// chosen is the rule that the condition of u leads to; nil for none.
func (r *run) chosen(u *rule, v *value, s *seen) *rule {
	switch {
	case u.condition == nil:
		return nil
	case r.holds(u.condition, v, u, s):
		return u.then
	}
	return u.otherwise
}

// size is about what it takes to read a value whole, in steps.
func (v *value) size() int {
	if s, ok := v.raw.(string); ok {
		return 1 + len(s)/stepBytes
	}
	n := 1
	for i := range v.parts {
		n += 1 + len(v.parts[i].name)/stepBytes + v.parts[i].size()
	}
	return n
}
