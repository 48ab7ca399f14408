package exact

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var (
	errNotDecimal    = errors.New("is not a decimal number")
	errNotJSONNumber = errors.New("is not a number as JSON writes it")
)

// Number returns the canonical spelling of a decimal number: a JSON number, or what an SQL database writes as one
// (a plus sign, zeros in front, nothing on one side of the point). It is within DefaultLimits. Anything else, NaN and
// Infinity too, is an *Error of cause ErrNumber.
func Number(literal string) (string, error) {
	d, err := parseDecimal(literal)
	if err != nil {
		return "", numberError(literal, err)
	}
	number, err := d.canonical(DefaultLimits)
	if err != nil {
		return "", numberError(literal, err)
	}
	return number, nil
}

func numberError(literal string, flaw error) error {
	return &Error{Offset: noOffset, Cause: ErrNumber, Detail: fmt.Sprintf("%q %v", shorten(literal), flaw)}
}

// jsonNumber is Number for the grammar of JSON alone.
func jsonNumber(literal string, limits Limits) (string, error) {
	d, err := parseDecimal(literal)
	switch {
	case err != nil:
		return "", err
	case !d.json:
		return "", errNotJSONNumber
	}
	return d.canonical(limits)
}

// decimal is a number as it is written.
type decimal struct {
	negative        bool
	whole, fraction string // the digits before and after the point
	exponent        int    // of ten, cut off at farExponent
	json            bool   // JSON allows this spelling
}

// farExponent is out of every bound, and ten times as much still fits an int of 32 bits.
const farExponent = 200_000_000

func parseDecimal(literal string) (decimal, error) {
	var d decimal
	rest, plus := literal, false
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		d.negative, plus = rest[0] == '-', rest[0] == '+'
		rest = rest[1:]
	}
	d.whole, rest = leadingDigits(rest)
	point := strings.HasPrefix(rest, ".")
	if point {
		d.fraction, rest = leadingDigits(rest[1:])
	}
	if d.whole == "" && d.fraction == "" {
		return d, errNotDecimal
	}
	var ok bool
	if d.exponent, ok = parseExponent(rest); !ok {
		return d, errNotDecimal
	}
	zeroInFront := len(d.whole) > 1 && d.whole[0] == '0'
	d.json = !plus && d.whole != "" && !zeroInFront && point == (d.fraction != "")
	return d, nil
}

// parseExponent reads all of text, which is what follows the digits of a number.
func parseExponent(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	sign, digits := 1, text[1:]
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		if digits[0] == '-' {
			sign = -1
		}
		digits = digits[1:]
	}
	digits, rest := leadingDigits(digits)
	if digits == "" || rest != "" {
		return 0, false
	}
	exponent := 0
	for i := range len(digits) {
		exponent = min(exponent*10+int(digits[i]-'0'), farExponent)
	}
	return sign * exponent, true
}

func leadingDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

// isBeyondDouble tells whether a number is beyond the largest double. Readers that use doubles fail on the whole answer
// that holds one; a number too small for them is nothing worse than 0.
func isBeyondDouble(digits string, first int) bool {
	const power = 308 // of ten, in the largest double
	if first < power {
		return false
	}
	_, err := strconv.ParseFloat(digits[:1]+"."+digits[1:]+"e"+strconv.Itoa(first), 64)
	return err != nil
}

// canonical spells the value of d, which is sign × 0.digits × 10^point once the zeros on both ends are gone.
func (d decimal) canonical(limits Limits) (string, error) {
	written := d.whole + d.fraction
	digits := strings.TrimLeft(written, "0")
	point := len(d.whole) + d.exponent - (len(written) - len(digits))
	digits = strings.TrimRight(digits, "0")
	if digits == "" {
		return "0", nil
	}
	first, last := point-1, point-len(digits) // the powers of ten of the outermost digits
	switch {
	case len(digits) > limits.Digits:
		return "", fmt.Errorf("has %d significant digits; at most %d are kept", len(digits), limits.Digits)
	case first > limits.Exponent:
		return "", fmt.Errorf("is too large; it has to be below 10^%d", limits.Exponent+1)
	case isBeyondDouble(digits, first):
		return "", errors.New("is too large; it has to be below 1.8·10^308, because clients read numbers as doubles")
	case last < -limits.Exponent:
		return "", fmt.Errorf("is too fine; at most %d places after the point are kept", limits.Exponent)
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch {
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits, nil
	case last >= 0:
		return sign + digits + strings.Repeat("0", last), nil
	}
	return sign + digits[:point] + "." + digits[point:], nil
}
