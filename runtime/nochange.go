package runtime

import "github.com/changesetgen/changesetgen/runtime/internal/shown"

// changesNothing tells whether what is shown says that everything is as the change would make it. Rows that are there
// for orientation say nothing of that, so where all are, nothing is known; and to make what is not there is a change
// whatever is shown of it. So is what has a sensitive row: a refusal costs a caller nothing, and one that depends on a
// sensitive value would let them find it by trying all that it may be.
func (e *erased) changesNothing(state []byte, s shown.Change) bool {
	if e.AllowNoChange || e.Absent == ExistsRefused || string(state) == jsonNull {
		return false
	}
	told := false
	for _, row := range s.Rows {
		switch {
		case row.Context:
		case row.Sensitive != "", row.Changes():
			return false
		default:
			told = true
		}
	}
	return told
}
