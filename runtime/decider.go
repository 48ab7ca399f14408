package runtime

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Decider is the person behind an Operator, as records name them.
type Decider struct {
	Name    string // who, as the channel knows them
	Channel string // by which they decide, such as changesetctl
}

// maxNameBytes is how long the name of a person or a channel may be: it is repeated wherever the change is shown.
const maxNameBytes = 256

// check refuses names that are missing or that a record cannot hold.
func (d Decider) check() error {
	switch {
	case strings.TrimSpace(d.Name) == "":
		return errors.New("runtime: the field Decider.Name is missing: say who decides")
	case !canBeKept(d.Name):
		return fmt.Errorf("runtime: the field Decider.Name cannot be kept: give a name in UTF-8 of at most %d bytes", maxNameBytes)
	case d.Channel == "", d.Channel == channelAgent, !canBeKept(d.Channel):
		return fmt.Errorf("runtime: the field Decider.Channel is %q: name the channel by which a person decides", d.Channel)
	}
	return nil
}

func canBeKept(name string) bool { return len(name) <= maxNameBytes && utf8.ValidString(name) }
