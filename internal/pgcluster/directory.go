package pgcluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// directory is one that goes when this process does.
type directory struct {
	path    string
	keeper  *exec.Cmd
	hold    io.Closer  // the keeper waits for its end
	removed chan error // what the keeper came to
	removal func() error
}

// keep is what the keeper runs: it waits until nobody holds its input open, which the end of a process brings about whatever
// the cause, and removes a directory. A server that is about to end may still write there.
const keep = `read -r _
for try in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1" 2>/dev/null && exit
  sleep 0.2
done
exit 1`

// newDirectory makes a directory that the server's user owns, and starts its keeper.
func newDirectory(parent string, owner account) (*directory, error) {
	path, err := os.MkdirTemp(parent, "changeset-pg-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for a cluster: %w", err)
	}
	d := &directory{path: path, removed: make(chan error, 1)}
	if err := d.begin(owner); err != nil {
		return nil, errors.Join(fmt.Errorf("make a directory for a cluster: %w", err), os.RemoveAll(path))
	}
	d.removal = sync.OnceValue(d.end)
	return d, nil
}

func (d *directory) begin(owner account) error {
	if err := owner.take(d.path); err != nil {
		return err
	}
	d.keeper = exec.Command("sh", "-c", keep, "sh", d.path)
	d.keeper.SysProcAttr = apart() // what ends the others of our group must not end it
	hold, err := d.keeper.StdinPipe()
	if err != nil {
		return err
	}
	d.hold = hold
	if err := d.keeper.Start(); err != nil {
		return err
	}
	// Waiting also keeps hold from the garbage collector, which would close it.
	go func() { d.removed <- d.keeper.Wait() }()
	return nil
}

// remove removes the directory. The server that uses it must have ended.
func (d *directory) remove() error { return d.removal() }

func (d *directory) end() error {
	if err := errors.Join(d.hold.Close(), <-d.removed); err != nil {
		return fmt.Errorf("remove the directory of a cluster, %s: %w", d.path, err)
	}
	return nil
}
