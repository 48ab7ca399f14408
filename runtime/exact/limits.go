package exact

import (
	"cmp"
	"fmt"
)

// Limits bound what is read. They are bounds on values, so a text within them has a canonical form within them. A
// field that is 0 means that of DefaultLimits.
type Limits struct {
	// Bytes bounds the length of the text, with its numbers written out as the canonical form has them.
	Bytes int
	// Depth bounds how many objects and arrays are open at once. More than 1,000 counts as 1,000.
	Depth int
	// Digits bounds the significant digits of a number: those between its first and its last that is not 0.
	Digits int
	// Exponent bounds the power of ten that a significant digit of a number stands for: with 400, the smallest step is
	// 10^-400. Whatever it is, a number beyond the largest double, near 1.8·10^308, is not read.
	Exponent int
}

// DefaultLimits hold for everything that takes no Limits. Far beyond any amount or id, they keep arithmetic on a
// number cheap for whoever computes with it.
var DefaultLimits = Limits{
	Bytes:    1 << 20,
	Depth:    64,
	Digits:   400,
	Exponent: 400,
}

// maxDepth keeps the recursion of the reader and the writer, and that of jsontext, bounded whatever Limits say.
const maxDepth = 1000

// filled returns l with its zero fields replaced.
func (l Limits) filled() Limits {
	return Limits{
		Bytes:    cmp.Or(l.Bytes, DefaultLimits.Bytes),
		Depth:    min(cmp.Or(l.Depth, DefaultLimits.Depth), maxDepth),
		Digits:   cmp.Or(l.Digits, DefaultLimits.Digits),
		Exponent: cmp.Or(l.Exponent, DefaultLimits.Exponent),
	}
}

func tooLong(limits Limits) string {
	return fmt.Sprintf("at most %d bytes are read; send less", limits.Bytes)
}

func tooDeep(limits Limits) string {
	return fmt.Sprintf("at most %d objects and arrays may be inside one another", limits.Depth)
}
