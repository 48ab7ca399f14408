package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"modernc.org/sqlite"
)

// pragma is one setting of a connection and the value it must read back.
type pragma struct {
	name, value string
	want        any
}

// careful is what every connection to a file has that may be damaged.
var careful = []pragma{
	{"trusted_schema", "OFF", int64(0)},
	{"cell_size_check", "ON", int64(1)},
}

// durable is what every connection to a ledger has. fullfsync makes macOS sync the disk's own cache too; it does
// nothing elsewhere.
var durable = append(slices.Clip(careful),
	pragma{"synchronous", "FULL", int64(2)},
	pragma{"fullfsync", "ON", int64(1)},
	pragma{"checkpoint_fullfsync", "ON", int64(1)},
)

// enforced is what a connection has beside that joined bodies write by.
var enforced = []pragma{{"foreign_keys", "ON", int64(1)}}

// logged is what every connection to a finished ledger has beside. The journal mode is kept in the file.
var logged = append(slices.Clip(durable), pragma{"journal_mode", "WAL", walMode})

// walMode is the journal mode of a file with a write-ahead log, as the engine tells it.
const walMode = "wal"

// exclusive is what a connection has that lets no other program have the ledger open. It does not set the journal mode:
// the driver does that first, and once the file was read the locking mode would come too late.
var exclusive = append(slices.Clip(durable), pragma{"locking_mode", "EXCLUSIVE", "exclusive"})

// connector opens connections that have been seen to have their settings.
type connector struct {
	driver.Connector
	pragmas []pragma
}

// newConnector prepares connections to the database at path. mode holds SQLite's own parameters, such as mode=ro.
func newConnector(path string, busy time.Duration, mode url.Values, pragmas ...pragma) (*connector, error) {
	query := url.Values{"_defensive": {"1"}, "_dqs": {"0"}}
	query.Set("_busy_timeout", strconv.FormatInt(busy.Milliseconds(), 10)) // the driver sets it before all else
	for name, values := range mode {
		query[name] = values
	}
	for _, p := range pragmas {
		query.Add("_pragma", p.name+"("+p.value+")")
	}
	uri := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/"), RawQuery: query.Encode()}
	base, err := sqlite.NewConnector(uri.String())
	if err != nil {
		return nil, err
	}
	return &connector{Connector: base, pragmas: pragmas}, nil
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range c.pragmas {
		if err := p.check(ctx, conn); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}

// check fails unless the pragma is in force on conn.
func (p pragma) check(ctx context.Context, conn driver.Conn) error {
	querier, ok := conn.(driver.QueryerContext)
	if !ok {
		return fmt.Errorf("%w: the driver cannot read its settings back", ledger.ErrUnsupported)
	}
	rows, err := querier.QueryContext(ctx, "PRAGMA "+p.name, nil)
	if err != nil {
		return err
	}
	got := make([]driver.Value, 1)
	if err := rows.Next(got); err != nil && !errors.Is(err, io.EOF) {
		return errors.Join(err, rows.Close())
	}
	if err := rows.Close(); err != nil {
		return err
	}
	if got[0] != p.want {
		return fmt.Errorf("%w: its %s is %v and cannot be set to %s", ledger.ErrUnsupported, p.name, got[0], p.value)
	}
	return nil
}

// openPool opens at most size connections to the database at path.
func openPool(path string, size int, busy time.Duration, mode url.Values, pragmas ...pragma) (*sql.DB, error) {
	c, err := newConnector(path, busy, mode, pragmas...)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}
