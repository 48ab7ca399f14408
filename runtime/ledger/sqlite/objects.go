package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// objects are what a database has beside rows, by kind and name, as in "index changes_open": the statement that made each.
type objects map[string]string

const (
	// schemaCountSQL is the engine's own count, by which its connections find out that they have to read the schema again.
	schemaCountSQL = "PRAGMA schema_version"

	objectsSQL = "SELECT coalesce(type, ''), coalesce(name, ''), coalesce(sql, '') FROM sqlite_schema"
)

// statistics begins the names of the tables that the engine's ANALYZE makes. They change no answer.
const statistics = "table sqlite_stat"

// checkObjects makes sure that the ledger behind db has the tables and indexes that programs of its schema make, and
// nothing else. Without an index a request could be taken twice, and a trigger writes what nobody asked for. What a later
// version has added is known to that version alone, which adds tables, columns and indexes, and never a trigger or a view.
func (s *Store) checkObjects(ctx context.Context, db querier) error {
	version, err := readVersion(ctx, db)
	if err != nil {
		return explainLook(s.path, "read its schema number", err)
	}
	got, err := readObjects(ctx, db)
	if err != nil {
		return explainRows(ctx, s.path, "read its schema", err)
	}
	taken := max(0, min(version, s.schema())-baseSchema)
	want, err := objectsAfter(ctx, s.steps[:taken])
	if err != nil {
		return fmt.Errorf("make the schema to compare with: %w", err)
	}
	if faults := got.differences(want, version > s.schema()); len(faults) > 0 {
		return corrupt(s.path, "another program has changed its schema: %s; if you know what was done, take it back, and else: %s",
			joined(faults), restoreAdvice)
	}
	return nil
}

// joined are the first of those faults, and how many more there are.
func joined(faults []string) string {
	told := strings.Join(faults[:min(len(faults), reportedFaults)], ", ")
	if more := len(faults) - reportedFaults; more > 0 {
		told += fmt.Sprintf(", and %d more", more)
	}
	return told
}

// differences are what is not as wanted. A later version may have added to it.
func (o objects) differences(want objects, later bool) (faults []string) {
	for name, sql := range want {
		switch got, exists := o[name]; {
		case !exists:
			faults = append(faults, name+" is missing")
		case got != sql && !(later && strings.HasPrefix(name, "table ")):
			faults = append(faults, name+" is another one")
		}
	}
	for name := range o {
		_, wanted := want[name]
		added := later && (strings.HasPrefix(name, "table ") || strings.HasPrefix(name, "index "))
		if !wanted && !added && !strings.HasPrefix(name, statistics) {
			faults = append(faults, name+" is no part of it")
		}
	}
	slices.Sort(faults)
	return faults
}

func readObjects(ctx context.Context, db querier) (objects, error) {
	type object struct{ kind, name, sql string }
	all, err := collect(ctx, db, func(o *object) []any { return []any{&o.kind, &o.name, &o.sql} }, objectsSQL)
	if err != nil {
		return nil, err
	}
	found := objects{}
	for _, o := range all {
		found[o.kind+" "+o.name] = withoutLayout(o.sql)
	}
	return found, nil
}

// withoutLayout is a statement without its comments and lines, which the engine keeps as they were written.
func withoutLayout(sql string) string {
	var kept strings.Builder
	for line := range strings.Lines(sql) {
		code, _, _ := strings.Cut(line, "--")
		kept.WriteString(code + " ")
	}
	return strings.Join(strings.Fields(kept.String()), " ")
}

// objectsMade are those that ledgers have, by what makes one: that takes longer than all the rest of a check.
var objectsMade sync.Map // of string and objects

// objectsAfter are those that an empty ledger has after those steps.
func objectsAfter(ctx context.Context, taken []step) (objects, error) {
	making := createSQL(taken)
	if made, ok := objectsMade.Load(making); ok {
		return made.(objects), nil
	}
	made, err := objectsOf(ctx, making, firstAccount(taken))
	if err == nil {
		objectsMade.Store(making, made)
	}
	return made, err
}

// objectsOf has the engine make an empty ledger in memory, and gives what it has then.
func objectsOf(ctx context.Context, making string, first account) (objects, error) {
	memory, err := sqlite.NewConnector(":memory:")
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(memory)
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	var made objects
	if _, err = db.ExecContext(ctx, making, accountFields(&first)...); err == nil {
		made, err = readObjects(ctx, db)
	}
	return made, errors.Join(err, db.Close())
}
