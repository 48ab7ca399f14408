package payload

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// checkKeywords refuses what the metaschema lets pass and the library gets wrong.
func checkKeywords(rules []*rule) error {
	for _, u := range sorted(rules) {
		if err := checkNode(u.node); err != nil {
			return fmt.Errorf("%s: %w", u.place(), err)
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

// sorted is so that the first of several faults is always the same.
func sorted(rules []*rule) []*rule {
	return slices.SortedFunc(slices.Values(rules), func(a, b *rule) int { return cmp.Compare(a.location, b.location) })
}

// maxSchemas is how many schemas there may be in one. The library takes time that grows with their square.
const maxSchemas = 5000

// checkDocument does the same for a schema as it was written, before the library resolves its references.
func checkDocument(schema any) error {
	left := maxSchemas
	return checkPart(schema, nil, &left)
}

func checkPart(schema any, tokens []string, left *int) error {
	if *left--; *left < 0 {
		return fmt.Errorf("there are more than %d schemas in one; describe less", maxSchemas)
	}
	node, _ := schema.(map[string]any)
	if err := checkNode(node); err != nil {
		return fmt.Errorf("%s: %w", placeOf(join(tokens...)), err)
	}
	for at, part := range written(node) {
		if err := checkPart(part, append(slices.Clone(tokens), at...), left); err != nil {
			return err
		}
	}
	return nil
}

// The keywords that hold schemas.
var (
	ofOneSchema = []string{
		"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems",
		"unevaluatedProperties",
	}
	ofListedSchemas = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	ofNamedSchemas  = []string{"$defs", "dependentSchemas", "patternProperties", "properties"}
)

// written goes through the schemas that a schema holds as it was written, with the tokens that lead to them.
func written(node map[string]any) iter.Seq2[[]string, any] {
	return func(yield func([]string, any) bool) {
		for _, keyword := range ofOneSchema {
			if part, ok := node[keyword]; ok && !yield([]string{keyword}, part) {
				return
			}
		}
		for _, keyword := range ofListedSchemas {
			parts, _ := node[keyword].([]any)
			for i, part := range parts {
				if !yield([]string{keyword, strconv.Itoa(i)}, part) {
					return
				}
			}
		}
		for _, keyword := range ofNamedSchemas {
			parts, _ := node[keyword].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(parts)) {
				if !yield([]string{keyword, name}, parts[name]) {
					return
				}
			}
		}
	}
}

// unsupported are keywords that the library gets wrong, or that other readers take for something else.
var unsupported = map[string]string{
	"$id": "leave it out, and refer to parts as in #/$defs/name", "$anchor": "refer to the part as in #/$defs/name",
	"$dynamicRef": "write $ref", "$dynamicAnchor": "leave it out", "$recursiveRef": "write $ref",
	"$recursiveAnchor": "leave it out", "$vocabulary": "leave it out",
	"dependencies": "write dependentRequired or dependentSchemas",
}

func checkNode(node map[string]any) error {
	for _, keyword := range slices.Sorted(maps.Keys(unsupported)) {
		if _, ok := node[keyword]; ok {
			return fmt.Errorf("%s is not supported; %s", keyword, unsupported[keyword])
		}
	}
	if target, ok := node["$ref"].(string); ok && !strings.HasPrefix(target, "#") {
		return refuseAddress(target)
	}
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
