package payload

import "fmt"

// maxSteps is how much work one payload may take. A step is one schema asked about one value, or as much reading as
// takes about as long; the largest payload that fits a schema of an ordinary tool takes a tenth of them. Unions within
// unions, long texts against large patterns, and many values against many alternatives may take more.
const maxSteps = 8 << 20

// TooComplex is the error about a payload that would take too long to check.
type TooComplex struct {
	Pointer string // JSON Pointer of the value that was looked at when the work was given up, as CutPointer leaves it
}

func (e *TooComplex) Error() string {
	return fmt.Sprintf("%s: too complex to check: given up after %d steps; send less, or less deeply nested", place(e.Pointer), maxSteps)
}

// budget counts the steps of one task.
type budget struct {
	spent int
	over  *value // where they ran out; nil if they have not
}

// spend takes steps for a value, and says whether there were enough. Once there are not, there never are.
func (b *budget) spend(steps int, v *value) bool {
	if b.over != nil {
		return false
	}
	b.spent += steps
	if b.spent <= maxSteps {
		return true
	}
	b.over = v
	return false
}

// err is a *TooComplex if the steps ran out.
func (b *budget) err() error {
	if b.over == nil {
		return nil
	}
	return &TooComplex{Pointer: b.over.pointer()}
}
