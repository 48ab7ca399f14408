package goname_test

import (
	"fmt"
	"strings"
	"testing"

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
		"2fa":             "2fa",
		"__leading":       "Leading",
		"trailing__":      "Trailing",
		"json_api_v2_url": "JSONAPIV2URL",
	} {
		if got := goname.Exported(name); got != want {
			t.Errorf("Exported(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestUnexported(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"set_setting": "setSetting", "url_list": "urlList", "id": "id", "delete": "delete", "rename_user_id": "renameUserID", "": "",
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

// A name made of letters and digits stays one, and making a name of it again changes nothing about its letters.
func FuzzExported(f *testing.F) {
	for _, seed := range []string{"set_setting", "URLs", "a.b", "2fa", "\xff", "ǆ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		exported := goname.Exported(name)
		if strings.ContainsAny(exported, "_-. \"`\n") {
			t.Errorf("Exported(%q) = %q", name, exported)
		}
		if first := strings.TrimLeft(name, "_"); first != "" && first[0] >= 'a' && first[0] <= 'z' && !goname.IsExported(exported) {
			t.Errorf("Exported(%q) = %q is not exported", name, exported)
		}
	})
}

func ExampleExported() {
	fmt.Println(goname.Exported("set_setting"), goname.Exported("callback-url"))
	// Output: SetSetting CallbackURL
}
