package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

const (
	oldestServer    = 130000 // PostgreSQL 13, in the way the server counts
	encodingOfTexts = "UTF8"
	settingOff      = "off"
	bytesEscaped    = "escape"
	serverSQL       = "SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'), " +
		"coalesce(current_setting('max_connections', true)::bigint, $1), coalesce(current_setting('fsync', true), 'on'), " +
		"coalesce(current_setting('full_page_writes', true), 'on'), coalesce(current_setting('synchronous_standby_names', true), ''), " +
		"coalesce(current_setting('synchronous_commit', true), 'on'), coalesce(current_setting('bytea_output', true), 'hex'), " +
		"coalesce(current_setting('default_transaction_isolation', true), ''), " + canAskSQL + ", " +
		"coalesce((SELECT name = 'pg_catalog' FROM unnest(current_schemas(true)) AS names (name) WHERE name NOT LIKE 'pg\\_temp\\_%' LIMIT 1), true)"
	// standbysSQL counts those that follow this server. Who may not see what they do, as a role of no other rights, is told of
	// a backup too.
	standbysSQL = "SELECT count(*) FROM pg_catalog.pg_stat_replication WHERE state IS DISTINCT FROM 'backup'"
)

// server is what matters of how a server is configured.
type server struct {
	version                            int64
	encoding                           string
	connections                        int64
	fsync, fullPages, standbys, commit string
	bytes, isolation                   string
	ownFunctions                       bool // are what the names of functions and operators mean
	canAsk                             bool // for this host
	followers                          int64
}

// checkServer makes sure that the server keeps what it says it has written, and tells where it may not.
func (s *Store) checkServer(ctx context.Context) error {
	var found server
	err := s.read(ctx, "look at the server", func(ctx context.Context, db reader) error {
		err := db.QueryRow(ctx, serverSQL, noServer).Scan(&found.version, &found.encoding, &found.connections,
			&found.fsync, &found.fullPages, &found.standbys, &found.commit, &found.bytes, &found.isolation, &found.canAsk, &found.ownFunctions)
		if err != nil {
			return err
		}
		return db.QueryRow(ctx, standbysSQL).Scan(&found.followers)
	})
	if err != nil {
		return err
	}
	s.connections.Store(found.connections)
	s.asks.Store(found.canAsk)
	switch {
	case found.version < oldestServer:
		return s.unsupported("the server is of version %d, and has to be PostgreSQL 13 or later", found.version/10000)
	case found.encoding != encodingOfTexts:
		return s.unsupported("the database is encoded as %s: make one with ENCODING 'UTF8'", found.encoding)
	case found.bytes == bytesEscaped && s.readsTexts():
		return s.unsupported("the server is to send bytes escaped (bytea_output = escape), which this mode of the driver takes for something else; set it to hex for this role")
	case !found.ownFunctions:
		return s.unsupported("the search_path of this role has another schema before pg_catalog, whose functions would be used in place of the server's; take pg_catalog out of it, which then comes first")
	case found.fsync == settingOff && !s.forgets:
		return s.unsupported("the server does not sync what it writes (fsync = off), and may forget after a power loss what was carried out; set it to on")
	}
	if s.looks {
		return nil
	}
	for _, warning := range found.warnings() {
		s.logger.Warn(warning, "ledger", s.String())
	}
	return s.checkSettings(ctx)
}

// readsTexts tells whether the driver is sent everything as text.
func (s *Store) readsTexts() bool {
	mode := s.pool.Config().ConnConfig.DefaultQueryExecMode
	return mode == pgx.QueryExecModeExec || mode == pgx.QueryExecModeSimpleProtocol
}

// warnings are what an operator should know, who may have reasons.
func (f *server) warnings() (all []string) {
	if f.fsync == settingOff {
		all = append(all, "the server does not sync what it writes (fsync = off): a power loss can forget claims that were carried out")
	}
	if f.fullPages == settingOff {
		all = append(all, "the server does not log whole pages (full_page_writes = off): a power loss can damage the ledger, unless its file system writes them whole")
	}
	if f.isolation == string(pgx.RepeatableRead) || f.isolation == string(pgx.Serializable) {
		all = append(all, fmt.Sprintf("default_transaction_isolation is %s for this role, its database or its address: "+
			"what meets in the ledger is then rolled back and tried again, which takes longer, and may come to be refused as busy; set it to 'read committed'", f.isolation))
	}
	switch {
	case f.standbys == "" && f.followers > 0:
		all = append(all, fmt.Sprintf("standbys follow the server (%d now), and none has to confirm a commit (synchronous_standby_names is empty): "+
			"after a promotion, claims that were carried out can be missing, and their tokens be good again", f.followers))
	case f.standbys != "" && (f.commit == "local" || f.commit == settingOff || f.commit == "remote_write"):
		all = append(all, fmt.Sprintf("synchronous_commit is %s for this role: the ledger sets it to on for what it writes, "+
			"so that a standby of synchronous_standby_names has every commit on its disk", f.commit))
	}
	return all
}

// checkSettings makes sure that what a write sets for its own transaction is so in it.
func (s *Store) checkSettings(ctx context.Context) error {
	return s.read(ctx, "look at the settings of a write", func(ctx context.Context, db reader) error {
		var c clause
		s.addSettings(&c, s.busyTimeout)
		c.add("SELECT durable FROM settings")
		query, args := c.statement(&s.options)
		var durable string
		if err := db.QueryRow(ctx, query, args...).Scan(&durable); err != nil {
			return err
		}
		if durable != "on" && durable != "remote_apply" {
			return s.unsupported("the server writes with synchronous_commit = %s, whatever it is told; allow this role to set it to on", durable)
		}
		return nil
	})
}
