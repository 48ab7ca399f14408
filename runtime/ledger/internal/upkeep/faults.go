// Package upkeep is what stores of any kind do alike for those who look after a ledger.
package upkeep

import "fmt"

// ReportedFaults is how many faults of one kind are told: a damaged page has many. Of the others it is told how many they are.
const ReportedFaults = 100

// Faults are what is wrong with a ledger, each in a sentence.
type Faults struct{ told []string }

// Told are the sentences.
func (f *Faults) Told() []string { return f.told }

// Tell adds a fault; nil is none.
func (f *Faults) Tell(fault error) {
	if fault != nil {
		f.told = append(f.told, fault.Error())
	}
}

// Kind counts faults of one kind, such as "event": the first are told, and at its End how many more there are.
func (f *Faults) Kind(name string) *Kind { return &Kind{to: f, name: name} }

// Kind is a kind of faults.
type Kind struct {
	to    *Faults
	name  string
	count int
}

// Tell adds a fault of the kind.
func (k *Kind) Tell(fault string) {
	if k.count++; k.count <= ReportedFaults {
		k.to.told = append(k.to.told, fault)
	}
}

// End tells of those that were not told.
func (k *Kind) End() {
	if more := k.count - ReportedFaults; more > 0 {
		k.to.told = append(k.to.told, fmt.Sprintf("%d more of the kind: %s", more, k.name))
	}
}
