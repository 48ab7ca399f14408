package conform

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// explain puts an error of the schema library into the words of the document.
func (s *Schema) explain(node *document.Node, e *jsonschema.ValidationError) diag.List {
	if faults, ok := s.missingBeside(node, e); ok {
		return faults
	}
	schema, err := s.at(e)
	if err != nil {
		return diag.List{node.Fault(diag.BadValue, "", "%s", e.Message)}
	}
	switch keyword(e) {
	case "additionalProperties":
		return unknownKeys(node, schema)
	case "unevaluatedProperties": // the node is the member itself
		return diag.List{unknownKey(node, slices.Sorted(maps.Keys(schema.Properties)))}
	case "required":
		return missingKeys(node, schema)
	case "type":
		return diag.List{wrongType(node, schema, s.hints)}
	case "enum":
		return diag.List{notOneOf(node, schema)}
	default:
		return diag.List{outOfBounds(node, schema, e)}
	}
}

// outOfBounds is about a value of the right kind that is too little, too much, or of the wrong form.
func outOfBounds(node *document.Node, schema *jsonschema.Schema, e *jsonschema.ValidationError) diag.Diagnostic {
	message := e.Message
	switch keyword(e) {
	case "minLength":
		message = least(schema.MinLength, "characters")
	case "maxLength":
		message = fmt.Sprintf("must have at most %d characters", schema.MaxLength)
	case "minItems":
		message = least(schema.MinItems, "items")
	case "maxItems":
		message = fmt.Sprintf("must have at most %d items", schema.MaxItems)
	case "minProperties":
		message = least(schema.MinProperties, "keys")
	case "maxProperties":
		message = fmt.Sprintf("must have at most %d keys", schema.MaxProperties)
	case "uniqueItems":
		message = "must not hold the same item twice"
	case "minimum":
		message = "must be " + decimal(schema.Minimum) + " or more"
	case "maximum":
		message = "must be " + decimal(schema.Maximum) + " or less"
	case "exclusiveMinimum":
		message = "must be more than " + decimal(schema.ExclusiveMinimum)
	case "exclusiveMaximum":
		message = "must be less than " + decimal(schema.ExclusiveMaximum)
	case "multipleOf":
		message = "must be a multiple of " + decimal(schema.MultipleOf)
	case "pattern":
		message = "must match " + schema.Pattern.String()
		if schema.Pattern.String() == somethingSeen {
			message = "must not be blank"
		}
	case "const":
		message = "must be " + spelt(schema.Constant[0])
	case "not":
		message = "must not be what 'not' describes"
	case "oneOf":
		message = "must be one of the choices of 'oneOf', and not two of them"
	case "minContains":
		message = fmt.Sprintf("must have %d or more items that 'contains' describes", schema.MinContains)
	case "maxContains":
		message = fmt.Sprintf("must have at most %d items that 'contains' describes", schema.MaxContains)
	case "format":
		message = "must be of the format " + schema.Format
	}
	return node.Fault(diag.BadValue, "", "%s", message)
}

// somethingSeen is the pattern of text that is not all space.
const somethingSeen = `\S`

// spelt is a value as JSON writes it.
func spelt(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

func least(count int, what string) string {
	if count == 1 {
		return "must not be empty"
	}
	return fmt.Sprintf("must have %d %s or more", count, what)
}

// decimal is a number of a schema with all its digits.
func decimal(number *big.Rat) string {
	digits, _ := number.FloatPrec()
	return number.FloatString(digits)
}

func unknownKeys(node *document.Node, schema *jsonschema.Schema) diag.List {
	known := slices.Sorted(maps.Keys(schema.Properties))
	var faults diag.List
	for _, child := range node.Children {
		if _, ok := schema.Properties[child.Key]; !ok {
			faults.Add(unknownKey(child, known))
		}
	}
	return faults
}

func unknownKey(node *document.Node, known []string) diag.Diagnostic {
	return node.KeyFault(diag.UnknownKey, diag.DidYouMean(node.Key, known), "unknown key %s", diag.Quote(node.Key))
}

func missingKeys(node *document.Node, schema *jsonschema.Schema) diag.List {
	var faults diag.List
	for _, key := range schema.Required {
		if node.Get(key) == nil {
			faults.Add(node.KeyFault(diag.MissingKey, "", "missing key %s", diag.Quote(key)))
		}
	}
	return faults
}

// kinds are what JSON Schema's types are called in a document.
var kinds = map[string]string{
	"string": "text", "object": "a map", "array": "a list", "boolean": "true or false",
	"number": "a number", "integer": "a whole number", "null": "null",
}

func wrongType(node *document.Node, schema *jsonschema.Schema, hints map[string]Hint) diag.Diagnostic {
	expected := make([]string, len(schema.Types))
	for i, name := range schema.Types {
		expected[i] = kinds[name]
	}
	hint, known := hints[schema.Format]
	scalar := node.Is(document.Number) || node.Is(document.Boolean)
	quoted := node.Quoted()
	switch {
	case node.Text == "" && slices.Equal(schema.Types, []string{"string"}) && (!known || hint.OrQuotes) && quoted != "":
		hint.Text = "quote it: " + quoted
	case !known && scalar && slices.Contains(schema.Types, "string") && schema.Validate(node.Text) == nil:
		hint.Text = "quote it: " + strconv.Quote(node.Text)
	}
	return node.Fault(diag.WrongKind, hint.Text, "must be %s, not %s", strings.Join(expected, " or "), node.Kind)
}

func notOneOf(node *document.Node, schema *jsonschema.Schema) diag.Diagnostic {
	words := make([]string, len(schema.Enum))
	for i, value := range schema.Enum {
		words[i] = fmt.Sprint(value)
	}
	found := node.Kind.String()
	if node.Is(document.Text) || node.Text != "" {
		found = diag.Quote(node.Text)
	}
	if _, number := schema.Enum[0].(json.Number); number && node.Is(document.Number) {
		found = node.Text
	}
	hint := otherWord(node, words)
	if len(words) == 1 {
		return node.Fault(diag.NotOneOf, hint, "must be %s, not %s", words[0], found)
	}
	return node.Fault(diag.NotOneOf, hint, "must be one of %s, not %s", strings.Join(words, ", "), found)
}

// otherWord is the hint for a value that is none of the words.
func otherWord(node *document.Node, words []string) string {
	meant := slices.Contains(words, node.Text)
	switch {
	case node.Is(document.Text) && meant:
		return "leave out the quotes"
	case node.Is(document.Text):
		return diag.DidYouMean(node.Text, words)
	case meant && (node.Key == "" || !node.Is(document.Null)): // null as the whole value is no slip of the pen
		return "quote it: " + strconv.Quote(node.Text)
	default:
		return ""
	}
}
