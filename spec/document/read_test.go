package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

func codes(faults diag.List) []string {
	var all []string
	for _, d := range faults {
		all = append(all, d.Code)
	}
	return all
}

func TestReadRefusesWhatReadersOfYAMLDisagreeAbout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src string
		line, col int
		code      string
	}{
		{"yaml 1.1 boolean", "a: no", 1, 4, diag.AmbiguousValue},
		{"capital boolean", "a: True", 1, 4, diag.AmbiguousValue},
		{"tilde", "a: ~", 1, 4, diag.AmbiguousValue},
		{"octal", "a: 0555", 1, 4, diag.AmbiguousValue},
		{"hexadecimal", "a: 0x1F", 1, 4, diag.AmbiguousValue},
		{"base 60", "a: 22:22", 1, 4, diag.AmbiguousValue},
		{"date", "a: 2024-01-31", 1, 4, diag.AmbiguousValue},
		{"time", "a: 2024-01-31T10:00:00Z", 1, 4, diag.AmbiguousValue},
		{"infinity", "a: .inf", 1, 4, diag.AmbiguousValue},
		{"underscores", "a: 1_000", 1, 4, diag.AmbiguousValue},
		{"bare fraction", "a: .5", 1, 4, diag.AmbiguousValue},
		{"plus sign", "a: +1", 1, 4, diag.AmbiguousValue},
		{"ambiguous key", "no: 1", 1, 1, diag.AmbiguousValue},
		{"number as key", "404: 1", 1, 1, diag.KeyNotText},
		{"list as key", "? [a]\n: 1", 1, 3, diag.KeyNotText},
		{"alias as key", "b: &a x\n*a : c", 2, 1, diag.BadAlias},
		{"duplicate key", "a: 1\nb: 2\na: 3", 3, 1, diag.DuplicateKey},
		{"merge key", "a: &x {}\nb:\n  <<: *x", 3, 3, diag.MergeKey},
		{"tag", "a: !!str 3", 1, 4, diag.ExplicitTag},
		{"own tag", "a: !foo 3", 1, 4, diag.ExplicitTag},
		{"tagged map", "a: !!map {}", 1, 4, diag.ExplicitTag},
		{"tagged key", "!!str a: 1", 1, 1, diag.ExplicitTag},
		{"non-specific tag", "a: ! 3", 1, 4, diag.ExplicitTag},
		{"alias in itself", "a: &x [*x]", 1, 8, diag.BadAlias},
		{"second document", "a: 1\n---\nb: 2", 2, 1, diag.ManyDocuments},
		{"nothing", "", 1, 1, diag.EmptyDocument},
		{"only a comment", "# a", 1, 1, diag.EmptyDocument},
		{"bad syntax", "a: b: c", 1, 5, diag.BadYAML},
		{"unclosed", "a: [", 1, 5, diag.BadYAML},
		{"tab", "\ta: 1", 1, 1, diag.BadYAML},
		{"control character", "a: 1\nb: \x01", 2, 4, diag.BadYAML},
		{"not UTF-8", "a: 1\nb: é\xff", 2, 5, diag.NotUTF8},
		{"hidden line break", "a: \"x\u2028y\"", 1, 6, diag.NotUTF8},
		{"lone carriage return", "a: 1\rb: 2", 1, 5, diag.NotUTF8},
		{"too large", "a: " + strings.Repeat("x", 4<<20), 1, 1, diag.TooLarge},
		{"too deep", strings.Repeat("[", 80) + strings.Repeat("]", 80), 1, 65, diag.TooDeep},
		{"too deep in aliases", "a: &a " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\nb: " + strings.Repeat("[", 40) + "*a" + strings.Repeat("]", 40), 1, 31, diag.TooDeep},
		{"long number", "a: 0." + strings.Repeat("9", 401), 1, 4, diag.NumberLimits},
		{"large number", "a: " + strings.Repeat("9", 309), 1, 4, diag.NumberLimits},
		{"large exponent", "a: 1.8e308", 1, 4, diag.NumberLimits},
		{"large by its digits", "a: 18e307", 1, 4, diag.NumberLimits},
		{"small exponent", "a: 1e-401", 1, 4, diag.NumberLimits},
		{"small by its digits", "a: 0.01e-399", 1, 4, diag.NumberLimits},
		{"exponent of nothing", "a: 0e99999999999999999999", 1, 4, diag.NumberLimits},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := document.Read("f.yaml", []byte(test.src))
			if diff := cmp.Diff([]string{test.code}, codes(faults)); diff != "" {
				t.Fatalf("codes (-want +got):\n%s%v", diff, faults)
			}
			want := diag.Pos{File: "f.yaml", Line: test.line, Column: test.col}
			if faults[0].Pos != want {
				t.Errorf("%v, want it at %v", faults[0], want)
			}
		})
	}
}

