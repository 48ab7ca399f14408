package runtime

import (
	"github.com/changesetgen/changesetgen/runtime/internal/excerpt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// maxKeptChars is how long a text is kept that an author's code has given. It is repeated wherever the change is shown, for
// as long as the ledger has it.
const maxKeptChars = 16 << 10

// kept is a text of somebody else as the ledger keeps it: cut in the middle, with a count of what is left out there.
func kept(text string) string { return excerpt.Of(text, maxKeptChars).String() }

// keepTexts bounds what a transition writes down of an author's errors.
func keepTexts(r *ledger.Record, e *ledger.Event) {
	for _, text := range []*string{&r.Message, &r.Error, &r.DoubtReason, &e.Reason} {
		*text = kept(*text)
	}
}
