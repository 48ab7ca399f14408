package generator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// namedTypes declares types: what gives the sentence of a type's doc comment, without its end. Enums that follow each
// other are declared together.
func namedTypes(types []*schema.Type, what func(*schema.Type) string) []emit.Decl {
	doc := func(t *schema.Type) string { return quoting(t.GoName+" is "+what(t), t.Doc) }
	var decls []emit.Decl
	var enums []*schema.Type
	endEnums := func() {
		if len(enums) > 0 {
			decls, enums = append(decls, enumTypes(enums, doc)...), nil
		}
	}
	for _, t := range types {
		switch {
		case t.GoName == "":
		case t.Kind == schema.Enum:
			enums = append(enums, t)
		default:
			endEnums()
			decls = append(decls, namedType(t, doc(t))...)
		}
	}
	endEnums()
	return decls
}

// namedType declares a type that is no enum, with what belongs to it.
func namedType(t *schema.Type, doc string) []emit.Decl {
	switch t.Kind {
	case schema.Object:
		return structType(t, doc)
	case schema.Union:
		return unionType(t, doc)
	default: // an array or a map
		return []emit.Decl{emit.Type{Doc: []string{doc}, Name: t.GoName, Of: literalType(t)}}
	}
}

// pathIn says where a type is declared: payload.key of set_setting.
func pathIn(t *schema.Type, owner string) string { return t.Path + " of " + owner }

// quoting ends a sentence of ours with the first thing that the spec says, if it says something.
func quoting(sentence string, said ...string) string {
	for _, s := range said {
		if s = strings.TrimSpace(s); s != "" {
			sentence += ": " + s
			break
		}
	}
	return ended(sentence)
}

// ended is a sentence with its full stop.
func ended(sentence string) string {
	if last, _ := utf8.DecodeLastRuneInString(sentence); unicode.IsPunct(last) && last != '_' {
		return sentence
	}
	return sentence + "."
}
