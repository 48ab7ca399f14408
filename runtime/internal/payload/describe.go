package payload

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// words says what a keyword asks of a value and what it finds.
func (f flaw) words() (expected, found string) {
	switch f.keyword {
	case "type":
		if f.other.nothing() {
			f.other.kinds = f.rule.kinds
		}
		return f.other.words(), shown(f.value)
	case "enum", "const":
		return f.allowed(), shown(f.value)
	case "format":
		return "a string of the format " + show(f.limit()), shown(f.value)
	case "pattern":
		pattern, _ := f.limit().(string)
		return "a string that matches the regular expression " + printable(pattern), shown(f.value)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return f.size()
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return f.number(), shown(f.value)
	case "uniqueItems":
		return "an array without equal items", f.equalItems()
	case "minContains", "maxContains":
		return f.contained()
	case "not":
		return f.ruledOut(), shown(f.value)
	}
	return fmt.Sprintf("a value that fits %q of the schema", f.keyword), shown(f.value)
}

// allowed lists what enum and const allow, unless that may hold what is sensitive.
func (f flaw) allowed() string {
	values, isList := f.limit().([]any)
	switch {
	case f.rule.leads:
		return unsaidExpected
	case isList && f.keyword == "enum":
		return choice(values)
	}
	return "exactly " + show(f.limit())
}

// contained is about how many items are of one kind.
func (f flaw) contained() (expected, found string) {
	of := ` for "contains"`
	if brief := f.rule.contains.brief(); brief != unknown {
		of = " of this kind: " + brief
	}
	return "an array with " + f.bound("item") + of, count(strconv.Itoa(f.counted[0]), "such item")
}

// ruledOut is about values of a kind that is not allowed.
func (f flaw) ruledOut() string {
	if brief := f.rule.not.brief(); brief != unknown {
		return "anything but " + brief
	}
	return `a value that "not" does not rule out`
}

// limit is what the keyword says.
func (f flaw) limit() any { return f.rule.node[f.keyword] }

// kindNames names kinds in a sentence, in the order of their names in JSON Schema.
func kindNames(kinds kind) []string {
	var names []string
	for _, k := range []struct {
		kind kind
		name string
	}{
		{kindArray, "an array"}, {kindBoolean, "true or false"}, {kindFraction | kindInteger, "a number"},
		{kindInteger, "an integer"}, {kindObject, "an object"}, {kindString, "a string"}, {kindNull, "null"},
	} {
		if kinds&k.kind == k.kind {
			names = append(names, k.name)
			kinds &^= k.kind
		}
	}
	return names
}

func choice(values []any) string {
	if len(values) == 1 {
		return "exactly " + show(values[0])
	}
	return "one of " + list(values)
}

// size is about keywords that count something.
func (f flaw) size() (expected, found string) {
	switch v := f.value.raw.(type) {
	case string:
		return "a string of " + f.bound("character"), count(strconv.Itoa(utf8.RuneCountInString(v)), "character")
	case []any:
		return "an array of " + f.bound("item"), count(strconv.Itoa(len(v)), "item")
	}
	return "an object of " + f.bound("property"), count(strconv.Itoa(len(f.value.parts)), "property")
}

// bound is the limit of a keyword that starts with min or max.
func (f flaw) bound(thing string) string {
	limit := json.Number("1") // of minContains where only contains is there
	if n, ok := f.limit().(json.Number); ok {
		limit = n
	}
	way := "at most "
	if strings.HasPrefix(f.keyword, "min") {
		way = "at least "
	}
	return way + count(limit.String(), thing)
}

func (f flaw) number() string {
	noun := "a number "
	if f.rule.node["type"] == "integer" {
		noun = "an integer "
	}
	limit := show(f.limit())
	switch f.keyword {
	case "minimum":
		return noun + "of at least " + limit
	case "maximum":
		return noun + "of at most " + limit
	case "exclusiveMinimum":
		return noun + "greater than " + limit
	case "exclusiveMaximum":
		return noun + "less than " + limit
	}
	return noun + "that is a multiple of " + limit
}

// equalItems names the first two items that are equal.
func (f flaw) equalItems() string {
	first, second := f.counted[0], f.counted[1]
	return fmt.Sprintf("items %d and %d equal: %s", first, second, shown(&f.value.parts[second]))
}
