package par

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// Member is one thread of a team.
type Member struct {
	Number int // from 0
	Of     int // members in the team
	rounds int64
	done   []counter // rounds that each member has done; those of member 0 include what it does alone
}

// Team calls work once for each member, each on a thread of its own.
func Team(threads int, work func(m *Member)) {
	done := make([]counter, max(threads, 1))
	Do(threads, func(thread int) {
		defer done[thread].Store(math.MaxInt64) // if it panics, the others don't wait for it forever
		work(&Member{Number: thread, Of: len(done), done: done})
	})
}

// Alone has member 0 call f when all members have come this far, and lets none of them go
// on until f returns. All members must call it equally often.
func (m *Member) Alone(f func()) {
	m.rounds++
	if m.Number > 0 {
		m.done[m.Number].Store(m.rounds)
		m.done[0].wait(m.rounds)
		return
	}
	for other := 1; other < m.Of; other++ {
		m.done[other].wait(m.rounds)
	}
	f()
	m.done[0].Store(m.rounds)
}

// counter counts what one thread has done for others, on a line of the cache of its own.
type counter struct {
	atomic.Int64
	_ [120]byte // CPUs fetch lines in pairs
}

// wait waits until n is reached: spinning while this can't take long, then letting
// others have the processor, as the thread waited for may be waiting for one. To sleep
// takes far longer than what teams do between two meetings, so it comes last, after half
// a millisecond or more.
func (c *counter) wait(n int64) {
	const spins, yields = 1 << 10, 1 << 12
	for try := 0; c.Load() < n; try++ {
		switch {
		case try > spins+yields:
			time.Sleep(20 * time.Microsecond)
		case try > spins:
			runtime.Gosched()
		}
	}
}
