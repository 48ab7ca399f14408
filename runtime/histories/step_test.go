package histories_test

import (
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// kind is what a step does to a change.
type kind int

const (
	previewed kind = iota // it is there, or is there already and has another confirmation token
	born                  // it is there: as a retry of another one, of which nobody was told at first
	renewed               // its confirmation token is another one
	claimed               // its apply or its undo is begun
	ran                   // the body of a claim, from its beginning to its end
	settled               // the claim of the same call came to its end
	crashed               // a process is gone
	decided               // a person moved it
	seen                  // nothing; an answer says something about it
)

// step is something that happened to a change in the time between two readings of the history's clock.
type step struct {
	kind             kind
	change           string
	what             string // as it is told in a report
	called, returned int64
	by               time.Time // the latest that the ledger's clock can have shown until its return
	maybe            bool      // nobody was told whether it came to that
	call             int       // the request that it is a part of
	process          string    // that did it
	blind            bool      // its process could not see whether the holder of a claim was there

	purpose purpose           // of a claim or a body
	token   string            // that was given
	fresh   string            // that was told
	payload string            // of a preview
	loose   bool              // of a claim: its end was not told to its caller
	body    body              // that ran
	status  ledger.Status     // that a claim came to
	allows  func(state) bool  // of what is decided or seen: where the change can be
	becomes func(state) state // of what is decided, and of what is seen and changes something

	about  *facts
	around circumstances
}

// circumstances are what was so around a step, of what is no part of its change.
type circumstances struct {
	late, undoLate bool // its time to be applied, or undone, may be over by the return
	pruned         bool // what is over may be cleared away by the return
	rejected       bool // a person may have rejected the same change by the return
	barred         bool // a person had rejected the same change before the call, and that is remembered
}

// facts are what does not change about a change.
type facts struct {
	needsYes, needsUndoYes bool
	limited                bool
	unrecorded             bool // it is not in the ledger any more, so that needsYes is what was told of it
}

type purpose string

const (
	toApply purpose = "apply"
	toUndo  purpose = "undo"
)

// ending is how a body ended.
type ending string

const (
	fine   ending = "ok"
	failed ending = "failed"            // with an error that proves nothing
	proved ending = "failed with proof" // that nothing was written
	unsure ending = "unsure"            // with a panic, or saying that nobody knows
	killed ending = "killed"            // with its process
)

// body is what became of one run of a body.
type body struct {
	ending ending
	wrote  bool
}
