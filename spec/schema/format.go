package schema

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/internal/format"
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// formats are those of JSON Schema 2020-12 and those that OpenAPI registers, in order.
var formats = []string{
	"base64url", "binary", "byte", "char", "commonmark", "date", "date-time", "date-time-local", "decimal", "decimal128",
	"double", "double-int", "duration", "email", "float", "hostname", "html", "http-date", "idn-email", "idn-hostname",
	"int16", "int32", "int64", "int8", "ipv4", "ipv6", "iri", "iri-reference", "json-pointer", "media-range", "password",
	"regex", "relative-json-pointer", "sf-binary", "sf-boolean", "sf-decimal", "sf-integer", "sf-string", "sf-token", "time",
	"time-local", "uint16", "uint32", "uint64", "uint8", "unixtime", "uri", "uri-reference", "uri-template", "uuid",
}

// dateTime is the format that has a Go type of its own.
const dateTime = "date-time"

// checkAsserted reports a format that cannot be asserted, where formats are.
func (h *handingOut) checkAsserted(node *document.Node) {
	named := node.Get("format")
	if !h.reading.options.Formats || !named.Is(document.Text) || format.Check(named.Text) != nil {
		return
	}
	h.reading.reader.fault(named.Fault(diag.UnassertedFormat, "leave it out, and write a pattern",
		"format %s cannot be asserted; those that can are %s", diag.Quote(named.Text), strings.Join(format.Names(), ", ")))
}

// checkFormat reports a format that nothing knows: it is nearly always a slip of the pen.
func (r *Reader) checkFormat(node *document.Node) {
	named := node.Get("format")
	if named.Is(document.Text) && !slices.Contains(formats, named.Text) {
		hint := diag.DidYouMean(named.Text, formats)
		if hint == "" {
			hint = "say it in the description, or write a pattern"
		}
		r.fault(named.Fault(diag.UnknownFormat, hint, "no format is called %s", diag.Quote(named.Text)))
	}
}
