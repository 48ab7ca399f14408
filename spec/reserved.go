package spec

import (
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// requestID is the argument of every preview by which a call that is made again finds the change of the first.
const requestID = "request_id"

// checkReserved reports properties of the payload that could not be given, because a preview takes them for its own.
func (c *checker) checkReserved(payload schema.Root, op *Operation) {
	for _, named := range payload.Namings(requestID) {
		d := named.KeyFault(diag.ReservedName, "give it another name, as "+op.Name+"_request",
			"%s is an argument of every preview, which finds the change that an earlier call made", diag.Quote(requestID))
		c.faultsOf(op, diag.List{d})
	}
}
