package cli

import (
	"fmt"
	"io"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/output"
)

// generate writes the files of specs into dir, or beside each spec, and says on stderr what no spec makes any more.
// Nothing is written unless all can be.
func generate(paths []string, dir string, stdout, stderr io.Writer) error {
	all, err := targets(paths, dir)
	if err != nil {
		return err
	}
	left, err := orphans(all)
	if err != nil {
		return err
	}
	var plans []*output.Plan
	for _, t := range all {
		plans = append(plans, t.plan)
	}
	done, err := output.Write(plans)
	if err != nil {
		return err
	}
	for _, o := range left {
		if _, err := fmt.Fprintf(stderr, "changesetgen: warning: %s is orphaned: %s; delete it\n", o.path, o.reason); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(stdout, done)
	return err
}
