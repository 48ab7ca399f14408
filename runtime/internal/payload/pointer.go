package payload

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// fragment is the part of a location after the address of the document.
func fragment(location string) string {
	_, pointer, _ := strings.Cut(location, "#")
	return pointer
}

// tokensOf splits a pointer as the library writes it: escaped as JSON Pointer, and then for a URL.
func tokensOf(pointer string) []string {
	if pointer == "" || pointer == "/" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, token := range tokens {
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}

// pointerOf makes a plain JSON Pointer of one as the library writes it.
func pointerOf(location string) string { return join(tokensOf(location)...) }

func join(tokens ...string) string {
	var pointer jsontext.Pointer
	for _, token := range tokens {
		pointer = pointer.AppendToken(token)
	}
	return string(pointer)
}

// lookup follows tokens into a tree.
func lookup(tree any, tokens []string) (any, bool) {
	for _, token := range tokens {
		switch v := tree.(type) {
		case map[string]any:
			member, ok := v[token]
			if !ok {
				return nil, false
			}
			tree = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			tree = v[i]
		default:
			return nil, false
		}
	}
	return tree, true
}
