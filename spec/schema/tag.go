package schema

import (
	"fmt"
	"strings"
	"unicode"
)

// tagSigns are what the name in a json tag may hold beside letters and digits. The list is that of encoding/json, which
// an author may encode a value with: it overlooks a name with anything else, and takes that of the Go field.
const tagSigns = "!#$%&()*+-./:;<=>?@[]^_{|}~ "

// hasTag tells whether a json tag can say the name of a property. A property that has none gets no field.
func hasTag(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, foreignToTags)
}

func foreignToTags(r rune) bool {
	return !strings.ContainsRune(tagSigns, r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// tagFault is what keeps a json tag from saying a name: its first character that no tag can hold, or the name as a whole.
func tagFault(name string) string {
	for _, r := range name {
		if foreignToTags(r) {
			return fmt.Sprintf("%+q, which its name holds", r) // an accent that stands by itself would not be seen
		}
	}
	return "its name"
}
