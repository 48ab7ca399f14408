package shown

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/tree"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// maxPartBytes is how much the rows of one row taken apart may hold together. No diff that is kept holds as much.
const maxPartBytes = 1 << 20

// parting takes one row apart into rows for what differs in it.
type parting struct {
	whole  Line
	hidden place.Patterns
	all    bool // what is equal is shown too
	rows   []Line
	size   int
}

// Apart shows objects by their members, and arrays of one length by their items, where they differ: one row for
// each, named by the label and the JSON Pointer below it. What is equal is no row of its own, unless all of the row is.
//
// A value that is on one side only is taken apart as if the other side had none of its members. An empty object or
// array, null, and arrays of different lengths are rows of their own, so that none of them can be taken for absence.
//
// What has hidden parts is taken apart in any case, so that nothing but these is hidden: arrays of different lengths by
// their items, and values of different kinds each by itself.
func (l Line) Apart(hidden place.Patterns) ([]Line, error) {
	isEqual := bytes.Equal(l.Before, l.After)
	p := &parting{whole: l, hidden: hidden, all: isEqual || l.Context}
	was, err := tree.Read(l.Before)
	if err != nil {
		return nil, err
	}
	now, err := tree.Read(l.After)
	if err != nil {
		return nil, err
	}
	if err := p.visit(nil, was, now); err != nil {
		return nil, err
	}
	return p.rows, nil
}

func (p *parting) visit(at place.Path, was, now tree.Value) error {
	before, err := was.Canonical()
	if err != nil {
		return err
	}
	after, err := now.Canonical()
	if err != nil {
		return err
	}
	isEqual, holds := bytes.Equal(before, after), p.hidden.Touches(at)
	switch {
	case isEqual && !p.all:
		return nil
	case p.hidden.Covers(at), isEqual && !holds:
		return p.add(p.row(at, before, after))
	case was.HasMembers() && now.HasMembers(), was.HasMembers() && !now.Present, now.HasMembers() && !was.Present:
		return p.members(at, was, now)
	case was.Items() > 0 && was.Items() == now.Items(), holds && hasItemsBeside(was, now), holds && hasItemsBeside(now, was):
		return p.items(at, was, now)
	case holds && was.Present && now.Present && (was.HasParts() || now.HasParts()):
		return errors.Join(p.visit(at, was, tree.Value{}), p.visit(at, tree.Value{}, now))
	}
	return p.add(p.row(at, before, after))
}

func (p *parting) members(at place.Path, was, now tree.Value) error {
	for _, name := range tree.Names(was, now) {
		if err := p.visit(at.Below(name), was.Member(name), now.Member(name)); err != nil {
			return err
		}
	}
	return nil
}

func (p *parting) items(at place.Path, was, now tree.Value) error {
	for i := range max(was.Items(), now.Items()) {
		if err := p.visit(at.Below(strconv.Itoa(i)), was.Item(i), now.Item(i)); err != nil {
			return err
		}
	}
	return nil
}

// hasItemsBeside tells whether a value has items, beside others or nothing.
func hasItemsBeside(v, other tree.Value) bool {
	return v.Items() > 0 && (other.Items() > 0 || !other.Present)
}

// row is one row. A value that has hidden parts and is none of those that can have parts is hidden itself.
func (p *parting) row(at place.Path, before, after []byte) Line {
	l := Line{
		Field: p.whole.Field + visible.Value(at.Pointer()), Before: before, After: after,
		Context: p.whole.Context, KnownAfterApply: p.whole.KnownAfterApply, Asked: p.whole.Asked,
	}
	if p.hidden.Covers(at) || p.hidden.Touches(at) && !(isHollow(before) && isHollow(after)) {
		return l.Redacted()
	}
	return l
}

// isHollow tells whether a value is one that holds nothing.
func isHollow(canonical []byte) bool {
	return canonical == nil || slices.Contains([]string{"null", "{}", "[]"}, string(canonical))
}

func (p *parting) add(l Line) error {
	if p.size += len(l.Field) + len(l.Before) + len(l.After); p.size > maxPartBytes {
		return fmt.Errorf("its parts take more than %d bytes: %w", maxPartBytes, exact.ErrTooLarge)
	}
	p.rows = append(p.rows, l)
	return nil
}
