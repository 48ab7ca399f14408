package sqlite

import (
	"context"
	"fmt"
)

// evolve takes the steps that the ledger has not taken yet, all or none, before anything else is prepared on its
// connection. Those who have the ledger open find out at their next call whether they may go on.
func (s *Store) evolve(ctx context.Context) error {
	version, err := readVersion(ctx, s.writer.conn)
	if err != nil {
		return explainLook(s.path, "read its schema number", err)
	}
	if version >= s.schema() {
		return nil
	}
	if s.looks {
		return unsupported(s.path, "an earlier version of this program made it (schema %d, this one is made for %d), and who only looks adds nothing to it; "+
			"start a server of this version, which does", version, s.schema())
	}
	if err := s.checkOthers(ctx, version); err != nil {
		return err
	}
	if err := s.writer.exec(ctx, beginSQL); err != nil {
		return s.explain("begin to add to its schema", err)
	}
	err = s.takeSteps(ctx, version)
	if err == nil {
		err = s.writer.exec(ctx, commitSQL)
	}
	if err != nil {
		s.rollback(ctx)
		return s.explain(fmt.Sprintf("add to its schema, from %d to %d", version, s.schema()), err)
	}
	s.logger.Info("added to the schema of the ledger", "ledger", s.path, "from", version, "to", s.schema())
	return nil
}

// checkOthers keeps a newer program from stopping the servers that live: those that were made for the schema which the
// ledger has now, and may be running what they could not write down the end of.
func (s *Store) checkOthers(ctx context.Context, version int64) error {
	if firstAccount(s.steps).oldest <= version {
		return nil
	}
	if err := s.checkNobodyLives(ctx); err != nil {
		return fmt.Errorf("this version of the program would change the schema, from %d to %d, so that servers of earlier ones could not go on: %w",
			version, s.schema(), err)
	}
	return nil
}

func (s *Store) takeSteps(ctx context.Context, version int64) error {
	now, err := readAccount(ctx, s.writer.conn)
	if err != nil {
		return err
	}
	for _, st := range s.steps[version-baseSchema:] {
		if err := s.writer.exec(ctx, fmt.Sprintf("%s; PRAGMA user_version = %d", st.sql, st.schema)); err != nil {
			return err
		}
		now.schema, now.oldest = st.schema, max(now.oldest, st.oldest)
	}
	now = now.withoutEvent()
	_, err = s.writer.conn.ExecContext(ctx, setAccountSQL, accountFields(&now)...)
	return err
}

// schema is the one that this program is made for.
func (s *Store) schema() int64 { return programSchema(s.steps) }

// verifySchema fails when a newer program has made something of the ledger that this one must not use.
func (s *Store) verifySchema(now account) error {
	if now.oldest <= s.schema() {
		return nil
	}
	return unsupported(s.path, "a newer version of this program has changed its schema, and needs one made for schema %d or later (this one is made for %d); "+
		"nothing is lost: update this program and start it again", now.oldest, s.schema())
}

// verifyVersion tells a ledger that this program can use, or add to, from others. What its header says has no check sum,
// and is compared with what its account says.
func (s *Store) verifyVersion(ctx context.Context, db querier, version int64) error {
	switch {
	case version < 1:
		return corrupt(s.path, "its schema number is %d, which no ledger has; %s", version, restoreAdvice)
	case version < baseSchema:
		return fmt.Errorf("%s: %w: an earlier version of this program made it (schema %d, this one is made for %d); "+
			"stop every server that uses it and run: changesetctl migrate", s.path, ErrEarlier, version, s.schema())
	}
	now, err := readAccount(ctx, db)
	switch {
	case err != nil && !isOfContent(ctx, err):
		return explainLook(s.path, "read its account", err)
	case err != nil && version <= s.schema():
		return nil // what is wrong is told by the looks that follow
	case err != nil:
		return unsupported(s.path, "a newer version of this program made it (schema %d, this one is made for %d); update this program", version, s.schema())
	case now.schema != version:
		return corrupt(s.path, "its schema number is %d, and was %d; %s", version, now.schema, restoreAdvice)
	}
	return s.verifySchema(now)
}

func readVersion(ctx context.Context, db querier) (version int64, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}
