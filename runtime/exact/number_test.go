package exact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func TestNumberSpellsEachValueOneWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, literal, want string }{
		{"zero", "0", "0"},
		{"negative zero", "-0", "0"},
		{"zero with places", "-0.000", "0"},
		{"zero with an exponent", "0e5", "0"},
		{"an integer beyond 2^53", "9007199254740993", "9007199254740993"},
		{"zeros at the end of an integer", "1000", "1000"},
		{"an exponent", "1e3", "1000"},
		{"an exponent within the digits", "12.345E+2", "1234.5"},
		{"an exponent that uses up the digits", "12.345e3", "12345"},
		{"a negative exponent", "1e-7", "0.0000001"},
		{"a negative exponent within the digits", "12345e-2", "123.45"},
		{"a negative exponent that makes an integer", "1200e-2", "12"},
		{"zeros at the end", "1.50", "1.5"},
		{"an integer with places", "1.000", "1"},
		{"less than one", "0.1e1", "1"},
		{"a negative number", "-12.50", "-12.5"},
		{"the largest power of ten", "1e308", "1" + strings.Repeat("0", 308)},
		{"the smallest step", "1e-400", "0." + strings.Repeat("0", 399) + "1"},
		{"a plus sign, as SQL allows", "+7.0", "7"},
		{"zeros in front, as SQL allows", "007.5", "7.5"},
		{"nothing before the point, as SQL allows", "-.5", "-0.5"},
		{"nothing after the point, as SQL allows", "5.", "5"},
		{"a float as SQLite prints it", "1.0e+06", "1000000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := exact.Number(test.literal)
			if err != nil || got != test.want {
				t.Errorf("Number(%q) = %q, %v; want %q", test.literal, got, err, test.want)
			}
		})
	}
}

func TestNumberRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, literal := range []string{
		"", " ", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+", "1.2.3", "1 ", " 1", "--1", "1_000", "1,5", "0x10", "1e5.5",
		"NaN", "Infinity", "-Inf", "١", "1e309", "1e-401", strings.Repeat("9", 401),
	} {
		got, err := exact.Number(literal)
		var fault *exact.Error
		if !errors.As(err, &fault) || fault.Cause != exact.ErrNumber || fault.Path != "" || fault.Offset != -1 {
			t.Errorf("Number(%q) = %q, %v; want an ErrNumber without a place", literal, got, err)
		}
	}
}
