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

// keepTexts bounds what a transition writes down of an author's errors. What was kept before is cut already: cut again, it
// would count what is left out of that.
func keepTexts(was, is *ledger.Record, e *ledger.Event) {
	for _, text := range []struct {
		was string
		is  *string
	}{{was.Message, &is.Message}, {was.Error, &is.Error}, {was.DoubtReason, &is.DoubtReason}} {
		if *text.is != text.was {
			*text.is = kept(*text.is)
		}
	}
	e.Reason = kept(e.Reason)
}
