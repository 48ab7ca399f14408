package pgcluster

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// loopback is the address that clusters listen on.
const loopback = "127.0.0.1"

// access lets whoever reaches the cluster in as whom they say: it listens where only this machine reaches it.
const access = `local all all trust
host all all all trust
local replication all trust
host replication all all trust
`

// always is what every cluster is run with: enough connections for tests side by side.
var always = []string{
	"max_connections = 300", "log_line_prefix = '%m [%p] '",
	"dynamic_shared_memory_type = mmap", // among the data, with which it goes, when the server was killed
}

// configure writes the configuration. Of two lines for one setting the later wins.
func (c *Cluster) configure(settings Settings) error {
	lines := slices.Concat(always, []string{"listen_addresses = '" + loopback + "'", "unix_socket_directories = '" + c.dir.path + "'"})
	if !settings.Durable {
		lines = append(lines, "max_wal_size = 256MB") // the log takes memory
	}
	lines = append(lines, settings.Conf...)
	if err := c.write("postgresql.conf", strings.Join(lines, "\n")+"\n"); err != nil {
		return err
	}
	return c.write("pg_hba.conf", access)
}

// write replaces a file among the data, which keeps its owner.
func (c *Cluster) write(name, text string) error {
	const private = 0o600
	if err := os.WriteFile(filepath.Join(c.data(), name), []byte(text), private); err != nil {
		return fmt.Errorf("configure a cluster: %w", err)
	}
	return nil
}
