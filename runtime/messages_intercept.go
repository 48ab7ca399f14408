package runtime

// refuseStep is the refusal of an interceptor.
func refuseStep(message string) *refusal {
	return &refusal{
		code:    CodeRefused,
		passes:  true,
		message: message,
		hint:    "Nothing was written or spent. Do what the message says; then the same call can be made again.",
	}
}

// refuseBroken answers for an interceptor that failed before anything was done.
func refuseBroken() *refusal {
	return &refusal{
		code:    CodeInternal,
		passes:  true,
		message: "The server failed inside before it began with this call. Nothing was written or spent.",
		hint:    "Make the same call again in a moment. If it stays so: " + hintOperator,
	}
}
