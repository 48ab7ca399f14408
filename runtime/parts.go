package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// maxPartBytes is how much the rows of one row taken apart may hold together. No diff that is kept holds as much.
const maxPartBytes = 1 << 20

// parting takes one row apart into rows for what differs in it.
type parting struct {
	whole  line
	hidden place.Patterns
	all    bool // what is equal is shown too
	rows   []line
	size   int
}

// takeApart shows objects by their members, and arrays of one length by their items, where they differ: one row for
// each, named by the label and the JSON Pointer below it. What is equal is no row of its own, unless all of the row is.
//
// A value that is on one side only is taken apart as if the other side had none of its members. An empty object or
// array, null, and arrays of different lengths are rows of their own, so that none of them can be taken for absence.
//
// What has hidden parts is taken apart in any case, so that nothing but these is hidden: arrays of different lengths by
// their items, and values of different kinds each by itself.
func takeApart(whole line, hidden place.Patterns) ([]line, error) {
	isEqual := bytes.Equal(whole.Before, whole.After)
	p := &parting{whole: whole, hidden: hidden, all: isEqual || whole.Context}
	was, err := valueOf(whole.Before)
	if err != nil {
		return nil, err
	}
	now, err := valueOf(whole.After)
	if err != nil {
		return nil, err
	}
	if err := p.visit(nil, was, now); err != nil {
		return nil, err
	}
	return p.rows, nil
}

// valueOf reads a value of a row. Nil is absent.
func valueOf(canonical json.RawMessage) (value, error) {
	if canonical == nil {
		return value{}, nil
	}
	tree, err := exact.Tree(canonical)
	return present(tree), err
}

func (p *parting) visit(at place.Path, was, now value) error {
	before, err := was.encoded()
	if err != nil {
		return err
	}
	after, err := now.encoded()
	if err != nil {
		return err
	}
	isEqual, holds := bytes.Equal(before, after), p.hidden.Touches(at)
	switch {
	case isEqual && !p.all:
		return nil
	case p.hidden.Covers(at), isEqual && !holds:
		return p.add(p.row(at, before, after))
	case was.hasMembers() && now.hasMembers(), was.hasMembers() && !now.present, now.hasMembers() && !was.present:
		return p.members(at, was, now)
	case was.items() > 0 && was.items() == now.items(), holds && was.hasItemsBeside(now), holds && now.hasItemsBeside(was):
		return p.items(at, was, now)
	case holds && was.present && now.present && (was.hasParts() || now.hasParts()):
		return errors.Join(p.visit(at, was, value{}), p.visit(at, value{}, now))
	}
	return p.add(p.row(at, before, after))
}

func (p *parting) members(at place.Path, was, now value) error {
	w, _ := was.tree.(map[string]any)
	n, _ := now.tree.(map[string]any)
	for _, name := range memberNames(w, n) {
		if err := p.visit(at.Below(name), was.member(name), now.member(name)); err != nil {
			return err
		}
	}
	return nil
}

func (p *parting) items(at place.Path, was, now value) error {
	for i := range max(was.items(), now.items()) {
		if err := p.visit(at.Below(strconv.Itoa(i)), was.item(i), now.item(i)); err != nil {
			return err
		}
	}
	return nil
}

// row is one row. A value that has hidden parts and is none of those that can have parts is hidden itself.
func (p *parting) row(at place.Path, before, after []byte) line {
	l := line{
		Field: p.whole.Field + visible.Value(at.Pointer()), Before: before, After: after,
		Context: p.whole.Context, KnownAfterApply: p.whole.KnownAfterApply,
	}
	if p.hidden.Covers(at) || p.hidden.Touches(at) && !(isHollow(before) && isHollow(after)) {
		return l.redacted()
	}
	return l
}

// isHollow tells whether a value is one that holds nothing.
func isHollow(canonical []byte) bool {
	return canonical == nil || slices.Contains([]string{"null", "{}", "[]"}, string(canonical))
}

func (p *parting) add(l line) error {
	if p.size += len(l.Field) + len(l.Before) + len(l.After); p.size > maxPartBytes {
		return fmt.Errorf("its parts take more than %d bytes: %w", maxPartBytes, exact.ErrTooLarge)
	}
	p.rows = append(p.rows, l)
	return nil
}

func (v value) hasMembers() bool {
	m, _ := v.tree.(map[string]any)
	return len(m) > 0
}

// items counts those of an array; 0 for anything else.
func (v value) items() int {
	items, _ := v.tree.([]any)
	return len(items)
}

// item is an item of an array, absent beyond its end.
func (v value) item(i int) value {
	if i >= v.items() {
		return value{}
	}
	return present(v.tree.([]any)[i])
}

func (v value) hasParts() bool { return v.hasMembers() || v.items() > 0 }

// hasItemsBeside tells whether v has items, beside others or nothing.
func (v value) hasItemsBeside(other value) bool {
	return v.items() > 0 && (other.items() > 0 || !other.present)
}

// encoded is the canonical JSON of a value; nil when it is absent.
func (v value) encoded() ([]byte, error) {
	if !v.present {
		return nil, nil
	}
	return exact.FromTree(v.tree)
}
