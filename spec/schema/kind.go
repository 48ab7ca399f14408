package schema

// kinds name the kinds of values as people know them.
var kinds = map[Kind]string{
	Invalid: "nothing that is known", Object: "an object", Map: "a map", Array: "an array", String: "a string",
	Integer: "an integer", WideInteger: "an integer", Number: "a number", Float: "a number", Boolean: "a boolean",
	Enum: "an enum", Union: "a choice of objects", Raw: "a value of any type",
}

// String names a kind of values as people know it.
func (k Kind) String() string { return kinds[k] }
