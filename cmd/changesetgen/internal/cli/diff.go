package cli

import (
	"fmt"
	"io"

	"github.com/changesetgen/changesetgen/cmd/changesetgen/internal/output"
)

// diff prints how what specs make differs from the files that are there: as a unified diff on stdout, and in a line for
// each file on stderr. It writes no file. The code is exitOK if nothing differs.
func diff(paths []string, dir string, stdout, stderr io.Writer) (code int, err error) {
	all, err := targets(paths, dir)
	if err != nil {
		return exitNotCompared, err
	}
	left, err := orphans(all)
	if err != nil {
		return exitNotCompared, err
	}
	var differences []output.Difference
	reasons := map[string]string{}
	for _, t := range all {
		differences = append(differences, t.plan.Differences()...)
	}
	for _, o := range left {
		differences = append(differences, output.Orphaned(o.path, o.content))
		reasons[o.path] = ": " + o.reason
	}
	if len(differences) == 0 {
		return exitOK, nil
	}
	for _, d := range differences {
		if _, err := stdout.Write(d.Unified); err != nil {
			return exitNotCompared, err
		}
		fmt.Fprintf(stderr, "changesetgen: %s is %s%s\n", d.Path, d.Kind, reasons[d.Path])
	}
	fmt.Fprintln(stderr, advice(differences))
	return exitDiffers, nil
}

// advice is what puts an end to differences.
func advice(differences []output.Difference) string {
	var toWrite, toDelete bool
	for _, d := range differences {
		toWrite = toWrite || d.Kind != output.IsOrphaned
		toDelete = toDelete || d.Kind == output.IsOrphaned
	}
	switch {
	case toWrite && toDelete:
		return "Run 'go generate', or this command with generate instead of diff, for what is out of date or missing, and delete what is orphaned."
	case toWrite:
		return "Run 'go generate', or this command with generate instead of diff."
	default:
		return "Delete what is orphaned."
	}
}
