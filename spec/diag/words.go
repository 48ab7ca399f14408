package diag

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// quotedRunes bounds how much of a spec's own text a message repeats.
const quotedRunes = 60

// Quote puts text of the spec into a message: in single quotes, on one line, not too long.
func Quote(text string) string {
	if utf8.RuneCountInString(text) > quotedRunes {
		text = string([]rune(text)[:quotedRunes]) + ellipsis
	}
	quoted := strconv.Quote(text)
	return "'" + strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + "'"
}

// listedWords bounds how many words a message lists.
const listedWords = 8

// QuoteAll is the words in quotes, with commas between them; of many only the first.
func QuoteAll(words []string) string {
	var quoted []string
	for i, word := range words {
		if i == listedWords {
			quoted = append(quoted, ellipsis)
			break
		}
		quoted = append(quoted, Quote(word))
	}
	return strings.Join(quoted, ", ")
}

// DidYouMean is the hint for a word that is none of the known ones: the nearest of them, or "" if none is near.
func DidYouMean(word string, known []string) string {
	if near, ok := nearest(word, known); ok {
		return "did you mean " + Quote(near) + "?"
	}
	return ""
}

// Bounds of what is compared, which takes quadratic time: nobody mistypes a longer word, or reads a longer list.
const (
	wordLimit  = 64
	knownLimit = 1000
)

// nearest is the known word that takes the fewest edits to reach, if a third of the word's letters will do, and not all.
func nearest(word string, known []string) (string, bool) {
	if len(word) > wordLimit {
		return "", false
	}
	length := utf8.RuneCountInString(word)
	best, fewest := "", min((length+2)/3+1, length)
	for _, candidate := range known[:min(len(known), knownLimit)] {
		if len(candidate) > wordLimit {
			continue
		}
		if edits := distance(strings.ToLower(word), strings.ToLower(candidate)); edits < fewest {
			best, fewest = candidate, edits
		}
	}
	return best, best != ""
}

// distance is how many edits lie between two words, where letters in another order count as one.
func distance(a, b string) int {
	edits := levenshtein.ComputeDistance(a, b)
	if edits > 1 && slices.Equal(letters(a), letters(b)) {
		return 1
	}
	return edits
}

// letters are those of a word, in order.
func letters(word string) []rune {
	all := []rune(word)
	slices.Sort(all)
	return all
}
