package runtime

// AnyOperation is an *Operation of any types.
type AnyOperation interface{ erase() *erased }

// erased is an operation whose hooks take and give exact bytes.
type erased struct {
	*Meta
}

func (o *Operation[P, S, R]) erase() *erased { return &erased{Meta: &o.Meta} }
