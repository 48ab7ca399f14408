package postgres

import "time"

// DefaultLease is how long others wait for a holder that they do not hear of before they take it for gone.
const DefaultLease = 30 * time.Second

// WithLeaseLength sets how long others wait for the holds of this store that they do not hear of: the default is DefaultLease,
// and so it is for a length that is not positive. A hold is renewed each third of that time, by the clock of this process, and
// is lost when it could not be for two thirds of it. Whatever is carried out then has the last third to come to an end. The
// clocks of the database and of this process may differ, but must run at much the same pace.
func WithLeaseLength(d time.Duration) Option {
	return func(o *options) { o.lease = leaseOf(d) }
}

func leaseOf(length time.Duration) lease {
	if length <= 0 {
		length = DefaultLease
	}
	return lease{length: length, renewal: length / 3, loss: length / 3 * 2}
}
