// Package gather is group commit: what many callers want written at once goes to the database in one go, because making
// it durable costs the same for one write as for a hundred.
//
// Nobody works for others all the time. Whoever comes by a slot leads one batch, of its own item and of those that wait
// when it takes them, and then hands the slot to the first who has come since. A caller that finds a slot free leads a batch of
// one in its own goroutine. Nothing is held back for others to come while nothing else runs, and no timer or goroutine
// outlives a call.
//
// Batches that run beside each other are smaller, and each has a cost of its own. Where that counts, another begins only once
// enough callers wait to make up for it; or once the other is late, because nobody knows then when it ends.
package gather