func TestReadSaysHowToMendTheSyntax(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"a:\n\tb: 1":                             "indent with spaces",
		"a: |\n\tx":                              "indent with spaces",
		"%YAML 1.2\n---\na: 1":                   "take the %YAML line out",
		"a: 'b":                                  "close the quote",
		`a: "\x0z"`:                              `in double quotes \ begins an escape: use single quotes`,
		`a: "\ud83d\ude00"`:                      "write the character itself",
		"a: [b":                                  "close it with ], or quote text that holds any of { } [ ] , :",
		"a: {b: c: d}":                           "quote it: b: 'c: d'",
		"a: {b: c: d":                            "close it with }, or quote text that holds any of { } [ ] , :",
		"a: {b: ${c.d}}":                         "quote it: b: '${c.d}'",
		"a: {b: ${c.d},\n e: f}":                 "quote text that holds ${…}",
		"a: {\n b: c: d,\n}":                     "quote it: b: 'c: d'",
		"a: {b: '${c}', d: [}}":                  "quote text that begins with }",
		"a: {\n}}":                               "take the } out: nothing is open that it ends",
		"a: *b":                                  "quote it: a: '*b'; if it is an alias, write &b before what it stands for, above",
		"a: @b # c":                              "quote it: a: '@b'",
		"a: ,b":                                  "quote it: a: ',b'",
		"a: b: c":                                "quote it: a: 'b: c'",
		"- a: b ? \"c\" : 'd'":                   `quote it: a: 'b ? "c" : ''d'''`,
		"- b: 1\n  c: - 2":                       "quote it: c: '- 2'",
		"a: it's: b":                             "quote it: a: 'it''s: b'",
		"a: b\n  c: d":                           "quote text that holds a colon, or indent the line as those beside it",
		"a: [\"b\" in c, d]":                     `quote it: '"b" in c'`,
		"a:\n  b: 1\n c: 2":                      "indent the line as those beside it",
		`a: "b" c`:                               `quote it: a: '"b" c'`,
		"a: [b].c":                               "quote it: a: '[b].c'",
		"a: > 5":                                 "quote it: a: '> 5'",
		"a: &${b}":                               "quote it: a: '&${b}'",
		"a: !x!y z":                              "quote it: a: '!x!y z'",
		"a: ? b":                                 "quote it: a: '? b'",
		"a: " + strings.Repeat("b", 100) + ": c": "quote text that holds a colon, or indent the line as those beside it",
	} {
		_, faults := document.Read("f.yaml", []byte(src))
		if len(faults) != 1 || faults[0].Code != diag.BadYAML || faults[0].Hint != want {
			t.Errorf("%q: %v, want the hint %q", src, faults, want)
		}
	}
	deep := strings.Repeat("[", 80) + strings.Repeat("]", 80)
	if _, faults := document.Read("f.yaml", []byte(deep)); len(faults) != 1 || faults[0].Hint != "" {
		t.Errorf("too deep: %v", faults)
	}
}

