package payload

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Accept reads arguments strictly, fills in the defaults of the schema, validates, and returns the canonical bytes to
// store. No arguments and null mean {}. Where no default is filled in, the bytes are those of exact.Canonical.
//
// The error is an *exact.Error about the text, an *Invalid about what it says, or, if the schema itself cannot be
// evaluated, another one.
func (s *Schema) Accept(raw []byte, limits exact.Limits) ([]byte, error) {
	canonical, err := arguments(raw, limits)
	if err != nil {
		return nil, err
	}
	tree, err := exact.Tree(canonical)
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
	if err := s.validate(tree); err != nil {
		return nil, err
	}
	return canonical, nil
}

func arguments(raw []byte, limits exact.Limits) ([]byte, error) {
	none := []byte(`{}`)
	if len(raw) == 0 {
		return none, nil
	}
	canonical, err := exact.Canonical(raw, limits)
	if err == nil && string(canonical) == "null" {
		return none, nil
	}
	return canonical, err
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
	return s.validate(tree)
}

func (s *Schema) validate(tree any) error {
	err := s.validateBy(s.compiled, tree)
	var invalid *Invalid
	if err == nil || errors.As(err, &invalid) {
		return err
	}
	return fmt.Errorf("schema %s: %w", s.name, err)
}

// validateBy validates with one part of the schema.
func (s *Schema) validateBy(part *jsonschema.Schema, tree any) error {
	return guarded(func() error {
		err := part.Validate(tree)
		var flaws *jsonschema.ValidationError
		if errors.As(err, &flaws) {
			return &Invalid{Violations: s.report(tree, flaws)}
		}
		return err
	})
}
