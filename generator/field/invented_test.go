package field_test

import (
	"fmt"
	"slices"
	"testing"
)

// How many schemas are made up, and how many of them share a package.
const (
	inventions = 300
	together   = 25
)

// Whatever a made-up schema takes comes back from its generated type as it was.
func TestValuesOfInventedSchemasSurviveTheGeneratedTypes(t *testing.T) {
	t.Parallel()
	m := newModule(t)
	faults := map[string]int{}
	var accepted []*subject
	for _, s := range invented(inventions) {
		if s.read(t); s.accepted {
			s.checkNothingLost(t)
			accepted = append(accepted, s)
		} else {
			faults[s.faults[0].Code]++
		}
	}
	t.Logf("%d schemas: %d accepted, diagnosed by %v", inventions, len(accepted), faults)
	for i, shared := range slices.Collect(slices.Chunk(accepted, together)) {
		name := fmt.Sprintf("invention%d", i)
		for _, s := range shared {
			s.served = name
		}
		m.add(t, name, generateAll(t, name, shared))
	}
	m.vet(t)
	t.Logf("no value of %d was accepted", len(m.survive(t, accepted)))
}
