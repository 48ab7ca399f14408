package spec

import (
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkAliases reads what operations were called before. A change that the ledger holds under such a name is of one
// operation only.
func (c *checker) checkAliases() {
	taken := map[string]*Operation{}
	for _, op := range c.spec.Operations {
		taken[op.Name] = op
	}
	for i, op := range c.spec.Operations {
		for _, node := range c.declared.operations[i].policy.aliases {
			if !c.checkAliasName(node, op) {
				continue
			}
			switch holder := taken[node.Text]; {
			case holder == nil:
				taken[node.Text] = op
				op.Aliases = append(op.Aliases, node.Text)
			case holder.Name == node.Text:
				c.faultsOf(op, diag.List{node.Fault(diag.AliasTaken, "take it out", "an operation is called %s", diag.Quote(node.Text))})
			case holder != op: // or else the language's schema has said so
				c.faultsOf(op, diag.List{node.Fault(diag.AliasTaken, "take it out of one of them",
					"operation %s has the alias %s already", diag.Quote(holder.Name), diag.Quote(node.Text))})
			}
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
