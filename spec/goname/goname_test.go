package goname_test

import (
	"fmt"
	"go/token"
	"strings"
	"testing"
	"unicode"

	"github.com/changesetgen/changesetgen/spec/goname"
)

func TestExported(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"set_setting":     "SetSetting",
		"value":           "Value",
		"id":              "ID",
		"user_id":         "UserID",
		"userId":          "UserID",
		"userID":          "UserID",
		"ids":             "IDs",
		"URLs":            "URLs",
		"url_list":        "URLList",
		"HTTPServer":      "HTTPServer",
		"httpServer":      "HTTPServer",
		"filter-query":    "FilterQuery",
		"a.b c/d":         "ABCD",
		"x2y":             "X2y",
		"set2_thing":      "Set2Thing",
		"ünïcode":         "Ünïcode",
		"already_Camel":   "AlreadyCamel",
		"GOOD":            "GOOD",
		"class":           "Class",
		"s":               "S",
		"_":               "",
		"":                "",
		"2fa":             "X2fa",
		"3gpp":            "X3gpp",
		"6to4Interface":   "X6to4Interface",
		"1":               "X1",
		"type":            "Type",
		"$meta":           "Meta",
		"日本":              "X日本",
		"get_日本":          "Get日本",
		"ﬁ":               "Xﬁ",
		"ǆ":               "Ǆ",
		"--":              "",
		"<=":              "",
		"\xff":            "",
		"+1":              "Plus1",
		"-1":              "Minus1",
		"-a":              "A",
		"a-1":             "A1",
		"a--1":            "AMinus1",
		"reactions-+1":    "ReactionsPlus1",
		"1-1":             "X1_1",
		"+":               "",
		"v1.10":           "V1_10",
		"v11.0":           "V11_0",
		"2024-01-31":      "X2024_01_31",
		"__leading":       "Leading",
		"trailing__":      "Trailing",
		"json_api_v2_url": "JSONAPIV2URL",
	} {
		if got := goname.Exported(name); got != want {
			t.Errorf("Exported(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"3gpp": "3gpp", "1": "1", "-1": "Minus1", "日本": "日本", "dark_theme": "DarkTheme", "": "", "_": "",
	} {
		if got := goname.Part(name); got != want {
			t.Errorf("Part(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestJoinKeepsNumbersApart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, part, want string }{
		{"Level", "1", "Level1"}, {"Level2", "1", "Level2_1"}, {"Level2", "A", "Level2A"}, {"", "1", "1"}, {"Level", "", "Level"},
	} {
		if got := goname.Join(test.name, test.part); got != test.want {
			t.Errorf("Join(%q, %q) = %q, want %q", test.name, test.part, got, test.want)
		}
	}
}

func TestUnexported(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"set_setting": "setSetting", "url_list": "urlList", "id": "id", "delete": "delete", "rename_user_id": "renameUserID",
		"1st": "x1st", "add_2_2": "add2_2", "": "",
	} {
		if got := goname.Unexported(name); got != want {
			t.Errorf("Unexported(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestIsExported(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"SetSetting": true, "Ünïcode": true, "": false, "2fa": false, "名": false, "low": false, "A-B": false} {
		if got := goname.IsExported(name); got != want {
			t.Errorf("IsExported(%q) = %v, want %v", name, got, want)
		}
	}
}

// Whatever has a letter or a digit has an exported name, which is an identifier, and nothing else has one.
func FuzzExported(f *testing.F) {
	for _, seed := range []string{"set_setting", "URLs", "a.b", "2fa", "\xff", "ǆ", "-1", "+", "日本", "e\u0301", "ß", "1.2.3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		exported := goname.Exported(name)
		sayable := strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		if sayable != (exported != "") || exported != "" && !goname.IsExported(exported) {
			t.Errorf("Exported(%q) = %q", name, exported)
		}
		if part := "X" + goname.Part(name); !goname.IsExported(part) {
			t.Errorf("a name that ends in Part(%q) is %q", name, part)
		}
		if unexported := goname.Unexported(name); sayable && !token.IsIdentifier(unexported+"Operation") {
			t.Errorf("Unexported(%q) = %q", name, unexported)
		}
	})
}

func ExampleExported() {
	fmt.Println(goname.Exported("set_setting"), goname.Exported("callback-url"))
	// Output: SetSetting CallbackURL
}
