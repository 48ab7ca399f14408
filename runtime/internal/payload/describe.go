package payload

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// words says what a keyword asks of a value and what it finds.
func (f flaw) words() (expected, found string) {
	switch f.keyword {
	case "type":
		return strings.Join(f.kinds(), " or "), show(f.value)
	case "enum":
		values, _ := f.limit().([]any)
		return choice(values), show(f.value)
	case "const":
		return "exactly " + show(f.limit()), show(f.value)
	case "pattern":
		pattern, _ := f.limit().(string)
		return "a string that matches the regular expression " + printable(pattern), show(f.value)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return f.size()
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return f.number(), show(f.value)
	case "uniqueItems":
		return "an array without equal items", f.equalItems()
	case "minContains", "maxContains":
		return "an array with " + f.bound("item") + ` that fits "contains"`, show(f.value)
	case "anyOf":
		return fmt.Sprintf("a value that fits one of %d alternatives", len(f.owner.AnyOf)), show(f.value)
	case "oneOf":
		return fmt.Sprintf("a value that fits exactly one of %d alternatives", len(f.owner.OneOf)), show(f.value)
	case "not":
		return `a value that "not" does not rule out`, show(f.value)
	}
	return fmt.Sprintf("a value that fits %q of the schema", f.keyword), show(f.value)
}

// limit is what the keyword says.
func (f flaw) limit() any { return f.node[f.keyword] }

// kindNames are the types of JSON in a sentence.
var kindNames = map[any]string{
	"array": "an array", "boolean": "true or false", "integer": "an integer", "null": "null",
	"number": "a number", "object": "an object", "string": "a string",
}

// kinds are what the keyword type allows; nil for another keyword.
func (f flaw) kinds() []string {
	if f.keyword != "type" {
		return nil
	}
	names, ok := f.limit().([]any)
	if !ok {
		names = []any{f.limit()}
	}
	var kinds []string
	for _, name := range names {
		kinds = append(kinds, kindNames[name])
	}
	return kinds
}

func choice(values []any) string {
	var shown []string
	for _, value := range values {
		shown = append(shown, show(value))
	}
	if len(shown) == 1 {
		return "exactly " + shown[0]
	}
	return "one of " + list(shown)
}

// size is about keywords that count something.
func (f flaw) size() (expected, found string) {
	switch v := f.value.(type) {
	case string:
		return "a string of " + f.bound("character"), count(strconv.Itoa(utf8.RuneCountInString(v)), "character")
	case []any:
		return "an array of " + f.bound("item"), count(strconv.Itoa(len(v)), "item")
	}
	object, _ := f.value.(map[string]any)
	return "an object of " + f.bound("property"), count(strconv.Itoa(len(object)), "property")
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
	if f.node["type"] == "integer" {
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
	items, _ := f.value.([]any)
	seen := map[string]int{}
	for i, item := range items {
		text, err := exact.FromTree(item)
		if err != nil {
			break
		}
		if first, ok := seen[string(text)]; ok {
			return fmt.Sprintf("items %d and %d equal: %s", first, i, show(item))
		}
		seen[string(text)] = i
	}
	return show(f.value)
}
