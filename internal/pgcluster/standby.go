package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Standby makes a copy of the cluster that follows it, and returns when that takes connections that read. name is what
// synchronous_standby_names of c would call it. The copy has the configuration of c, its address apart, and the lines of
// settings beside; it is a cluster of its own, that is stopped by itself.
func (c *Cluster) Standby(ctx context.Context, name string, settings Settings) (*Cluster, error) {
	standby, err := prepare(c.binaries, "", settings)
	if err != nil {
		return nil, err
	}
	copying := standby.command(ctx, "pg_basebackup", "--pgdata", standby.data(), "--host", loopback, "--port", strconv.Itoa(c.port),
		"--username", superuser, "--write-recovery-conf", "--wal-method", "stream", "--checkpoint", "fast", "--no-sync")
	if output, failed := copying.CombinedOutput(); failed != nil {
		return nil, errors.Join(fmt.Errorf("pg_basebackup: %w\n%s", failed, output), standby.dir.remove())
	}
	settings.Conf = append([]string{"cluster_name = '" + name + "'"}, settings.Conf...)
	if err = standby.configure(settings); err == nil {
		err = standby.startAnywhere(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, standby.dir.remove())
	}
	return standby, nil
}

// promotion is how long a standby may take to become what it followed, in seconds.
const promotion = 60

// Promote makes a standby a cluster that is written to, and returns when it is.
func (c *Cluster) Promote(ctx context.Context) error {
	return c.do(ctx, "postgres", fmt.Sprintf("do $$ begin if not pg_promote(true, %d) then raise 'not promoted'; end if; end $$", promotion))
}

// do runs statements, as the superuser of the cluster.
func (c *Cluster) do(ctx context.Context, database, statements string) error {
	connection, err := pgconn.Connect(ctx, c.DSN(database))
	if err != nil {
		return err
	}
	_, err = connection.Exec(ctx, statements).ReadAll()
	// The context may be over, and the server may be gone: to close the connection then is to hang up.
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return errors.Join(err, connection.Close(closing))
}
