package payload_test

import (
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

func ExampleSchema_Accept() {
	schema, err := payload.Compile("transfer.payload", []byte(`{
		"type": "object",
		"required": ["account_id"],
		"properties": {
			"account_id": {"type": "integer"},
			"currency": {"type": "string", "default": "EUR"}
		},
		"unevaluatedProperties": false
	}`), payload.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	accepted, err := schema.Accept([]byte(`{"account_id": 9007199254740993}`), exact.DefaultLimits)
	fmt.Println(string(accepted), err)

	_, err = schema.Accept([]byte(`{"acount_id": "1"}`), exact.DefaultLimits)
	var invalid *payload.Invalid
	if errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			fmt.Println(v.Message)
		}
	}
	// Output:
	// {"account_id":9007199254740993,"currency":"EUR"} <nil>
	// /account_id: the property is required and missing
	// /acount_id: unknown property "acount_id"; did you mean "account_id"?
}
