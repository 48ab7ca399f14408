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

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
)

// objects are what a database has beside rows, by kind and name, as in "index changes_open".
type objects map[string]object

// object is the statement that made it, and the table that it is on; a table and a view are on themselves.
type object struct{ sql, on string }

const (
	// schemaCountSQL is the engine's own count, by which its connections find out that they have to read the schema again.
	schemaCountSQL = "PRAGMA schema_version"

	objectsSQL = "SELECT coalesce(type, ''), coalesce(name, ''), coalesce(tbl_name, ''), coalesce(sql, '') FROM sqlite_schema"
)

// engineTables begins the names of the tables that the engine makes, as for ANALYZE.
const engineTables = "table sqlite_"

// checkObjects makes sure that the ledger behind db has the tables and indexes that programs of its schema make, and
// nothing else on its tables. Without an index a request could be taken twice, and a trigger writes what nobody asked for.
// Other tables, and what is on those, are the author's business. What a later version has added is known to that version
// alone, which adds tables, columns and indexes, and never a trigger.
func (s *Store) checkObjects(ctx context.Context, db querier) error {
	version, err := readVersion(ctx, db)
	if err != nil {
		return explainLook(s.path, "read its schema number", err)
	}
	got, err := readObjects(ctx, db)
	if err != nil {
		return explainRows(ctx, s.path, "read its schema", err)
	}
	want, err := s.ownObjects(ctx, version)
	if err != nil {
		return err
	}
	if faults := got.differences(want, version > s.schema()); len(faults) > 0 {
		return corrupt(s.path, "another program has changed its schema: %s; if you know what was done, take it back, and else: %s",
			joined(faults), restoreAdvice)
	}
	return nil
}

// ownObjects are those of a ledger of that schema, as far as this program knows it.
func (s *Store) ownObjects(ctx context.Context, version int64) (objects, error) {
	taken := max(0, min(version, s.schema())-baseSchema)
	own, err := objectsAfter(ctx, s.steps[:taken])
	if err != nil {
		return nil, fmt.Errorf("make the schema to compare with: %w", err)
	}
	return own, nil
}

// joined are the first of those faults, and how many more there are.
func joined(faults []string) string {
	told := strings.Join(faults[:min(len(faults), upkeep.ReportedFaults)], ", ")
	if more := len(faults) - upkeep.ReportedFaults; more > 0 {
		told += fmt.Sprintf(", and %d more", more)
	}
	return told
}

// differences are what is not as wanted. A later version may have added to it.
func (o objects) differences(want objects, later bool) (faults []string) {
	for name, wanted := range want {
		switch got, exists := o[name]; {
		case !exists:
			faults = append(faults, name+" is missing")
		case got != wanted && !(later && strings.HasPrefix(name, "table ")):
			faults = append(faults, name+" is another one")
		}
	}
	for name, got := range o {
		_, wanted := want[name]
		added := later && strings.HasPrefix(name, "index ")
		if !wanted && !added && want.has(got.on) {
			faults = append(faults, name+" is no part of it")
		}
	}
	slices.Sort(faults)
	return faults
}

// isShared tells whether the file behind db has tables of others too, who write to it when they like.
func (s *Store) isShared(ctx context.Context, db querier) (bool, error) {
	version, err := readVersion(ctx, db)
	if err != nil {
		return false, err
	}
	got, err := readObjects(ctx, db)
	if err != nil {
		return false, err
	}
	own, err := s.ownObjects(ctx, version)
	if err != nil {
		return false, err
	}
	for name := range got {
		_, ours := own[name]
		if !ours && strings.HasPrefix(name, "table ") && !strings.HasPrefix(name, engineTables) {
			return true, nil
		}
	}
	return false, nil
}

// has tells whether there is a table of that name, which the engine compares without regard to case.
func (o objects) has(table string) bool {
	for name := range o {
		if strings.EqualFold(name, "table "+table) {
			return true
		}
	}
	return false
}

func readObjects(ctx context.Context, db querier) (objects, error) {
	type row struct {
		kind, name string
		object
	}
	all, err := collect(ctx, db, func(r *row) []any { return []any{&r.kind, &r.name, &r.on, &r.sql} }, objectsSQL)
	if err != nil {
		return nil, err
	}
	found := objects{}
	for _, r := range all {
		found[r.kind+" "+r.name] = object{sql: withoutLayout(r.sql), on: r.on}
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
