// Package goname makes Go names of the names in a spec: the one place that decides how a word is written in Go.
package goname

import (
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"
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

// Exported is the exported Go name of a name in a spec: set_setting is SetSetting, user-id is UserID. What begins with
// a digit, or with a letter that has no upper case, gets an X before it: 3gpp is X3gpp. A name without letters and digits
// has none: "".
func Exported(name string) string {
	part := Part(name)
	if part == "" || IsExported(part) {
		return part
	}
	return "X" + part
}

// Part is a name of a spec as a part of a Go name after others, where any letter or digit may stand first: 3gpp is 3gpp.
// The sign of a number is a word, so that +1 and -1 differ.
func Part(name string) string {
	var whole string
	for _, word := range words(name) {
		whole = Join(whole, exportedWord(word))
	}
	return whole
}

// Join puts a part behind a Go name. Numbers stay apart, so that 1.10 and 11.0 differ: they are 1_10 and 11_0.
func Join(name, part string) string {
	last, _ := utf8.DecodeLastRuneInString(name)
	first, _ := utf8.DecodeRuneInString(part)
	if unicode.IsDigit(last) && unicode.IsDigit(first) {
		return name + "_" + part
	}
	return name + part
}

// Unexported is the unexported Go name of a name in a spec: set_setting is setSetting, url_list is urlList. It may be a
// keyword of Go.
func Unexported(name string) string {
	all := words(name)
	if len(all) == 0 {
		return ""
	}
	whole := strings.ToLower(all[0])
	if first, _ := utf8.DecodeRuneInString(whole); unicode.IsDigit(first) {
		whole = "x" + whole
	}
	for _, word := range all[1:] {
		whole = Join(whole, exportedWord(word))
	}
	return whole
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
// HTTPServer is HTTP and Server. The sign of a number is a word too.
func words(name string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(spellSigns(name), func(r rune) bool { return !isSayable(r) }) {
		all = append(all, humps([]rune(part))...)
	}
	return all
}

// isSayable tells whether a character may stand in a word.
func isSayable(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// signs are the words for what stands before a number.
var signs = map[rune]string{'+': " plus ", '-': " minus "}

// spellSigns puts words for the signs of numbers. What stands between two parts of a name is none: a-1 is a and 1, but
// a--1 is a and minus 1.
func spellSigns(name string) string {
	runes := []rune(name)
	var spelt strings.Builder
	for i, r := range runes {
		word, sign := signs[r]
		before := i > 0 && isSayable(runes[i-1])
		if sign && !before && i+1 < len(runes) && unicode.IsDigit(runes[i+1]) {
			spelt.WriteString(word)
		} else {
			spelt.WriteRune(r)
		}
	}
	return spelt.String()
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
