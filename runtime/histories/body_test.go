package histories_test

import (
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime"
)

var (
	errBody = errors.New("the target refused")
	errDead = errors.New("the process is dead") // what a process is told of everything once it is
)

// looksFail is how many looks of a hundred fail that follow a body.
const looksFail = 5

// fate is what a body does.
type fate struct {
	share    int // how many of all bodies, in thousandths
	writes   bool
	edited   bool // somebody changes the thing just before the write
	killedAt int  // 1: the process dies before the write; 2: after it
	end      func() error
}

// fates are what bodies do, by how often they do it. What is left of a thousand write and say so.
var fates = []fate{
	{share: 80, end: func() error { return runtime.NotApplied(errBody) }},
	{share: 20, end: func() error { return runtime.NotApplied(runtime.Refuse("not today")) }},
	{share: 40, end: func() error { return errBody }},
	{share: 40, writes: true, end: func() error { return errBody }},
	{share: 40, writes: true, end: func() error { return runtime.InDoubt(errBody) }},
	{share: 30, end: func() error { return runtime.InDoubt(errBody) }},
	{share: 20, writes: true, end: func() error { panic("after the write") }},
	{share: 20, end: func() error { panic("before the write") }},
	{share: 30, writes: true, edited: true, end: func() error { return nil }},
	{share: 20, killedAt: 1, end: func() error { return errDead }},
	{share: 20, writes: true, killedAt: 2, end: func() error { return errDead }},
}

func (p *process) fate() fate {
	chance := p.upTo(1000)
	for _, f := range fates {
		if chance < f.share {
			return f
		}
		chance -= f.share
	}
	return fate{writes: true, end: func() error { return nil }}
}

// carryOut is a body. What it does is a step of the history of its change.
func (p *process) carryOut(change string, to purpose, key string, as thing) (err error) {
	x := &step{kind: ran, change: change, process: p.name, purpose: to, called: p.history.now()}
	end := func() error { return errDead }
	defer func() {
		x.what = fmt.Sprintf("body of %s in %s: %s, wrote %v", to, p.name, x.body.ending, x.body.wrote)
		x.maybe = x.body.ending == killed && !x.body.wrote // it did nothing that could tell that it was there
		p.history.add(x)
		err = end()
	}()
	x.body.ending = killed
	f := p.fate()
	if f.killedAt == 1 {
		p.kill()
	}
	if f.edited {
		p.target.edit(key, p.history.stamp())
	}
	if f.writes {
		switch err := p.put(write{change, to}, key, as); {
		case errors.Is(err, errDead):
			return nil
		case errors.Is(err, runtime.ErrNotApplied):
			x.body.ending, end = proved, func() error { return err }
			return nil
		case err != nil:
			p.history.fault("body of %s: %v", change, err)
		}
		x.body.wrote = true
	}
	if f.killedAt == 2 {
		p.kill()
	}
	if p.dead() {
		return nil
	}
	x.body.ending, end = endingOf(f.end), f.end
	return nil
}

// endingOf is what the end of a body says to its guard.
func endingOf(end func() error) (e ending) {
	defer func() {
		if recover() != nil {
			e = unsure
		}
	}()
	switch err := end(); {
	case err == nil:
		return fine
	case errors.Is(err, runtime.ErrNotApplied):
		return proved
	case errors.Is(err, runtime.ErrInDoubt):
		return unsure
	}
	return failed
}

// put writes as far as the process is alive.
func (p *process) put(by write, key string, to thing) error {
	if !p.enter() {
		return errDead
	}
	defer p.leave()
	return p.target.put(by, key, to)
}
