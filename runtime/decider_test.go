package runtime_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestAnOperatorHasANameThatARecordCanHold(t *testing.T) {
	t.Parallel()
	const channel = "changesetctl"
	store := struct{ ledger.Store }{} // nothing is asked of it
	for name, c := range map[string]struct {
		who    runtime.Decider
		faulty string // the field; "" for none
	}{
		"a name":                         {runtime.Decider{Name: "Müller", Channel: channel}, ""},
		"the longest name":               {runtime.Decider{Name: strings.Repeat("n", 256), Channel: channel}, ""},
		"no name":                        {runtime.Decider{Name: " ", Channel: channel}, "Name"},
		"a name that is not UTF-8":       {runtime.Decider{Name: "M\xfcller", Channel: channel}, "Name"},
		"a name that is too long":        {runtime.Decider{Name: strings.Repeat("n", 257), Channel: channel}, "Name"},
		"no channel":                     {runtime.Decider{Name: "ana"}, "Channel"},
		"the channel of agents":          {runtime.Decider{Name: "ana", Channel: "agent"}, "Channel"},
		"a channel that is not UTF-8":    {runtime.Decider{Name: "ana", Channel: "\xff"}, "Channel"},
		"a channel whose name is longer": {runtime.Decider{Name: "ana", Channel: strings.Repeat("c", 257)}, "Channel"},
	} {
		_, err := runtime.NewOperator(store, c.who)
		switch {
		case c.faulty == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.faulty != "" && (err == nil || !strings.Contains(err.Error(), "Decider."+c.faulty)):
			t.Errorf("%s: %v does not blame %s", name, err, c.faulty)
		}
	}
}
