package spec

import "github.com/changesetgen/changesetgen/spec/diag"

// requestID is the argument of every preview by which a call that is made again finds the change of the first.
const requestID = "request_id"

// checkReserved reports a property of the payload that could not be given, because a preview takes it for its own.
func (c *checker) checkReserved(d *declaredOperation, op *Operation) {
	if property := d.payload.Get("properties").Get(requestID); property != nil {
		c.faultsOf(op, diag.List{property.KeyFault(diag.ReservedName, "give it another name, as "+op.Name+"_request",
			"%s is an argument of every preview, which finds the change that an earlier call made", diag.Quote(requestID))})
	}
}
