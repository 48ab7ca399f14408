package document

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits on numbers, the same as the runtime's: arithmetic on larger ones takes time and memory without bound.
const (
	maxDigits   = 400
	maxExponent = 400
)

// words are what some readers of YAML take for something other than text, in any case of letters: only true, false and
// null as JSON writes them are clear.
var words = []string{"yes", "no", "on", "off", "true", "false", "null"}

// signs begin whatever else is not clearly text. Most text is told by that, without the patterns.
const signs = "+-.0123456789~="

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	exponent   = regexp.MustCompile(`[eE]([+-]?[0-9]+)$`)
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
		return Text, !slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
	case jsonNumber.MatchString(text):
		return Number, true
	default:
		return Text, !ambiguous.MatchString(text)
	}
}

// tooBig tells whether a number goes beyond the limits.
func tooBig(number string) bool {
	if len(number) > maxDigits {
		return true
	}
	found := exponent.FindStringSubmatch(number)
	if found == nil {
		return false
	}
	value, err := strconv.Atoi(found[1])
	return err != nil || value > maxExponent || value < -maxExponent
}
