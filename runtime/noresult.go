package runtime

// ErrNoResult is what a generated look after apply returns where it looks by the result of apply, and there is none:
// the body returned nil, or what its schema does not take. The agent is told the text; match with errors.Is.
var ErrNoResult = Refuse("what was applied cannot be looked at, because its result was not valid")
