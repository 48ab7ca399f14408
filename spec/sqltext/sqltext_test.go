package sqltext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/sqltext"
)

func TestReadBindsParameters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                   string
		dialect                sqltext.Dialect
		sql, want, normal, pos string
	}{
		{"sqlite", sqltext.SQLite, "SELECT a FROM t WHERE b = ${payload.b} AND c IN (${ payload.c })",
			"SELECT a FROM t WHERE b = ? AND c IN (?)", "SELECT a FROM t WHERE b = ${payload.b} AND c IN (${payload.c})", "28 payload.b, 52 payload.c"},
		{"postgres", sqltext.Postgres, "SELECT a FROM t WHERE b = ${x.b} AND c = ${x.b}",
			"SELECT a FROM t WHERE b = $1 AND c = $2", "SELECT a FROM t WHERE b = ${x.b} AND c = ${x.b}", "28 x.b, 43 x.b"},
		{"no parameters", sqltext.SQLite, "VALUES (1)", "VALUES (1)", "VALUES (1)", ""},
		{"space around", sqltext.SQLite, "\n SELECT\n  1 \n", "SELECT\n  1", "SELECT 1", ""},
		{"a semicolon at the end", sqltext.SQLite, "SELECT 1 ; -- done\n", "SELECT 1  -- done", "SELECT 1", ""},
		{"comments", sqltext.SQLite, "-- first\nSELECT /* a */ 1 -- b", "-- first\nSELECT /* a */ 1 -- b", "SELECT 1", ""},
		{"nested comments", sqltext.Postgres, "SELECT /* a /* ; */ ; */ 1", "SELECT /* a /* ; */ ; */ 1", "SELECT 1", ""},
		{"quotes", sqltext.SQLite, "SELECT 'it''s; ?', \"a?\"\"b\", `c?`, [d?'] FROM t", "SELECT 'it''s; ?', \"a?\"\"b\", `c?`, [d?'] FROM t",
			"SELECT 'it''s; ?', \"a?\"\"b\", `c?`, [d?'] FROM t", ""},
		{"space in quotes counts", sqltext.SQLite, "SELECT 'a  b'", "SELECT 'a  b'", "SELECT 'a  b'", ""},
		{"subscripts", sqltext.Postgres, "SELECT a[${x.i}] FROM t", "SELECT a[$1] FROM t", "SELECT a[${x.i}] FROM t", "11 x.i"},
		{"casts and operators", sqltext.Postgres, "SELECT a::text, b ? 'k', c @> ${x.c}::jsonb FROM t", "SELECT a::text, b ? 'k', c @> $1::jsonb FROM t",
			"SELECT a::text, b ? 'k', c @> ${x.c}::jsonb FROM t", "32 x.c"},
		{"dollar quotes", sqltext.Postgres, "SELECT $$a;'$$, $t$ $$ ; $t$, a$b FROM t", "SELECT $$a;'$$, $t$ $$ ; $t$, a$b FROM t", "SELECT $$a;'$$, $t$ $$ ; $t$, a$b FROM t", ""},
		{"backslashes", sqltext.Postgres, `SELECT E'it\'s;', 'a\', 1`, `SELECT E'it\'s;', 'a\', 1`, `SELECT E'it\'s;', 'a\', 1`, ""},
		{"literal mark in quotes", sqltext.SQLite, "SELECT '$${a}' -- $${b}", "SELECT '${a}' -- ${b}", "SELECT '${a}'", ""},
		{"literal mark in dollar quotes", sqltext.Postgres, "SELECT $q$ $${a}$q$", "SELECT $q$ ${a}$q$", "SELECT $q$ ${a}$q$", ""},
		{"a parameter that touches a word", sqltext.Postgres, "SELECT a FROM t WHERE b LIKE${x.b}OR c", "SELECT a FROM t WHERE b LIKE $1 OR c", "SELECT a FROM t WHERE b LIKE${x.b}OR c", "30 x.b"},
		{"a parameter before a digit", sqltext.SQLite, "SELECT ${x.b}5", "SELECT ? 5", "SELECT ${x.b}5", "9 x.b"},
		{"with", sqltext.SQLite, "with a as (select 1 as b) select b from a", "with a as (select 1 as b) select b from a", "with a as (select 1 as b) select b from a", ""},
		{"names that are words", sqltext.SQLite, `SELECT t.update, "delete", replace(a, 'x', 'y') FROM t`, `SELECT t.update, "delete", replace(a, 'x', 'y') FROM t`,
			`SELECT t.update, "delete", replace(a, 'x', 'y') FROM t`, ""},
		{"JSON", sqltext.SQLite, "SELECT a ->> '$.b' FROM t", "SELECT a ->> '$.b' FROM t", "SELECT a ->> '$.b' FROM t", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			statement, faults := sqltext.Read(test.sql, test.dialect)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			var spans []string
			for _, span := range statement.Parameters {
				spans = append(spans, fmt.Sprintf("%d %s", span.Start, span.Text))
			}
			got := []string{statement.Text, statement.Normal, strings.Join(spans, ", ")}
			if diff := cmp.Diff([]string{test.want, test.normal, test.pos}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A parameter is a key where whatever is found has its value in a column.
func TestKeysAreWhatAColumnOfTheOuterQueryEquals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sql  string
		want []bool
	}{
		{"SELECT a FROM t WHERE k = ${x.k}", []bool{true}},
		{"select a from t as u where u.\"k\" = ${x.k} and c is not null and d in (1, 2) order by a limit 1", []bool{true}},
		{"SELECT a FROM t WHERE k = ${x.k}::uuid AND l = ${x.l}", []bool{true, true}},
		{"WITH v AS (SELECT a, k FROM t WHERE l = ${x.l}) SELECT CAST(a AS text) FROM v WHERE k = ${x.k}", []bool{false, true}},
		{"SELECT a, (SELECT count(*) FROM t WHERE e = ${x.e}) AS taken FROM t WHERE k = ${x.k}", []bool{false, true}},
		{"SELECT a, ${x.n} = b AS same FROM t WHERE k = ${x.k}", []bool{false, true}},
		{"SELECT a FROM t WHERE k = ${x.k} AND EXISTS (SELECT 1 FROM u WHERE e = ${x.e})", []bool{true, false}},
		{"SELECT a FROM t WHERE k = ${x.k} AND n <> ${x.n} AND m <= ${x.m} AND NOT o = ${x.o}", []bool{true, false, false, false}},
		{"SELECT a FROM t WHERE k = ${x.k} OR e = ${x.e}", []bool{false, false}},
		{"SELECT a FROM t WHERE n BETWEEN 1 AND k = ${x.k}", []bool{false}},
		{"SELECT a FROM t WHERE (k = ${x.k} OR b)", []bool{false}},
		{"SELECT a FROM t WHERE lower(k) = ${x.k} AND l = ${x.l} || 'm'", []bool{false, false}},
		{"SELECT a FROM t WHERE 'k' = ${x.k} AND 1 = ${x.l}", []bool{false, false}},
		{"SELECT count(*) AS taken FROM t WHERE e = ${x.e}", []bool{false}},
		{"SELECT a FROM t UNION SELECT a FROM u WHERE k = ${x.k}", []bool{false}},
		{"SELECT a FROM t JOIN u ON u.e = ${x.e} WHERE t.k = ${x.k} LIMIT ${x.l}", []bool{false, true, false}},
		{"SELECT ${x.k} AS k", []bool{false}},
	} {
		statement, faults := sqltext.Read(test.sql, sqltext.Postgres)
		if diff := cmp.Diff(test.want, statement.Keys); diff != "" || len(faults) > 0 {
			t.Errorf("%s: %v (-want +got):\n%s", test.sql, faults, diff)
		}
	}
}

func TestReadRefusesWhatIsNoQuery(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		dialect sqltext.Dialect
		sql     string
		want    string // offset and code of each fault
	}{
		{"nothing", sqltext.SQLite, " -- a", "0 CS1601"},
		{"another statement", sqltext.SQLite, "PRAGMA foreign_keys", "0 CS1602"},
		{"an update", sqltext.SQLite, "UPDATE t SET a = 1", "0 CS1602"},
		{"brackets around it", sqltext.SQLite, "(SELECT 1)", "0 CS1602"},
		{"brackets alone", sqltext.SQLite, "((", "0 CS1602"},
		{"two statements", sqltext.SQLite, "SELECT 1; SELECT 2", "10 CS1601"},
		{"two semicolons", sqltext.SQLite, "SELECT 1;;", "9 CS1601"},
		{"an insert within", sqltext.Postgres, "WITH x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT a FROM x", "11 CS1603"},
		{"a replace", sqltext.SQLite, "WITH x AS (SELECT 1) REPLACE INTO t SELECT * FROM x", "29 CS1603"},
		{"a merge", sqltext.Postgres, "WITH x AS (MERGE INTO t USING s ON true WHEN MATCHED THEN DO NOTHING) SELECT 1", "11 CS1603"},
		{"select into", sqltext.Postgres, "SELECT a INTO b FROM t", "9 CS1603"},
		{"for update", sqltext.Postgres, "SELECT a FROM t FOR UPDATE", "20 CS1603"},
		{"for no key update", sqltext.Postgres, "SELECT a FROM t FOR NO KEY UPDATE", "27 CS1603"},
		{"for share", sqltext.Postgres, "SELECT a FROM t for share", "16 CS1603"},
		{"for key share", sqltext.Postgres, "SELECT a FROM t FOR KEY SHARE", "16 CS1603"},
		{"question mark", sqltext.SQLite, "SELECT ?1", "7 CS1605"},
		{"named parameters", sqltext.SQLite, "SELECT :a, @b, $c", "7 CS1605, 11 CS1605, 15 CS1605"},
		{"cast of another database", sqltext.SQLite, "SELECT a::text", "8 CS1605"},
		{"numbered parameter", sqltext.Postgres, "SELECT $1", "7 CS1605"},
		{"in a string", sqltext.SQLite, "SELECT '${a}', \"${b}\", `${c}`, [${d}]", "8 CS1604, 16 CS1604, 24 CS1604, 32 CS1604"},
		{"in dollar quotes", sqltext.Postgres, "SELECT $q$${a}$q$", "10 CS1604"},
		{"in comments", sqltext.SQLite, "SELECT 1 /* ${a} */ -- ${b}", "12 CS1604, 23 CS1604"},
		{"string without end", sqltext.SQLite, "SELECT 'a''", "7 CS1606"},
		{"brackets without end", sqltext.SQLite, "SELECT [a", "7 CS1606"},
		{"dollar quotes without end", sqltext.Postgres, "SELECT $a$ $b$", "7 CS1606"},
		{"escape at the end", sqltext.Postgres, `SELECT E'a\`, "8 CS1606"},
		{"comment without end", sqltext.SQLite, "SELECT 1 /* a", "9 CS1606"},
		{"comment closed once of twice", sqltext.Postgres, "SELECT 1 /* /* a */", "9 CS1606"},
		{"parameter without end", sqltext.SQLite, "SELECT ${a", "7 CS1205"},
		{"literal mark outside quotes", sqltext.Postgres, "SELECT $${a}$$", "7 CS1607"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := sqltext.Read(test.sql, test.dialect)
			var got []string
			for _, f := range faults {
				got = append(got, fmt.Sprintf("%d %s", f.Offset, f.Code))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// However a statement is laid out and commented, its normal form is the same.
func TestNormalDoesNotDependOnLayout(t *testing.T) {
	t.Parallel()
	want := ""
	for _, sql := range []string{
		"SELECT a, b FROM t WHERE c = ${payload.c}",
		"SELECT a, b\n  FROM t -- the table\n WHERE c = ${ payload.c }\n",
		"/* all of it */ SELECT a, b FROM t WHERE c = ${payload.c};",
	} {
		statement, faults := sqltext.Read(sql, sqltext.SQLite)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if want == "" {
			want = statement.Normal
		}
		if statement.Normal != want {
			t.Errorf("got %q, want %q", statement.Normal, want)
		}
	}
}

// A text is refused, or as many parameters are bound as there are placeholders outside quotes and comments.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"SELECT 'a' FROM t WHERE b = ${x.y}", "SELECT $t$ $t$, E'\\'", "SELECT [a], `b` -- c", "SELECT /* /* */ */ 1;", "SELECT '$${'", "\xff${"} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, sql string, postgres bool) {
		dialect := sqltext.SQLite
		if postgres {
			dialect = sqltext.Postgres
		}
		statement, faults := sqltext.Read(sql, dialect)
		for _, fault := range faults {
			if fault.Offset < 0 || fault.Offset > len(sql) {
				t.Errorf("a fault at %d of %d", fault.Offset, len(sql))
			}
		}
		for _, span := range statement.Parameters {
			if sql[span.Start:span.Start+len(span.Text)] != span.Text {
				t.Errorf("%q is not at %d", span.Text, span.Start)
			}
		}
		if len(faults) > 0 || strings.Contains(statement.Text, "${") {
			return
		}
		_, again := sqltext.Read(statement.Text, dialect)
		literal := 0
		for _, fault := range again {
			if fault.Code == "CS1605" {
				literal++
			}
		}
		if literal != len(statement.Parameters) {
			t.Errorf("%d placeholders in %q, %d parameters", literal, statement.Text, len(statement.Parameters))
		}
	})
}
