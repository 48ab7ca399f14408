package payload

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// checkKeywords refuses what the metaschema lets pass and the library gets wrong.
func (s *Schema) checkKeywords() error {
	for _, location := range slices.Sorted(maps.Keys(s.index)) {
		if err := checkKeywords(s.node(s.index[location])); err != nil {
			return fmt.Errorf("%s: %w", place(pointerOf(fragment(location))), err)
		}
	}
	return nil
}

// counts are the keywords whose value the library holds as an int, read through a float64.
var counts = []string{
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
}

// maxCountDigits is how many digits a count may have and be the same as float64 and as int of 32 bits.
const maxCountDigits = 9

func checkKeywords(node map[string]any) error {
	for _, keyword := range counts {
		if count, ok := node[keyword].(json.Number); ok && len(count) > maxCountDigits {
			return fmt.Errorf("%s is beyond what can be counted; leave it out", keyword)
		}
	}
	if values, ok := node["enum"].([]any); ok && len(values) == 0 {
		return fmt.Errorf("enum is empty and allows nothing; list its values")
	}
	return nil
}
