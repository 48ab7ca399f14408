package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"index/suffixarray"
	"net/url"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// newScrubber replaces texts in each of their spellings, and the longest of several that begin alike.
func newScrubber(texts []string) *strings.Replacer {
	var all []string
	for _, text := range texts {
		all = append(all, spellings(text)...)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var replacements []string
	for _, spelling := range slices.Compact(all) {
		replacements = append(replacements, spelling, Hidden)
	}
	return strings.NewReplacer(replacements...)
}

// spellings are how a value may stand in a text: as it is, made visible, quoted as Go and JSON do, and encoded as in
// addresses and in dumps of bytes.
func spellings(secret string) []string {
	all := []string{
		secret, visible.Value(secret), url.QueryEscape(secret), url.PathEscape(secret),
		hex.EncodeToString([]byte(secret)), fmt.Sprintf("%X", secret),
		base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
	quoted := []string{fmt.Sprintf("%q", secret), fmt.Sprintf("%+q", secret)}
	for _, encode := range []func(any) ([]byte, error){exact.FromTree, json.Marshal} {
		if text, err := encode(secret); err == nil {
			quoted = append(quoted, string(text), string(visible.JSON(text)))
		}
	}
	for _, q := range quoted {
		all = append(all, q[1:len(q)-1])
	}
	return all
}

// unsaid are those texts that a document does not hold in the clear.
func (in Document) unsaid(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	tree, err := exact.Tree(in.Redacted())
	if err != nil {
		return texts
	}
	var clear []byte
	eachText(tree, func(text string) { clear = append(append(clear, text...), textEnd) })
	index := suffixarray.New(clear)
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return len(index.Lookup([]byte(text), 1)) > 0 })
}

// textEnd stands behind each of several texts; it is in no text of a document.
const textEnd = 0xFF
