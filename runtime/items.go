package runtime

// Items are the items of a list that may be absent or null, and then has none.
func Items[S ~[]T, T any](list *S) S {
	if list == nil {
		return nil
	}
	return *list
}

// ItemsOf are the items of a list in an object that may be absent or null; there are none then.
func ItemsOf[O, T any](object *O, list func(*O) []T) []T {
	if object == nil {
		return nil
	}
	return list(object)
}
