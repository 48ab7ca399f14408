package postgres

import (
	"fmt"
	"slices"
	"strings"
)

// changesRows begin the statements that a joined body may make: none of them ends a transaction, or outlasts it.
var changesRows = []string{
	"CALL", "CLOSE", "DECLARE", "DELETE", "DO", "EXPLAIN", "FETCH", "INSERT", "LOCK", "MERGE", "MOVE", "RELEASE", "SAVEPOINT", "SELECT",
	"TABLE", "UPDATE", "VALUES", "WITH",
	"ROLLBACK TO", "ROLLBACK WORK TO", "ROLLBACK TRANSACTION TO", "SET LOCAL", "SET CONSTRAINTS",
}

// longestBeginning is how many words tell what a statement does.
const longestBeginning = 3

// endings begin the statements that end a transaction, but for those that go back to a savepoint.
var endings = []string{"ABORT", "COMMIT", "END", "PREPARE TRANSACTION", "ROLLBACK"}

// text is what is sent for a statement, or for the name of one that was prepared.
func (g *gate) text(sql string) (string, error) {
	if name, isPrepared := g.prepared.find(sql); isPrepared {
		return name, nil
	}
	return sql, g.check(sql)
}

// check refuses a statement that a joined body may not make. One that would end the transaction gives the whole change up,
// also while something uses it: who wrote that wants nothing of it kept as it is.
func (g *gate) check(sql string) error {
	words := beginning(sql)
	if begins(words, changesRows) {
		return nil
	}
	if slices.ContainsFunc(strings.Split(sql, ";"), endsTransaction) {
		_ = g.giveUp()
	}
	return refused(strings.Join(words, " "))
}

// endsTransaction tells whether a statement would.
func endsTransaction(sql string) bool {
	words := beginning(sql)
	return begins(words, endings) && !begins(words, changesRows)
}

// begins tells whether a statement of these words begins with one of some beginnings.
func begins(words, beginnings []string) bool {
	for n := range words {
		if slices.Contains(beginnings, strings.Join(words[:n+1], " ")) {
			return true
		}
	}
	return false
}

func refused(what string) error { return fmt.Errorf("%s: %w", what, errBound) }

// beginning are the first words of a statement, in capitals.
func beginning(sql string) (words []string) {
	for len(words) < longestBeginning {
		sql = strings.TrimLeft(withoutComments(sql), "(; \t\r\n\f\v")
		end := strings.IndexFunc(sql, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' })
		if end < 0 {
			end = len(sql)
		}
		if end == 0 {
			return words
		}
		words = append(words, strings.ToUpper(sql[:end]))
		sql = sql[end:]
	}
	return words
}

// withoutComments is sql without the comments and the space that it begins with.
func withoutComments(sql string) string {
	for {
		sql = strings.TrimSpace(sql)
		switch {
		case strings.HasPrefix(sql, "--"):
			sql = sql[lineEnd(sql):]
		case strings.HasPrefix(sql, "/*"):
			sql = sql[commentEnd(sql):]
		default:
			return sql
		}
	}
}

// lineEnd is where the line ends that sql begins with. To PostgreSQL a carriage return ends one too.
func lineEnd(sql string) int {
	if end := strings.IndexAny(sql, "\r\n"); end >= 0 {
		return end
	}
	return len(sql)
}

// commentEnd is where the comment ends that sql begins with. Comments can be nested.
func commentEnd(sql string) int {
	depth := 0
	for i := 0; i+1 < len(sql); i++ {
		switch sql[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(sql)
}
