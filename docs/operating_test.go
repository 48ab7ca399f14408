package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	optionShown = regexp.MustCompile("`Options\\.(\\w+)`(?:\\*\\*)?(?:,? \\(?(\\d[\\d,]*(?: (?:hour|minute|second)s?)?)\\)?)?")
	optionMade  = regexp.MustCompile(`(?m)^\tDefault(\w+) += (?:([\d_]+) \* )?(?:time\.)?(\w+)$`)
)

// The options that the operator's page names are there, and have the defaults that it shows beside them.
func TestOperatorsPageShowsOptionsAsTheyAre(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../runtime/options.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("operating.md")
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	for _, made := range optionMade.FindAllStringSubmatch(string(source), -1) {
		defaults[made[1]] = spelt(made[2], made[3])
	}
	_, fields, _ := strings.Cut(string(source), "type Options struct {")
	shown := optionShown.FindAllStringSubmatch(string(page), -1)
	if len(shown) == 0 || len(defaults) == 0 {
		t.Fatal("there are no options or no defaults: has their form changed?")
	}
	for _, option := range shown {
		name, value := option[1], option[2]
		if !regexp.MustCompile(`(?m)^\t.*\b` + name + `\b`).MatchString(fields) {
			t.Errorf("operating.md names Options.%s, which there is not", name)
		}
		if value != "" && value != defaults[name] {
			t.Errorf("operating.md says that Options.%s is %s by default, and it is %s", name, value, defaults[name])
		}
	}
}

// spelt is a default as the page writes it: 24, Hour is 24 hours.
func spelt(number, unit string) string {
	switch unit = strings.ToLower(unit); {
	case number == "" && unit >= "a": // time.Minute
		return "1 " + unit
	case number == "": // 10_000
		return strings.ReplaceAll(unit, "_", ",")
	}
	return number + " " + unit + "s"
}
