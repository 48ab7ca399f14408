package generator

import (
	"fmt"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// checkFunctions reports two functions of one name. The reader of a spec sees to the names of types and methods; those
// of the package's own functions are known here only.
func checkFunctions(m *model) error {
	takenBy := map[string]string{}
	take := func(what string, pos diag.Pos, names ...string) error {
		for _, name := range names {
			if first, taken := takenBy[name]; taken {
				return fmt.Errorf("%sthe Go function %s of %s is also that of %s: rename one of them", pos, name, what, first)
			}
			if name != "" {
				takenBy[name] = what
			}
		}
		return nil
	}
	for _, r := range m.resources {
		names := []string{r.columns, r.observe}
		if r.queriesAfter() {
			names = append(names, r.after)
		}
		if err := take("resource "+diag.Quote(r.Name), r.Pos, names...); err != nil {
			return err
		}
	}
	for _, op := range m.operations {
		if err := take("operation "+diag.Quote(op.Name), op.Pos, op.build); err != nil {
			return err
		}
	}
	return nil
}
