package pgcluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// template is a cluster that never runs, made once in a process: to copy it takes a tenth of the time of making another.
var template = sync.OnceValues(makeTemplate)

// makeTemplate is not bound by the context of who first asks for it: others wait for it too.
func makeTemplate() (string, error) {
	found, err := find()
	if err != nil {
		return "", err
	}
	c, err := prepare(found, "", Settings{})
	if err != nil {
		return "", err
	}
	// What is made is synced by nobody: it is not to survive a power loss.
	initdb := c.command(context.Background(), "initdb", "--no-sync", "--username", superuser, "--auth", "trust", "--encoding", "UTF8",
		"--locale", "C", "--pgdata", c.data())
	if output, err := initdb.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w\n%s", err, output)
	}
	return c.data(), nil
}

// fill gives the cluster its data: a copy of the template's.
func (c *Cluster) fill(ctx context.Context) error {
	from, err := template()
	if err != nil {
		return err
	}
	if output, err := c.run(ctx, "cp", "-R", from, c.data()).CombinedOutput(); err != nil {
		return fmt.Errorf("copy a new cluster: %w\n%s", err, output)
	}
	return nil
}

// command is a program of the installation, to be run by the server's user.
func (c *Cluster) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return c.run(ctx, filepath.Join(c.binaries.dir, program), args...)
}

// run is any program, to be run by the server's user: it takes nothing of the tests' surroundings but the way to programs,
// and says everything in English.
func (c *Cluster) run(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = c.dir.path
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = runBy(c.binaries.user)
	return cmd
}
