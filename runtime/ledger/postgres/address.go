package postgres

import (
	"slices"
	"strings"
)

// flaws are those of words with a value that the driver repeats behind them.
var flaws = []string{
	"cannot parse pool_max_conns",
	"cannot parse pool_min_conns",
	"cannot parse pool_min_idle_conns",
	"cannot parse pool_max_conn_lifetime",
	"cannot parse pool_max_conn_idle_time",
	"cannot parse pool_health_check_period",
	"cannot parse pool_max_conn_lifetime_jitter",
	"cannot parse pool_ping_timeout",
	"cannot parse statement_cache_capacity",
	"cannot parse description_cache_capacity",
	"invalid default_query_exec_mode",
}

// flaw is what is wrong with an address, without any of it: in the error it comes first, and pieces of it in quotes. The driver
// hides a password, but not every one that is misspelt.
func flaw(err error) string {
	const end, quote = "`: ", `"`
	text := err.Error()
	at := strings.LastIndex(text, end)
	if at < 0 {
		return ""
	}
	said := text[at+len(end):]
	if !strings.Contains(said, quote) {
		return " (" + said + ")"
	}
	isIt := func(flaw string) bool { return strings.HasPrefix(said, flaw+" ") }
	if n := slices.IndexFunc(flaws, isIt); n >= 0 {
		return " (" + flaws[n] + ")"
	}
	return ""
}
