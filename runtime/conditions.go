package runtime

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// SameNumber tells whether two numbers are equal, by all of their digits: 1, 1.0 and 10e-1 are, and what only a double
// cannot tell apart is not. What is no number equals nothing. It is for the conditions of generated code.
func SameNumber[A, B int64 | float64 | json.Number](a A, b B) bool {
	left, err := exact.Encode(a)
	right, otherErr := exact.Encode(b)
	return err == nil && otherErr == nil && bytes.Equal(left, right)
}

// Count is a number of a payload as Operation.Items gives it. A number that counts nothing, because it is negative or
// beyond what an int holds, is beyond every limit.
func Count(number int64) int {
	if number < 0 || number > math.MaxInt {
		return math.MaxInt
	}
	return int(number)
}
