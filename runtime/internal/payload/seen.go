package payload

// seen is the set of the parts of a value that a schema has spoken of, which is what unevaluatedProperties and
// unevaluatedItems ask for. The zero value is empty.
type seen struct {
	all  bool
	bits []uint64
}

const wordBits = 64

// mark adds part i of n.
func (s *seen) mark(i, n int) {
	if s.all {
		return
	}
	if s.bits == nil {
		s.bits = make([]uint64, (n+wordBits-1)/wordBits)
	}
	s.bits[i/wordBits] |= 1 << (i % wordBits)
}

func (s *seen) has(i int) bool {
	return s.all || s.bits != nil && s.bits[i/wordBits]&(1<<(i%wordBits)) != 0
}

// join adds another set about the same value, which stays as it is.
func (s *seen) join(other seen) {
	switch {
	case s.all || other.all:
		s.all, s.bits = true, nil
	case s.bits == nil:
		s.bits = append([]uint64(nil), other.bits...)
	default:
		for i, word := range other.bits {
			s.bits[i] |= word
		}
	}
}
