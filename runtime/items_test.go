package runtime_test

import (
	"fmt"

	"github.com/changesetgen/changesetgen/runtime"
)

func ExampleItems() {
	list := []string{"a", "b"}
	for _, item := range runtime.Items(&list) {
		fmt.Println(item)
	}
	for _, item := range runtime.Items[[]string](nil) {
		fmt.Println("no row for", item)
	}
	// Output:
	// a
	// b
}

func ExampleItemsOf() {
	type order struct{ Lines []string }
	linesOf := func(o *order) []string { return o.Lines }
	fmt.Println(runtime.ItemsOf(&order{Lines: []string{"pen"}}, linesOf), len(runtime.ItemsOf(nil, linesOf)))
	// Output: [pen] 0
}
