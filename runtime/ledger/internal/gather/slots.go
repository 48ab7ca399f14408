package gather

import (
	"slices"
	"time"
)

// give gives free slots to the first who wait, where that is worth it.
func (q *Queue[T]) give() {
	for now := time.Now(); len(q.began) < q.Slots && len(q.waiting) > 0 && q.isWorth(now); {
		first := q.waiting[0]
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.began = append(q.began, now)
		first.told <- word{leads: true, began: now}
	}
}

// isWorth tells whether those who wait are enough for another batch, beside what is under way and not late.
func (q *Queue[T]) isWorth(now time.Time) bool {
	return len(q.began) == 0 || len(q.waiting) >= q.Worth || q.Late > 0 && q.untilLate(now) <= 0
}

// untilLate is how long it takes until all is late that is under way now; 0 or less if it is.
func (q *Queue[T]) untilLate(now time.Time) time.Duration {
	return slices.MaxFunc(q.began, time.Time.Compare).Add(q.Late).Sub(now)
}

// handOn gives back a slot that was given at that time, and so to who waits for it.
func (q *Queue[T]) handOn(began time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.began, began)
	q.began = slices.Delete(q.began, at, at+1)
	q.give()
	q.freed.Broadcast()
}

// look is for who waits, because nobody else tells of what has become late: it gives a slot that is free because of that, and
// says when to look again. That is never where nobody waits for enough others.
func (q *Queue[T]) look() <-chan time.Time {
	if q.Late <= 0 || q.Slots == 1 || q.Worth <= 1 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.give()
	again, now := q.Late, time.Now()
	for _, began := range q.began {
		if next := began.Add(q.Late).Sub(now); next > 0 {
			again = min(again, next) // it may be the last, because later ones end before
		}
	}
	return time.After(again)
}
