package document

import (
	"regexp"
	"strconv"
	"strings"
)

// maxPower bounds the power of ten that a significant digit of a number stands for, and how many of them there are. It
// is the same as the runtime's.
const maxPower = 400

// words are what some readers of YAML take for something other than text, in any case of letters, and how JSON writes
// what they take it for. Only true, false and null as JSON writes them are clear.
var words = map[string]string{
	"yes": "true", "on": "true", "true": "true",
	"no": "false", "off": "false", "false": "false",
	"null": "null", "~": "null",
}

// signs begin whatever else is not clearly text. Most text is told by that, without the patterns.
const signs = "+-.0123456789~="

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	// ambiguous is what else readers of YAML 1.1 and 1.2 take for different things, or for something JSON does not have.
	ambiguous = regexp.MustCompile(`^(?:` + strings.Join([]string{
		`[-+]?[0-9][0-9_]*`, // 0555, 1_000, +1
		`[-+]?0[xXoObB][0-9a-fA-F_]+`,
		`[-+]?(?:\.[0-9]|[0-9][0-9_]*\.)[0-9_]*(?:[eE][-+]?[0-9]+)?`,
		`[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+`,
		`[-+]?\.(?i:inf|nan)`,
		`[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?`, // 22:22, which is 1342 to some
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?`,
		`[~=]`,
	}, "|") + `)$`)
)

// resolve tells what a plain scalar is; ok is false for one that readers of YAML disagree about.
func resolve(text string) (kind Kind, ok bool) {
	switch {
	case text == "" || text == "null":
		return Null, true
	case text == "true" || text == "false":
		return Boolean, true
	case !strings.Contains(signs, text[:1]):
		_, isWord := words[strings.ToLower(text)]
		return Text, !isWord
	case jsonNumber.MatchString(text):
		return Number, true
	default:
		return Text, !ambiguous.MatchString(text)
	}
}

// quote is what to do with a plain scalar that is meant as text.
func quote(text string) string { return "quote it: " + strconv.Quote(text) }

// asMeant is what to do with a plain scalar that may be meant as text or not.
func asMeant(text string) string {
	if meant, isWord := words[strings.ToLower(text)]; isWord {
		return "write " + meant + ", or " + strconv.Quote(text) + " if text is meant"
	}
	return quote(text) + ", or write it as JSON would"
}

// tooBig tells whether a number goes beyond the limits, which are also those of a double: clients read numbers as such.
func tooBig(number string) bool {
	if _, err := strconv.ParseFloat(number, 64); err != nil {
		return true
	}
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(number), "e")
	power, err := 0, error(nil)
	if scaled {
		power, err = strconv.Atoi(exponent)
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := whole + fraction
	first, last := strings.IndexAny(digits, "123456789"), strings.LastIndexAny(digits, "123456789")
	if err != nil || first < 0 {
		return err != nil
	}
	return len(whole)-1+power-last < -maxPower || last-first >= maxPower
}
