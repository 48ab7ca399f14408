package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// call is a command line that was understood.
type call struct {
	action action
	specs  []string
	dir    string // where generated files belong; "" beside each spec
}

// action is what a command line asks for.
type action int

const (
	generateFiles action = iota
	diffFiles
	showHelp
	showVersion
)

// The words of the command line.
const (
	generateCommand = "generate"
	diffCommand     = "diff"
	outputFlag      = "-o"
	helpFlag        = "--help"
	versionFlag     = "--version"
	endOfFlags      = "--"
	standardInput   = "-"
)

// parser takes a command line apart, from left to right.
type parser struct {
	call
	rest      []string
	flagsDone bool // after --
	dirGiven  bool
	named     bool // a command or a spec was seen
}

// parse understands a command line. Flags may stand anywhere before --. An error says what is wrong with it.
func parse(args []string) (call, error) {
	p := &parser{rest: args}
	for len(p.rest) > 0 {
		arg := p.rest[0]
		p.rest = p.rest[1:]
		if err := p.argument(arg); err != nil {
			return call{}, err
		}
		if p.action == showHelp || p.action == showVersion {
			return p.call, nil
		}
	}
	if len(p.specs) == 0 {
		return call{}, errors.New("no spec is named")
	}
	return p.call, nil
}

// argument takes in one argument.
func (p *parser) argument(arg string) error {
	switch {
	case p.flagsDone:
		return p.word(arg)
	case arg == endOfFlags:
		p.flagsDone = true
		return nil
	case arg == standardInput:
		return errors.New("a spec is read from a file, not from standard input: its place and name matter")
	case strings.HasPrefix(arg, "-"):
		return p.flag(arg)
	default:
		return p.word(arg)
	}
}

// flag takes in a flag, in any of the spellings -f, --f and -f=value.
func (p *parser) flag(arg string) error {
	name, value, hasValue := strings.Cut(arg, "=")
	switch "-" + strings.TrimLeft(name, "-") {
	case outputFlag:
		return p.output(value, hasValue)
	case "-h", "-help":
		p.action = showHelp
	case "-version":
		p.action = showVersion
	default:
		return unknown("flag", name, helpFlag, versionFlag, outputFlag)
	}
	if hasValue {
		return fmt.Errorf("%s takes no value", name)
	}
	return nil
}

// output takes in the directory of -o, from the same argument or from the next.
func (p *parser) output(dir string, given bool) error {
	if !given && len(p.rest) > 0 {
		dir, p.rest = p.rest[0], p.rest[1:]
	}
	switch {
	case dir == "":
		return fmt.Errorf("%s needs a directory", outputFlag)
	case p.dirGiven:
		return fmt.Errorf("%s is given twice", outputFlag)
	}
	p.dir, p.dirGiven = dir, true
	return nil
}

// word takes in a command or the name of a spec. The first word is a command unless it looks like the name of a file.
func (p *parser) word(arg string) error {
	first := !p.named && !p.flagsDone
	p.named = true
	switch {
	case arg == "":
		return errors.New("the name of a spec is empty")
	case first && arg == generateCommand:
		return nil
	case first && arg == diffCommand:
		p.action = diffFiles
		return nil
	case first && !strings.ContainsAny(arg, `./\`):
		return unknown("command", arg, generateCommand, diffCommand, helpFlag, versionFlag)
	}
	p.specs = append(p.specs, arg)
	return nil
}

// unknown is the error for a word that is none of the known ones.
func unknown(what, word string, known ...string) error {
	err := fmt.Errorf("unknown %s %s", what, diag.Quote(word))
	if near := diag.DidYouMean(word, known); near != "" {
		return fmt.Errorf("%w (%s)", err, near)
	}
	return err
}
