// Package goname makes Go names of the names in a spec: the one place that decides how a word is written in Go.
package goname

import (
	"go/token"
	"strings"
	"unicode"
)

// initialisms are words that Go writes in capitals: those that linters ask for, and a few that read badly otherwise.
var initialisms = map[string]bool{
	"ACL": true, "AMQP": true, "API": true, "ASCII": true, "CPU": true, "CSS": true, "CSV": true, "DB": true, "DNS": true,
	"EOF": true, "GID": true, "GUID": true, "HTML": true, "HTTP": true, "HTTPS": true, "ID": true, "IP": true, "JSON": true,
	"JWT": true, "MCP": true, "OS": true, "PDF": true, "QPS": true, "RAM": true, "RPC": true, "RTP": true, "SIP": true,
	"SKU": true, "SLA": true, "SMTP": true, "SQL": true, "SSH": true, "SSO": true, "TCP": true, "TLS": true, "TS": true,
	"TTL": true, "UDP": true, "UI": true, "UID": true, "URI": true, "URL": true, "UTC": true, "UTF8": true, "UUID": true,
	"VAT": true, "VM": true, "XML": true, "XMPP": true, "XSRF": true, "XSS": true, "YAML": true,
}

// Exported is the exported Go name of a name in a spec: set_setting is SetSetting, user-id is UserID. It is made of
// the letters and digits of the name alone, so that it may be empty, begin with a digit or begin with a letter that
// has no upper case; see [IsExported].
func Exported(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		b.WriteString(exportedWord(word))
	}
	return b.String()
}

// Unexported is the unexported Go name of a name in a spec: set_setting is setSetting, url_list is urlList.
func Unexported(name string) string {
	all := words(name)
	if len(all) == 0 {
		return ""
	}
	return strings.ToLower(all[0]) + Exported(strings.Join(all[1:], "_"))
}

// IsExported tells whether a name is an identifier that other packages can use.
func IsExported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// exportedWord is a word as it stands in a name: URLs as URLs, url as URL, theme as Theme.
func exportedWord(word string) string {
	upper := strings.ToUpper(word)
	if initialisms[upper] {
		return upper
	}
	if plural, ok := strings.CutSuffix(upper, "S"); ok && initialisms[plural] {
		return plural + "s"
	}
	runes := []rune(word)
	return string(unicode.ToUpper(runes[0])) + string(runes[1:])
}

// words splits a name at what is no letter or digit, and where lower case turns into upper case: userID is user and ID,
// HTTPServer is HTTP and Server.
func words(name string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		all = append(all, humps([]rune(part))...)
	}
	return all
}

// humps splits a part of a name at its changes of case.
func humps(part []rune) []string {
	var all []string
	start := 0
	for i := 1; i < len(part); i++ {
		rises := !unicode.IsUpper(part[i-1]) && unicode.IsUpper(part[i])
		falls := unicode.IsUpper(part[i-1]) && unicode.IsUpper(part[i]) && i+1 < len(part) && unicode.IsLower(part[i+1])
		plural := falls && i+2 == len(part) && part[i+1] == 's' // URLs and IDs are one word
		if rises || falls && !plural {
			all = append(all, string(part[start:i]))
			start = i
		}
	}
	return append(all, string(part[start:]))
}
