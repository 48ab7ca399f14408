package payload

import (
	"errors"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Accept reads arguments strictly, fills in the defaults of the schema, validates, and returns the canonical bytes to
// store. No arguments and null mean {}. Where no default is filled in, the bytes are those of exact.Canonical.
//
// The error is an *exact.Error about the text, an *Invalid about what it says, or a *TooComplex.
func (s *Schema) Accept(raw []byte, limits exact.Limits) ([]byte, error) {
	canonical, tree, err := arguments(raw, limits)
	if err != nil {
		return nil, err
	}
	filled, err := s.defaults.fill(tree, limits)
	if err != nil {
		return nil, err
	}
	if filled {
		if canonical, err = encode(tree, limits); err != nil {
			return nil, err
		}
	}
	if err := s.ValidateTree(tree); err != nil {
		return nil, err
	}
	return canonical, nil
}

func arguments(raw []byte, limits exact.Limits) (canonical []byte, tree any, err error) {
	if len(raw) > 0 {
		canonical, tree, err = exact.CanonicalTree(raw, limits)
	}
	if err == nil && tree == nil {
		return []byte(`{}`), map[string]any{}, nil
	}
	return canonical, tree, err
}

// encode makes sure that what was filled in keeps within the limits.
func encode(tree any, limits exact.Limits) ([]byte, error) {
	text, err := exact.FromTree(tree)
	if err != nil {
		return nil, err
	}
	return exact.Canonical(text, limits)
}

// Validate says whether canonical bytes fit the schema as they are. The error is as that of Accept.
func (s *Schema) Validate(canonical []byte) error {
	tree, err := exact.Tree(canonical)
	if err != nil {
		return err
	}
	return s.ValidateTree(tree)
}

// ErrIncomplete is the error about a value that lacks something that the schema has a default for.
var ErrIncomplete = errors.New("a default of the schema is not filled in")

// Complete is Validate, and says whether every default of the schema is filled in, as Accept does. The error is as that
// of Accept, or ErrIncomplete.
func (s *Schema) Complete(canonical []byte) error {
	tree, err := exact.Tree(canonical)
	if err != nil {
		return err
	}
	if err := s.ValidateTree(tree); err != nil {
		return err
	}
	filled, err := s.defaults.fill(tree, exact.DefaultLimits)
	if err == nil && filled {
		err = ErrIncomplete
	}
	return err
}

// ValidateTree is Validate of a value as exact.Tree gives it.
func (s *Schema) ValidateTree(tree any) error { return validate(s.root, tree) }

// validate validates with one part of a schema.
func validate(u *rule, tree any) error {
	r, v := newRun(), placed(tree)
	if fits := r.fits(u, v); r.err() != nil || fits {
		return r.err()
	}
	return r.invalid(u, v)
}
