package spec

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// coverage finds what of a value every preview shows: of the payload, or of an item of a list in it.
type coverage struct {
	checker *checker
	op      *Operation
	auto    bool       // the rows are those of diff: auto
	list    *expr.Path // whose items are covered; nil: the payload
	shown   [][]string // where the paths lead that are shown
}

// checkFields goes down to the fields of which some are shown. Null in the place of an object, and members that have no
// field, are shown only by a path to the object itself. So is an object that contains itself, which has no end, but for
// the part of it that paths go into, and one that may be left out, but where something shown tells that it is there.
func (v *coverage) checkFields(of *schema.Type, above []string, within ...*schema.Type) {
	if isShown(above, v.shown) {
		return
	}
	if of.Others != nil {
		v.fault(of.Pos, "a member of "+v.quote(above)+" that has no name here", above)
	}
	within = append(slices.Clip(within), of)
	for _, field := range of.Fields {
		names := append(slices.Clone(above), field.Name)
		t := field.Use.Type
		switch {
		case isShown(names, v.shown):
		case t.Kind != schema.Object || field.Use.Nullable || slices.Contains(within, t) && !goesInto(names, v.shown):
			v.fault(field.Pos, v.quote(names), names)
		case field.Required || tellsPresence(t, names, v.shown):
			v.checkFields(t, names, within...)
		case goesInto(names, v.shown):
			v.fault(field.Pos, "whether "+v.quote(names)+" is there, empty or not at all,", names)
		default:
			v.fault(field.Pos, v.quote(names), names)
		}
	}
}

// addLists adds the lists that rows go through item by item, and reports what these rows do not show of them.
func (v *coverage) addLists() {
	for i, row := range v.op.Diff {
		list := row.Each
		if list == nil || list.Root != expr.Payload || isShown(list.Names(), v.shown) {
			continue
		}
		if !tellsEmpty(list) {
			v.fault(row.Pos, "whether "+v.quote(list.Names())+" is there, empty or not at all,", list.Names())
		}
		v.checkItems(list, v.op.Diff[i:])
		v.shown = append(v.shown, list.Names())
	}
}

// tellsEmpty tells whether the rows for the items of a list tell an empty list from none at all: there is no row for
// either, so that only one of them may be possible.
func tellsEmpty(list *expr.Path) bool {
	if !list.Of.MayBeAbsent && !list.Of.Nullable {
		return true
	}
	last := list.Fields[len(list.Fields)-1]
	return list.Of.Use.Type.NeverEmpty() && (last.Required || !last.Use.Nullable)
}

// checkItems reports what rows do not show of the items of a list.
func (v *coverage) checkItems(list *expr.Path, rows []Row) {
	items := &coverage{checker: v.checker, op: v.op, list: list}
	for _, row := range rows {
		if row.Each == nil || row.Each.String() != list.String() {
			continue
		}
		for _, node := range row.shows() {
			if path, ok := node.(*expr.Path); ok && path.Root == expr.Item {
				items.shown = append(items.shown, path.Names())
			}
		}
	}
	item := list.Of.Use.Type.Elem
	switch {
	case isShown(nil, items.shown):
	case item.Type.Kind == schema.Object && !item.Nullable:
		items.checkFields(item.Type, nil)
	default:
		items.fault(list.Fields[len(list.Fields)-1].Pos, items.quote(nil), nil)
	}
}

// fault reports what no preview shows.
func (v *coverage) fault(pos diag.Pos, what string, names []string) {
	v.checker.fault(diag.Diagnostic{
		Pos: pos, Where: "operations." + v.op.Name + ".payload", Code: diag.UnshownPayload,
		Message: what + " is never shown to the person who approves",
		Hint:    v.hint(names),
	})
}

// hint is what to write so that something is shown.
func (v *coverage) hint(names []string) string {
	switch {
	case v.list != nil:
		return "write a row of the diff with each: " + v.list.String() + " and after: " + showing(expr.Item, names)
	case v.auto:
		return "write the rows in place of auto, one of them with after: " + showing(expr.Payload, names)
	}
	hint := "write a row of the diff with after: " + showing(expr.Payload, names)
	switch use, certain := useAt(v.op.Payload, names); {
	case use.HoldsSensitive(): // which no text may tell
	case certain:
		hint += ", or name it in the summary"
	case v.op.names(names):
		hint += "; in a text, none, null and the string (none) look alike"
	}
	return hint
}

func (v *coverage) quote(names []string) string {
	path := string(expr.Payload)
	if v.list != nil {
		path = v.list.String() + "[]"
	}
	return diag.Quote(strings.Join(append([]string{path}, names...), "."))
}

// tellsPresence tells whether a path leads to what an object that is not nullable always has, so that its value is there
// exactly if the object is.
func tellsPresence(of *schema.Type, above []string, shown [][]string) bool {
	return slices.ContainsFunc(of.Fields, func(field *schema.Field) bool {
		names := append(slices.Clone(above), field.Name)
		if !field.Required || field.Use.Nullable {
			return false
		}
		t := field.Use.Type
		return t.Kind != schema.Raw && isShown(names, shown) || t.Kind == schema.Object && goesInto(names, shown) && tellsPresence(t, names, shown)
	})
}

// isShown tells whether a path leads to a value, or to what holds it.
func isShown(names []string, shown [][]string) bool {
	return slices.ContainsFunc(shown, func(path []string) bool { return len(path) <= len(names) && meet(path, names) })
}

// goesInto tells whether a path leads to a part of a value.
func goesInto(names []string, shown [][]string) bool {
	return slices.ContainsFunc(shown, func(path []string) bool { return len(path) > len(names) && meet(path, names) })
}

// showing is the shortest path that shows a field: what holds it, if its name cannot stand in a path.
func showing(root expr.Root, names []string) string {
	path := string(root)
	for _, name := range names {
		if !expr.IsName(name) {
			return path
		}
		path += "." + name
	}
	return path
}

// useAt is what names lead to, or what holds it, and whether that is always there in a value and never null.
func useAt(of *schema.Type, names []string) (use schema.Use, certain bool) {
	use, certain = schema.Use{Type: of}, true
	for _, name := range names {
		i := slices.IndexFunc(use.Type.Fields, func(field *schema.Field) bool { return field.Name == name })
		if i < 0 {
			break
		}
		field := use.Type.Fields[i]
		use, certain = field.Use, certain && field.Required && !field.Use.Nullable
	}
	return use, certain
}

// isCertain tells whether what names lead to, or what holds it, is always there in a value and never null.
func isCertain(of *schema.Type, names []string) bool {
	_, certain := useAt(of, names)
	return certain
}
