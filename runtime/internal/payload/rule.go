package payload

import (
	"math/big"
	"regexp"
)

// rule is one schema, with what its checks need worked out once.
type rule struct {
	id       int
	location string         // of the library
	node     map[string]any // as it was written; nil for true and false, and for what is not in this document

	constant *bool // true and false as schemas; nil for all others
	// shared marks a rule that several others lead to. What it says of a value is remembered, so that no value is asked
	// about twice; every other rule is reached on one way only.
	shared bool
	// tracks marks a rule that has to tell which parts of a value it speaks of, for an unevaluated… around it.
	tracks bool

	sensitive bool // what it is about is
	leads     bool // it is sensitive, or may lead to a rule that is

	kinds  kind // that are allowed
	allows []allowance
	format func(string) bool // asserted; nil for none

	length, members, items span
	pattern                *pattern
	bounds                 []bound

	objectRules
	arrayRules
	inPlace
}

// place names the rule in a message.
func (u *rule) place() string { return placeOf(pointerOf(fragment(u.location))) }

func placeOf(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return place(pointer)
}

// allowance is enum or const.
type allowance struct {
	keyword string
	values  map[string]bool // their identities
	deep    bool            // some of them are objects or arrays
}

// span bounds a count; max is -1 where there is no bound, and min where there is none.
type span struct{ min, max int }

func (s span) tooFew(n int) bool  { return n < s.min }
func (s span) tooMany(n int) bool { return s.max >= 0 && n > s.max }

// bound is a keyword about the size of a number.
type bound struct {
	keyword string
	limit   *big.Rat
	small   int64 // the limit, where isSmall says that it is an integer of 64 bits
	isSmall bool
}

// pattern is a regular expression and what it costs.
type pattern struct {
	expression *regexp.Regexp
	size       int // instructions of its program
}

// objectRules are about the properties of an object.
type objectRules struct {
	required          []string
	properties        map[string]*rule
	names             []string // of properties, in order
	patterns          []patternRule
	additional        *rule // of properties that are in neither; nil for none
	propertyNames     *rule
	dependentRequired []dependency
	unevaluated       *rule
	known             []string // properties that the rule and all in place of it speak of, where unevaluated is there
	knowsMore         bool     // as above: some of them are known by a pattern, or all are
}

type patternRule struct {
	pattern
	rule *rule
}

// dependency says which properties have to be there when another is.
type dependency struct {
	given    string
	required []string
}

// arrayRules are about the items of an array.
type arrayRules struct {
	unique           bool
	prefix           []*rule
	others           *rule // of items after the prefix; nil for none
	contains         *rule
	contained        span
	unevaluatedItems *rule
}

// inPlace are the rules that are about the same value.
type inPlace struct {
	always    []part // $ref and allOf
	dependent []dependentRule
	unions    []union
	not       *rule
	condition *rule // if
	then      *rule
	otherwise *rule
}

// part is a rule that must hold, with the keyword that says so.
type part struct {
	keyword string
	rule    *rule
}

// dependentRule holds when a property is there.
type dependentRule struct {
	given string
	rule  *rule
}

// union is anyOf or oneOf.
type union struct {
	keyword  string
	branches []*rule
	values   []any // that its branches allow, if they do nothing but list values
	tag      *tag  // what tells its branches apart; nil for nothing
}

func (u union) exclusive() bool { return u.keyword == "oneOf" }

// around lists the rules in place of this one.
func (p *inPlace) around() []*rule {
	var rules []*rule
	for _, part := range p.always {
		rules = append(rules, part.rule)
	}
	for _, d := range p.dependent {
		rules = append(rules, d.rule)
	}
	for _, u := range p.unions {
		rules = append(rules, u.branches...)
	}
	for _, one := range []*rule{p.not, p.condition, p.then, p.otherwise} {
		if one != nil {
			rules = append(rules, one)
		}
	}
	return rules
}
