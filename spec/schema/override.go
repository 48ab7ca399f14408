package schema

// The keywords for Go names that an author chooses.
const (
	goName  = "x-go-name"  // of a field, of the type that a schema declares
	goNames = "x-go-names" // of the values of an enum: what follows the name of the type in that of the constant
)