func TestQuotedShowsHowTextIsWrittenThatYAMLTakesForSomethingElse(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"k: {a}":                    "k: '{a}'",
		"k: [a, b] # c":             "k: '[a, b]'",
		"k: &a":                     "k: '&a'",
		"k: #fff":                   "k: '#fff'",
		"k: !a == 'b'":              "k: '!a == ''b'''",
		"{j: [a], k: {b: c}, l: d}": "k: '{b: c}'",
		"{\n  k: {b: c},\n}":        "k: '{b: c}'",
		"k: # a comment":            "",
		"k:":                        "",
		"k:\n  {a}":                 "",
		"k: {a,\n  b}":              "",
		`"k": {a}`:                  "",
	} {
		tree, _ := document.Read("f.yaml", []byte(src))
		if got := tree.Get("k").Quoted(); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
	tree, _ := document.Read("f.yaml", []byte("- a ? b : c\n- [{d}]"))
	if got := tree.Children[0].Quoted(); got != "'a ? b : c'" {
		t.Errorf("an item that is taken for a map: %q", got)
	}
	if got := tree.Children[1].Children[0].Quoted(); got != "'{d}'" {
		t.Errorf("an item in brackets: %q", got)
	}
}

func TestReadBoundsWhatAliasesExpandTo(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	src.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := byte('1'); i < '9'; i++ {
		src.WriteString("a" + string(i) + ": &a" + string(i) + " [" + strings.Repeat("*a"+string(i-1)+", ", 10) + "]\n")
	}
	_, faults := document.Read("f.yaml", []byte(src.String()))
	if len(faults) != 1 || faults[0].Code != diag.BadAlias {
		t.Fatalf("faults = %v, want one", faults)
	}
}

func TestReadKeepsNumbersAndOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, src, want string }{
		{"numbers as written", "{b: 9007199254740993, a: 1.50, c: 1e3, d: -0}", `{"b":9007199254740993,"a":1.50,"c":1e3,"d":-0}`},
		{"words", "[true, false, null, y, n, 7d, 15m, 1.2.3]", `[true,false,null,"y","n","7d","15m","1.2.3"]`},
		{"quoted", `["no", '0555', "22:22"]`, `["no","0555","22:22"]`},
		{"nothing after a key", "a:\nb: 1", `{"a":null,"b":1}`},
		{"plain JSON", "{\n\t\"a\": [1, \"\\u00e9\\/\"],\n\t\"b\": {}\n}", `{"a":[1,"é/"],"b":{}}`},
		{"aliases", "a: &x {k: [1]}\nb: *x", `{"a":{"k":[1]},"b":{"k":[1]}}`},
		{"byte order mark", "\ufeffa: 1", `{"a":1}`},
		{"line endings", "a: |\r\n  x\r\n  y\r\n", `{"a":"x\ny\n"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree, faults := document.Read("f.yaml", []byte(test.src))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			if got := string(tree.AppendJSON(nil)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestWhereNamesTheKeyPath(t *testing.T) {
	t.Parallel()
	tree, faults := document.Read("f.yaml", []byte("a:\n  b.c: [x, {d: 1}]"))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	got := tree.Get("a").Get("b.c").Children[1].Get("d").Where()
	if want := "a.'b.c'[1].d"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFaultsAreAtTheirKeyPath(t *testing.T) {
	t.Parallel()
	_, faults := document.Read("f.yaml", []byte("a:\n  b: [x, {c: no}]"))
	if len(faults) != 1 || faults[0].Where != "a.b[1].c" {
		t.Errorf("faults = %v", faults)
	}
}

func TestAtFindsTheCharactersOfText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src  string // the text under key k holds one @
		line, col  int
		foldedText bool
	}{
		{"plain", "k: ab@", 1, 6, false},
		{"plain after wide characters", "k: äö@", 1, 6, false},
		{"anchored", "k: &anchor ab@", 1, 14, false},
		{"single quotes", "k: 'it''s@'", 1, 10, false},
		{"double quotes", `k: "\t\u00e9\"@"`, 1, 15, false},
		{"double quotes with a wide escape", `k: "\U0001F600\x41@"`, 1, 19, false},
		{"block", "k: |\n  ab\n\n    c@\n", 4, 6, false},
		{"block that begins with an empty line", "k: |\n\n  ab@\n", 3, 5, false},
		{"block with an indent of its own", "k: |2-\n    ab@", 2, 7, false},
		{"block with Windows line ends", "k: |\r\n  a\r\n  b@\r\n", 3, 4, false},
		{"folded block", "k: >\n  a\n  b@\n", 1, 4, true},
		{"plain over two lines", "k: a\n  b@\n", 1, 4, true},
		{"plain over two lines with space at the end", "k: a  \n  b@\n", 1, 4, true},
		{"quotes over two lines", "k: \"a\n  b@\"\n", 1, 4, true},
		{"quotes with an escaped line break", "k: \"a\\\n  b@\"\n", 1, 4, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree, faults := document.Read("f.yaml", []byte(test.src))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			node := tree.Get("k")
			want := diag.Pos{File: "f.yaml", Line: test.line, Column: test.col}
			if got := node.At(strings.IndexByte(node.Text, '@')); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
			if node.Folded() != test.foldedText {
				t.Errorf("Folded() = %v", node.Folded())
			}
		})
	}
}

func TestCommentAfterSeesTextCutShort(t *testing.T) {
	t.Parallel()
	for src, column := range map[string]int{ // 0: there is no comment
		"k: meta #- 'x'":          9,
		"k: meta#x":               0,
		"k: é\t # c":              7,
		"k: 'meta' # a comment":   0,
		"k: meta\n# on its own":   0,
		"k: |\n  meta # in text":  0,
		"k: &a meta # cut":        12,
		"{k: meta, # of a map\n}": 0,
		"{k: meta # in a map\n}":  10,
	} {
		tree, _ := document.Read("f.yaml", []byte(src))
		if got, found := tree.Get("k").CommentAfter(); got.Column != column || found != (column > 0) {
			t.Errorf("%q: %v %v, want column %d", src, got, found, column)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a: 1", "a: &x [*x]", "{", "a: |\n  x", "\"\\ud83d\"", "? [a]\n: b", "a: !!x y", "- - - a\n---\n", "a: 2024-01-01 # c"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		tree, faults := document.Read("f.yaml", src)
		if tree == nil && len(faults) == 0 {
			t.Fatal("neither a tree nor a fault")
		}
		lines := strings.Split(strings.TrimPrefix(string(src), "\ufeff"), "\n")
		for _, d := range faults {
			if d.Pos.Line < 1 || d.Pos.Line > len(lines) || d.Pos.Column < 1 || d.Pos.Column > len([]rune(lines[d.Pos.Line-1]))+1 {
				t.Errorf("%v is not in the file", d)
			}
		}
	})
}

// What a fault says to write instead can be read, and is text. The advice for an alias goes on after it.
func FuzzAdviceToQuoteIsRight(f *testing.F) {
	for _, seed := range []string{"!a", "a ? b : c", "\"a\" in 'b'", "{a: b}", "[a", "*a", "&a", "- a", "#a", "a: b # c", "{k: a ? b : c, l: d}", "{[}]", "it's: \"", "%a", "a #: b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r\n") {
			return
		}
		tree, faults := document.Read("f.yaml", []byte("k: "+text))
		advice := []string{tree.Get("k").Quoted()}
		for _, d := range faults {
			hint, isQuoted := strings.CutPrefix(d.Hint, "quote it: ")
			if isQuoted && d.Code != diag.AmbiguousValue && d.Code != diag.KeyNotText {
				hint, _, _ = strings.Cut(hint, "; if it is an alias")
				advice = append(advice, hint)
			}
		}
		for _, line := range advice {
			if line == "" {
				continue
			}
			quoted, faults := document.Read("f.yaml", []byte(line))
			if len(faults) > 0 || !strings.HasSuffix(line, "'") {
				t.Errorf("%q: the advice %s cannot be read: %v", text, line, faults)
				continue
			}
			if quoted.Is(document.Map) {
				quoted = quoted.Children[0]
			}
			if !quoted.Is(document.Text) || !strings.Contains(text, quoted.Text) {
				t.Errorf("%q: the advice %s gives %q", text, line, quoted.Text)
			}
		}
	})
}
