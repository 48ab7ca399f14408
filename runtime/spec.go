package runtime

// ToolStyle says which apply and undo tools a spec gets.
type ToolStyle int

// The styles of tools.
const (
	PerOperation ToolStyle = iota // apply_<op> and undo_<op>, which a client can allow one by one
	SharedTools                   // one apply_change and one undo_change for all operations
)

// Spec is everything about a generated spec that does not belong to one operation.
type Spec struct {
	Server string // name the changes are recorded under; servers that share a ledger have different ones
	Title  string // for people
	Tools  ToolStyle
	Prefix string // of every tool name; "" for none
	// Schemas is the generated schema file: a JSON object of JSON Schemas by name. Those of an operation are called after it
	// (set_setting.payload, set_setting.result), and that of its state after Meta.Resource (setting.state).
	Schemas []byte
}
