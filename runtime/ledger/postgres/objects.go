package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// objectsSQL lists what the schema holds, each in a line that is the same in every version of the server: relations with
// whether they survive a crash, columns, indexes but those that REINDEX is making or dropping, and whatever acts by itself on
// what is written.
const objectsSQL = `
WITH relations AS (
	SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relrowsecurity, c.relispartition,
		EXISTS (SELECT FROM pg_catalog.pg_inherits AS i WHERE c.oid IN (i.inhparent, i.inhrelid)) AS inherits
	FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
	WHERE n.nspname = $1 AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
)
SELECT 'table ' || relname || CASE WHEN relkind <> 'r' THEN ' that is no table' ELSE '' END
	|| CASE WHEN relpersistence <> 'p' THEN ' that a crash empties' ELSE '' END
	|| CASE WHEN relrowsecurity THEN ' of which some see only some rows' ELSE '' END
	|| CASE WHEN relispartition THEN ' that is part of another' ELSE '' END
	|| CASE WHEN inherits THEN ' that has its rows with another' ELSE '' END FROM relations
UNION ALL
SELECT 'column ' || relname || '.' || attname || ' ' || pg_catalog.format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
	|| CASE WHEN atthasdef THEN ' with a default' ELSE '' END
FROM relations JOIN pg_catalog.pg_attribute ON attrelid = relations.oid WHERE attnum > 0 AND NOT attisdropped
UNION ALL
SELECT CASE WHEN i.indisunique THEN 'unique index ' ELSE 'index ' END || c.relname || ' on ' || relations.relname || ' ('
	|| (SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = i.indexrelid) || ')'
	|| CASE WHEN i.indpred IS NULL THEN '' WHEN i.indisunique THEN ' where ' || pg_catalog.pg_get_expr(i.indpred, i.indrelid) ELSE ' of some rows' END
	|| CASE WHEN i.indisvalid AND i.indisready AND i.indimmediate THEN '' ELSE ' that is not in force' END
FROM relations JOIN pg_catalog.pg_index AS i ON i.indrelid = relations.oid JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid
WHERE i.indisvalid OR c.relname !~ '_cc(new|old)[0-9]*$'
UNION ALL
SELECT 'trigger ' || tgname || ' on ' || relname FROM relations JOIN pg_catalog.pg_trigger ON tgrelid = relations.oid WHERE NOT tgisinternal
UNION ALL
SELECT 'rule ' || rulename || ' on ' || relname FROM relations JOIN pg_catalog.pg_rewrite ON ev_class = relations.oid WHERE relkind = 'r'
UNION ALL
SELECT 'constraint ' || conname || ' on ' || relname FROM relations JOIN pg_catalog.pg_constraint ON conrelid = relations.oid WHERE contype <> 'n'
ORDER BY 1`

// objects are what the schema of the ledger holds.
func (s *Store) objects(ctx context.Context, db querier) ([]string, error) {
	rows, err := db.Query(ctx, objectsSQL, s.schema)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// checkObjects makes sure that the schema holds what the program found that made it or added to it last, and nothing else.
// Without an index a request could be taken twice, and a trigger could take a claim back.
func (s *Store) checkObjects(ctx context.Context, now account) error {
	return s.read(ctx, "look at its tables", func(ctx context.Context, db reader) error {
		got, err := s.objects(ctx, db)
		if err != nil {
			return err
		}
		return s.changed(now.objects, got)
	})
}

// changed says what is not as wanted in the schema; nil for nothing.
func (o *options) changed(want, got []string) error {
	if faults := differences(want, got); len(faults) > 0 {
		return o.corrupt("somebody has changed its tables: %s; take that back, or restore a backup", strings.Join(faults, "; "))
	}
	return nil
}

// differences are what is not as wanted. An index more that is not unique changes no answer.
func differences(want, got []string) (faults []string) {
	for _, object := range want {
		if !slices.Contains(got, object) {
			faults = append(faults, fmt.Sprintf("missing: %s", object))
		}
	}
	for _, object := range got {
		if !slices.Contains(want, object) && !strings.HasPrefix(object, "index ") {
			faults = append(faults, fmt.Sprintf("no part of it: %s", object))
		}
	}
	return faults
}
