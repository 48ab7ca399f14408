package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5"
)

const (
	schemaExistsSQL = "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)"
	ledgerExistsSQL = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace " +
		"WHERE n.nspname = $1 AND c.relname = 'ledger')"
	schemaLockSQL = "SELECT pg_advisory_xact_lock($1)"
	// quietSQL waits until nobody writes, and keeps everybody from it: who waits then sees what was made of the schema.
	quietSQL = "LOCK TABLE changesetgen.changes, changesetgen.events, changesetgen.holders IN SHARE ROW EXCLUSIVE MODE"

	// livingSQL is one of those who may claim.
	livingSQL = "SELECT name, host, pid FROM changesetgen.holders WHERE over_at IS NULL AND until > " + present + " ORDER BY name LIMIT 1"

	firstAccountSQL = "INSERT INTO changesetgen.ledger (one, schema, oldest, objects) VALUES (1, $1, $2, $3)"
	setAccountSQL   = "UPDATE changesetgen.ledger SET schema = $1, oldest = $2, objects = $3"
)

// exists tells whether the schema has a ledger.
func (s *Store) exists(ctx context.Context) (found bool, err error) {
	err = s.read(ctx, "look for the ledger", func(ctx context.Context, db reader) error {
		return db.QueryRow(ctx, ledgerExistsSQL, s.schema).Scan(&found)
	})
	return found, err
}

// lockSchema waits until no other program makes or extends the ledger. The lock goes with the transaction.
func (s *Store) lockSchema(ctx context.Context, tx transaction) error {
	digest := sha256.Sum256([]byte("schema\n" + s.schema))
	_, err := tx.Exec(ctx, schemaLockSQL, int64(binary.BigEndian.Uint64(digest[:])))
	return err
}

// create makes the ledger, all of it or nothing, unless another program was quicker.
func (s *Store) create(ctx context.Context) error {
	made := false
	err := s.transact(ctx, "make the ledger", func(ctx context.Context, tx transaction) error {
		var exists bool
		err := s.lockSchema(ctx, tx)
		if err == nil {
			err = tx.QueryRow(ctx, ledgerExistsSQL, s.schema).Scan(&exists)
		}
		if made = err == nil && !exists; !made {
			return err
		}
		if err := s.createSchema(ctx, tx); err != nil {
			return err
		}
		return s.createTables(ctx, tx)
	})
	if err == nil && made {
		s.logger.Info("made a new ledger", "ledger", s.String(), "schema", s.programSchema())
	}
	return err
}

// createSchema makes the schema, unless somebody has made one for the ledger, with nothing in it.
func (s *Store) createSchema(ctx context.Context, tx transaction) error {
	var exists bool
	if err := tx.QueryRow(ctx, schemaExistsSQL, s.schema).Scan(&exists); err != nil {
		return err
	}
	if !exists {
		_, err := tx.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{s.schema}.Sanitize())
		return err
	}
	others, err := s.objects(ctx, tx)
	if err == nil && len(others) > 0 {
		return s.unsupported("the schema holds something else (%s…): name one for the ledger alone, with postgres.WithSchema", others[0])
	}
	return err
}

// createTables makes the tables of the schema of this program.
func (s *Store) createTables(ctx context.Context, tx transaction) error {
	oldest := int64(baseSchema)
	if err := s.script(ctx, tx, schemaSQL); err != nil {
		return err
	}
	for _, st := range s.steps {
		oldest = max(oldest, st.oldest)
		if err := s.script(ctx, tx, st.sql); err != nil {
			return err
		}
	}
	objects, err := s.objects(ctx, tx)
	if err == nil {
		_, err = tx.Exec(ctx, s.in(firstAccountSQL), s.programSchema(), oldest, objects)
	}
	return err
}

// script carries out statements that take no arguments.
func (s *Store) script(ctx context.Context, tx transaction, statements string) error {
	_, err := tx.Exec(ctx, s.in(statements), pgx.QueryExecModeSimpleProtocol)
	return err
}

// evolve takes the steps that the ledger has not taken yet, all or none, and gives its account. Those who have it open find
// out at their next call whether they may go on.
func (s *Store) evolve(ctx context.Context) (account, error) {
	now, err := s.readAccount(ctx)
	switch {
	case err != nil:
		return now, err
	case now.schema >= s.programSchema():
		return now, s.verifyOldest(now.oldest)
	case s.looks:
		return now, s.unsupported("an earlier version of this program made it (schema %d, this one is made for %d), and who only looks adds nothing to it; "+
			"start a server of this version, which does", now.schema, s.programSchema())
	}
	from := now.schema
	err = s.transact(ctx, "add to the schema", func(ctx context.Context, tx transaction) error {
		if err := s.lockSchema(ctx, tx); err != nil {
			return err
		}
		if now, err = s.accountOf(ctx, tx); err != nil || now.schema >= s.programSchema() {
			return err
		}
		return s.takeSteps(ctx, tx, &now)
	})
	if err != nil {
		return now, err
	}
	s.logger.Info("added to the schema of the ledger", "ledger", s.String(), "from", from, "to", now.schema)
	return now, s.verifyOldest(now.oldest)
}

// checkOthers keeps a newer program from stopping the servers that live: those that were made for the schema which the ledger
// has now, and may be running what they could not write down the end of.
func (s *Store) checkOthers(ctx context.Context, tx transaction, version int64) error {
	if !slices.ContainsFunc(s.steps, func(st step) bool { return st.oldest > version }) {
		return nil
	}
	var living ledger.HolderState
	err := tx.QueryRow(ctx, s.in(livingSQL)).Scan(&living.Name, textField{&living.Host}, &living.PID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w: this version of the program would change its schema, from %d to %d, so that servers of earlier ones could not go on, "+
		"and one uses it (%s, %s); stop every server that does, and try again", s, ledger.ErrBusy, version, s.programSchema(), living.Name, living.Process)
}

func (s *Store) takeSteps(ctx context.Context, tx transaction, now *account) (err error) {
	if now.schema < baseSchema {
		return s.corrupt("its schema number is %d, which no ledger has; restore a backup", now.schema)
	}
	if _, err := tx.Exec(ctx, s.in(quietSQL)); err != nil {
		return err
	}
	if err := s.checkOthers(ctx, tx, now.schema); err != nil {
		return err
	}
	for _, st := range s.steps[now.schema-baseSchema:] {
		if err := s.script(ctx, tx, st.sql); err != nil {
			return fmt.Errorf("to schema %d: %w", st.schema, err)
		}
		now.schema, now.oldest = st.schema, max(now.oldest, st.oldest)
	}
	if now.objects, err = s.objects(ctx, tx); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, s.in(setAccountSQL), now.schema, now.oldest, now.objects)
	return err
}
