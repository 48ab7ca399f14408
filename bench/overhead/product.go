package main

import (
	"context"
	_ "embed"
	"sync"

	"github.com/changesetgen/changesetgen/runtime"
)

// schemas are those of the operation, as the generator writes them.
//
//go:embed schemas.json
var schemas []byte

// operation is what the guarded operation is called.
const operation = "update_product"

// payload says what is to become of a product.
type payload struct {
	ID     string   `json:"id" jsonschema:"Which product"`
	Price  string   `json:"price" jsonschema:"Its price in euro"`
	Active bool     `json:"active" jsonschema:"Whether it is sold"`
	Tags   []string `json:"tags" jsonschema:"What it is found by"`
}

// state is what there is of a product.
type state struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Price   string   `json:"price"`
	Active  bool     `json:"active"`
	Tags    []string `json:"tags"`
	Version int64    `json:"version"`
}

// outcome is what a change of a product returns.
type outcome struct {
	Version int64 `json:"version"`
}

// shelf holds the products. It is safe for concurrent use.
type shelf struct {
	mu       sync.Mutex
	products map[string]state
}

// stocked is a shelf with the product that is changed.
func stocked() *shelf {
	return &shelf{products: map[string]state{
		productID: {ID: productID, Name: "Watering can, 10 l", Price: "19.90", Tags: []string{"garden"}, Version: 1},
	}}
}

// observe looks at a product; nil means that there is none.
func (s *shelf) observe(id string) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.products[id]
	if !ok {
		return nil
	}
	return &found
}

// update writes a product.
func (s *shelf) update(p *payload) *outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.products[p.ID]
	now.Price, now.Active, now.Tags = p.Price, p.Active, p.Tags
	now.Version++
	s.products[p.ID] = now
	return &outcome{Version: now.Version}
}

// restore writes a product as it was.
func (s *shelf) restore(was *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.products[was.ID] = *was
}

type (
	change  = runtime.Change[*payload, *state]
	applied = runtime.Applied[*payload, *state, *outcome]
)

// guarded is the operation as the generator would write it, over the products of s.
func guarded(s *shelf) *runtime.Operation[*payload, *state, *outcome] {
	return &runtime.Operation[*payload, *state, *outcome]{
		Meta: runtime.Meta{
			Name: operation, Title: "Change a product", Description: "Change the price and tags of a product, or whether it is sold.",
			Resource: "product", Volatile: []string{"version"}, Digest: "sha256:1", UndoDigest: "sha256:1",
		},
		Observe: func(_ context.Context, p *payload) (*state, error) { return s.observe(p.ID), nil },
		Summary: func(c *change) string { return runtime.Textf("Change product %v (%v)", c.Payload.ID, c.State.Name) },
		Diff: func(c *change) []runtime.Row {
			return []runtime.Row{
				{Label: "price", Before: c.State.Price, After: c.Payload.Price},
				{Label: "active", Before: c.State.Active, After: c.Payload.Active},
				{Label: "tags", Before: c.State.Tags, After: c.Payload.Tags},
			}
		},
		Apply: func(_ context.Context, c *change) (*outcome, error) { return s.update(c.Payload), nil },
		Undo: func(_ context.Context, c *applied) error {
			s.restore(c.Before)
			return nil
		},
	}
}
