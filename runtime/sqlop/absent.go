package sqlop

import "github.com/changesetgen/changesetgen/runtime"

// Nullable reads a column that may be NULL, which is null in the state, as another one otherwise.
func Nullable[T any](name string, dst **T, of func(string, *T) Column) Column {
	return Column{name: name, set: func(value any) error {
		if value == nil {
			*dst = nil
			return nil
		}
		v := new(T)
		if err := of(name, v).set(value); err != nil {
			return err
		}
		*dst = v
		return nil
	}}
}

// Optional reads a column that may be NULL, which is absent from the state, as another one otherwise.
func Optional[T any](name string, dst **T, of func(string, *T) Column) Column {
	return Nullable(name, dst, of)
}

// OptionalNullable reads a column that may be NULL, which is null in the state, as another one otherwise. It never makes
// its field absent: a query always has a value for each of its columns.
func OptionalNullable[T any](name string, dst *runtime.Optional[T], of func(string, *T) Column) Column {
	return Column{name: name, set: func(value any) error {
		if value == nil {
			*dst = runtime.OptionalNull[T]()
			return nil
		}
		var v T
		if err := of(name, &v).set(value); err != nil {
			return err
		}
		*dst = runtime.OptionalOf(v)
		return nil
	}}
}

// OptionalList is Optional for an array, whose absence is a nil slice.
func OptionalList[S ~[]T, T any](name string, dst *S) Column { return orNothing(JSON(name, dst), dst) }

// OptionalMap is Optional for a map, whose absence is a nil one.
func OptionalMap[M ~map[string]T, T any](name string, dst *M) Column {
	return orNothing(JSON(name, dst), dst)
}

// orNothing reads NULL as the zero value of what another column reads into.
func orNothing[T any](of Column, dst *T) Column {
	return Column{name: of.name, set: func(value any) error {
		if value == nil {
			var nothing T
			*dst = nothing
			return nil
		}
		return of.set(value)
	}}
}
