package runtime

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Optional is a property that may be absent and may be null, which are two things: an update that leaves a value alone,
// and one that clears it. Its zero value is absent. The field of a struct needs the tag option omitzero.
//
// It is a value: copies are independent of one another, as far as those of T are.
type Optional[T any] struct {
	value  *T // never changed; a pointer so that T may hold the Optional
	isNull bool
}

// OptionalOf is a value.
func OptionalOf[T any](value T) Optional[T] { return Optional[T]{value: &value} }

// OptionalNull is null.
func OptionalNull[T any]() Optional[T] { return Optional[T]{isNull: true} }

// Get returns the value, if there is one.
func (o Optional[T]) Get() (value T, ok bool) {
	if o.value == nil {
		return value, false
	}
	return *o.value, true
}

// Pointer is nil where there is no value, be it absent or null, and otherwise points to a copy of it.
func (o Optional[T]) Pointer() *T {
	value, ok := o.Get()
	if !ok {
		return nil
	}
	return &value
}

// Any is Get without types: nil where there is no value.
func (o Optional[T]) Any() any {
	if o.value == nil {
		return nil
	}
	return *o.value
}

// IsNull tells whether it is there and null.
func (o Optional[T]) IsNull() bool { return o.isNull }

// IsAbsent tells whether it is not there.
func (o Optional[T]) IsAbsent() bool { return o.value == nil && !o.isNull }

// IsZero is IsAbsent, for the tag option omitzero.
func (o Optional[T]) IsZero() bool { return o.IsAbsent() }

// Equal tells whether both are absent, both are null, or both are values that say the same as JSON.
func (o Optional[T]) Equal(other Optional[T]) bool {
	if o.value == nil || other.value == nil {
		return o.value == other.value && o.isNull == other.isNull
	}
	mine, err := exact.Encode(o.value)
	theirs, otherErr := exact.Encode(other.value)
	return err == nil && otherErr == nil && bytes.Equal(mine, theirs)
}

// MarshalJSON writes the value exactly, or null. There is no JSON for what is absent: without omitzero it is null too.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return exact.Marshal(o.value) }

// MarshalJSONTo is MarshalJSON for json v2, which then reads nothing twice.
func (o Optional[T]) MarshalJSONTo(enc *jsontext.Encoder) error { return exact.MarshalTo(enc, o.value) }

// UnmarshalJSON reads a value exactly, or null.
func (o *Optional[T]) UnmarshalJSON(raw []byte) error {
	return exact.Decode(raw, o)
}

// UnmarshalJSONFrom is UnmarshalJSON for json v2, which then reads nothing twice.
func (o *Optional[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var value *T
	if err := exact.UnmarshalFrom(dec, &value); err != nil {
		return err
	}
	*o = Optional[T]{value: value, isNull: value == nil}
	return nil
}

// optional is an Optional of any type.
type optional interface {
	IsAbsent() bool
	Any() any
}
