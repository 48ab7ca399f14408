package diag_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/diag"
)

func at(line, column int) diag.Pos { return diag.Pos{File: "f.yaml", Line: line, Column: column} }

func TestSortGoesByPlaceAndDropsRepeats(t *testing.T) {
	t.Parallel()
	list := diag.List{
		{Pos: at(2, 1), Code: "CS1", Message: "c"},
		{Pos: at(1, 5), Code: "CS2", Message: "b"},
		{Pos: at(1, 5), Code: "CS1", Message: "a"},
		{Pos: diag.Pos{File: "e.yaml", Line: 9, Column: 9}, Code: "CS9", Message: "first"},
		{Pos: at(1, 5), Code: "CS2", Message: "b"},
		{Pos: at(1, 4), Code: "CS3", Message: "z"},
	}
	list.Sort()
	var got []string
	for _, d := range list {
		got = append(got, d.Message)
	}
	if diff := cmp.Diff([]string{"first", "z", "a", "b", "c"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteShowsTheSourceAndACaret(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 200) + "X" + strings.Repeat("b", 200)
	for _, test := range []struct {
		name, src string
		d         diag.Diagnostic
		want      string
	}{
		{"whole", "a: 1\nbb: c\n", diag.Diagnostic{Pos: at(2, 5), Where: "bb", Message: "no", Hint: "write d", Code: "CS1"},
			"f.yaml:2:5: bb: no (write d) [CS1]\n    bb: c\n        ^\n"},
		{"bare", "a", diag.Diagnostic{Pos: at(1, 1), Message: "no", Code: "CS1"}, "f.yaml:1:1: no [CS1]\n    a\n    ^\n"},
		{"past the end of the line", "ab", diag.Diagnostic{Pos: at(1, 3), Message: "no", Code: "CS1"}, "f.yaml:1:3: no [CS1]\n    ab\n      ^\n"},
		{"tabs keep the caret in its column", "\ta\tb", diag.Diagnostic{Pos: at(1, 4), Message: "no", Code: "CS1"}, "f.yaml:1:4: no [CS1]\n    \ta\tb\n    \t \t^\n"},
		{"wide characters count as one", "é: ü", diag.Diagnostic{Pos: at(1, 4), Message: "no", Code: "CS1"}, "f.yaml:1:4: no [CS1]\n    é: ü\n       ^\n"},
		{"Windows line ends", "a\r\nb\r\n", diag.Diagnostic{Pos: at(1, 1), Message: "no", Code: "CS1"}, "f.yaml:1:1: no [CS1]\n    a\n    ^\n"},
		{"byte order mark", "\ufeffa", diag.Diagnostic{Pos: at(1, 1), Message: "no", Code: "CS1"}, "f.yaml:1:1: no [CS1]\n    a\n    ^\n"},
		{"escapes for the terminal", "a\x1b[31m", diag.Diagnostic{Pos: at(1, 1), Message: "no", Code: "CS1"}, "f.yaml:1:1: no [CS1]\n    a\ufffd[31m\n    ^\n"},
		{"long line", long, diag.Diagnostic{Pos: at(1, 201), Message: "no", Code: "CS1"},
			"f.yaml:1:201: no [CS1]\n    …" + strings.Repeat("a", 70) + "X" + strings.Repeat("b", 69) + "…\n    " + strings.Repeat(" ", 71) + "^\n"},
		{"no such line", "a", diag.Diagnostic{Pos: at(7, 1), Message: "no", Code: "CS1"}, "f.yaml:7:1: no [CS1]\n"},
		{"no place", "a", diag.Diagnostic{Pos: diag.Pos{File: "f.yaml"}, Message: "no", Code: "CS1"}, "f.yaml: no [CS1]\n"},
		{"no file", "a", diag.Diagnostic{Message: "no", Code: "CS1"}, "no [CS1]\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := (diag.List{test.d}).Write(&out, map[string][]byte{"f.yaml": []byte(test.src)}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestQuoteKeepsAMessageOnOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain": "'plain'", "a\nb\x1b": `'a\nb\x1b'`, `say "x"`: `'say "x"'`, strings.Repeat("é", 61): "'" + strings.Repeat("é", 60) + "…'",
	} {
		if got := diag.Quote(text); got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	known := []string{"payload", "value", "key", "id", "timezone", "x"}
	for word, want := range map[string]string{
		"paylaod": "did you mean 'payload'?", "valu": "did you mean 'value'?", "Value": "did you mean 'value'?",
		"kye": "did you mean 'key'?", "time_zone": "did you mean 'timezone'?", "zz": "", "something": "", "": "", "y": "", " ": "", "X": "did you mean 'x'?",
		strings.Repeat("x", 1000): "",
	} {
		if got := diag.DidYouMean(word, known); got != want {
			t.Errorf("DidYouMean(%.20q) = %q, want %q", word, got, want)
		}
	}
}

// Every code is a constant with a number of its own and a meaning.
func TestCodesHaveMeanings(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^CS1[0-9]{3}$`)
	seen := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		constant, ok := n.(*ast.ValueSpec)
		if !ok || len(constant.Values) != 1 {
			return true
		}
		literal, ok := constant.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		code, err := strconv.Unquote(literal.Value)
		if err != nil || !form.MatchString(code) || seen[code] || diag.Meaning[code] == "" {
			t.Errorf("%s = %s: not a code of its own with a meaning", constant.Names[0], literal.Value)
		}
		seen[code] = true
		return true
	})
	if len(seen) != len(diag.Meaning) {
		t.Errorf("%d codes, %d meanings", len(seen), len(diag.Meaning))
	}
}

func TestWriteStopsAfterAThousand(t *testing.T) {
	t.Parallel()
	list := make(diag.List, 1003)
	for i := range list {
		list[i] = diag.Diagnostic{Pos: diag.Pos{File: "f.yaml", Line: 1, Column: i + 1}, Message: "bad", Code: diag.BadYAML}
	}
	var out strings.Builder
	if err := list.Write(&out, nil); err != nil {
		t.Fatal(err)
	}
	const end = "\nf.yaml:1:1000: bad [CS1003]\nand 3 more, which are shown when these are mended\n"
	if got := out.String(); !strings.HasSuffix(got, end) {
		t.Errorf("got the end %q, want %q", got[max(0, len(got)-2*len(end)):], end)
	}
}
