package schema

import (
	"strings"
	"unicode"
)

// tagSigns are what the name in a json tag may hold beside letters and digits. The list is that of encoding/json, which
// an author may encode a value with: it overlooks a name with anything else, and takes that of the Go field.
const tagSigns = "!#$%&()*+-./:;<=>?@[]^_{|}~ "

// hasTag tells whether a json tag can say the name of a property. A property that has none gets no field.
func hasTag(name string) bool {
	foreign := func(r rune) bool {
		return !strings.ContainsRune(tagSigns, r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return name != "" && name != "-" && !strings.ContainsFunc(name, foreign)
}
