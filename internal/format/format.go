// Package format says of text whether it is of a format of JSON Schema, for schemas that assert formats.
package format

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// formats are those that can be asserted. Left out are those of which the library takes too much or too little: regex,
// which is of another dialect than pattern, uri-template, and all about text outside ASCII. Whether a label of a
// hostname that begins with xn-- stands for one that is allowed is not looked at.
var formats = map[string]func(string) bool{
	"date":                  ofLibrary("date"),
	"date-time":             ofLibrary("date-time"),
	"duration":              ofLibrary("duration"),
	"email":                 ofLibrary("email"),
	"hostname":              isHostname,
	"ipv4":                  isIPv4,
	"ipv6":                  ofLibrary("ipv6"),
	"json-pointer":          ofLibrary("json-pointer"),
	"relative-json-pointer": ofLibrary("relative-json-pointer"),
	"time":                  ofLibrary("time"),
	"uri":                   isURI,
	"uri-reference":         isURIReference,
	"uuid":                  ofLibrary("uuid"),
}

// Check is what tells whether text is of the format of that name; nil for a format that cannot be asserted.
func Check(name string) func(text string) bool { return formats[name] }

// Names are the formats that can be asserted, in order.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

func ofLibrary(name string) func(string) bool {
	valid := jsonschema.Formats[name]
	return func(s string) bool { return valid(s) }
}

// isHostname refuses the trailing dot, which the library takes.
func isHostname(s string) bool { return !strings.HasSuffix(s, ".") && ofLibrary("hostname")(s) }

// isIPv4 refuses the signs that the library takes.
func isIPv4(s string) bool { return !strings.ContainsAny(s, "+-") && ofLibrary("ipv4")(s) }

func isURI(s string) bool { return hasCharactersOfURI(s) && ofLibrary("uri")(s) }

func isURIReference(s string) bool { return hasCharactersOfURI(s) && ofLibrary("uri-reference")(s) }

// hasCharactersOfURI checks what the library does not: that there are only the characters of RFC 3986, each where it may
// stand.
func hasCharactersOfURI(s string) bool {
	authority, rest := authorityOf(s)
	return onlyCharacters(authority, "[]") && strings.Count(authority, "@") <= 1 && onlyCharacters(rest, "")
}

// authorityOf cuts out what stands between // and the path, and returns the rest with it.
func authorityOf(s string) (authority, rest string) {
	before, after, found := strings.Cut(s, "//")
	if !found || strings.ContainsAny(before, "/?#") {
		return "", s
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	return after[:end], before + after[end:]
}

func onlyCharacters(s, more string) bool {
	const allowed = "-._~:/?#@!$&'()*+,;=%"
	return !strings.ContainsFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && !('0' <= r && r <= '9') && !strings.ContainsRune(allowed+more, r)
	})
}
