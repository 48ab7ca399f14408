package schema

import (
	"slices"

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

// checkFormat reports a format that nothing knows: it is nearly always a slip of the pen.
func (r *Reader) checkFormat(node *document.Node) {
	format := node.Get("format")
	if format.Is(document.Text) && !slices.Contains(formats, format.Text) {
		hint := diag.DidYouMean(format.Text, formats)
		if hint == "" {
			hint = "say it in the description, or write a pattern"
		}
		r.fault(format.Fault(diag.UnknownFormat, hint, "no format is called %s", diag.Quote(format.Text)))
	}
}
