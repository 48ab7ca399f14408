package exact_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func ExampleCanonical() {
	canonical, err := exact.Canonical([]byte(`{"price": 12.50, "id": 9007199254740993}`), exact.DefaultLimits)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(canonical))
	// Output: {"id":9007199254740993,"price":12.5}
}

func ExampleError() {
	_, err := exact.Canonical([]byte(`{"items":[{"id":1,"id":2}]}`), exact.DefaultLimits)
	var fault *exact.Error
	if errors.As(err, &fault) {
		fmt.Println(errors.Is(err, exact.ErrDuplicateName), fault.Path)
	}
	fmt.Println(err)
	// Output:
	// true /items/0/id
	// duplicate name: "id" appears more than once in its object; keep one (at /items/0/id, byte 18)
}

func ExampleHash() {
	for _, raw := range []string{`{"a":1,"b":2}`, `{"b":2.0,"a":1}`} {
		canonical, err := exact.Canonical([]byte(raw), exact.DefaultLimits)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(exact.Hash(canonical))
	}
	// Output:
	// sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777
	// sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777
}

func ExampleDecode() {
	var p struct {
		ID     int64       `json:"id"`
		Amount json.Number `json:"amount"`
	}
	err := exact.Decode([]byte(`{"Amount":9999,"amount":12345678901234567890.5,"id":9007199254740993}`), &p)
	fmt.Println(p.ID, p.Amount, err)
	// Output: 9007199254740993 12345678901234567890.5 <nil>
}

func ExampleEncode() {
	canonical, err := exact.Encode(map[string]any{"tags": []string(nil), "amount": json.Number("1.50")})
	fmt.Println(string(canonical), err)

	_, err = exact.Encode(map[string]any{"amount": json.Number("")})
	fmt.Println(err)
	// Output:
	// {"amount":1.5,"tags":[]} <nil>
	// number that cannot be kept exactly: "" is not a decimal number (at /amount)
}

func ExampleNumber() {
	for _, literal := range []string{"1e3", "007.50", "-.0", "NaN"} {
		number, err := exact.Number(literal)
		fmt.Println(number, err)
	}
	// Output:
	// 1000 <nil>
	// 7.5 <nil>
	// 0 <nil>
	//  number that cannot be kept exactly: "NaN" is not a decimal number
}

func ExampleTree() {
	tree, err := exact.Tree([]byte(`{"id":9007199254740993}`))
	fmt.Println(tree, err)
	// Output: map[id:9007199254740993] <nil>
}

func ExampleFromTree() {
	canonical, err := exact.FromTree(map[string]any{"b": json.Number("2.0"), "a": nil})
	fmt.Println(string(canonical), err)
	// Output: {"a":null,"b":2} <nil>
}
