package spec

import (
	"fmt"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkAliases reads what operations were called before. A change that the ledger holds under such a name is of one
// operation only.
func (c *checker) checkAliases() {
	taken := map[string]string{}
	for _, op := range c.spec.Operations {
		taken[op.Name] = fmt.Sprintf("operation %s has that name", diag.Quote(op.Name))
	}
	for i, op := range c.spec.Operations {
		for _, node := range c.declared.operations[i].policy.aliases {
			if !c.checkAliasName(node, op) {
				continue
			}
			if holder, is := taken[node.Text]; is {
				c.faultsOf(op, diag.List{node.Fault(diag.AliasTaken, "take it out", "alias %s: %s", diag.Quote(node.Text), holder)})
				continue
			}
			taken[node.Text] = fmt.Sprintf("operation %s has it as an alias", diag.Quote(op.Name))
			op.Aliases = append(op.Aliases, node.Text)
		}
	}
}

// checkAliasName tells whether an operation can have been called so, and reports if not.
func (c *checker) checkAliasName(node *document.Node, op *Operation) bool {
	if plainName.MatchString(node.Text) {
		return true
	}
	c.faultsOf(op, diag.List{node.Fault(diag.BadName, "write what an operation was called", "name %s is not allowed", diag.Quote(node.Text))})
	return false
}
