package parallel

import (
	"iter"
	"slices"
	"sync/atomic"
	"time"
)

// Projected is what a job took, and would take.
type Projected struct {
	Work   time.Duration // of all threads together
	Path   time.Duration // from begin to end, each thread having a processor of its own
	Stages []Stage       // in the order in which they began
}

// Stage is a part of a job that has a name. What belongs to a stage within it is not counted.
type Stage struct {
	Name       string
	Work, Path time.Duration
}

// Project runs a job, which must ask for so many threads, as its own only thread: what
// threads would do side by side is done in turn and timed, and the longest of the
// parts that end together is what all of them would take. Starting a thread and meeting
// others cost what they cost between two processors of this machine. The result is the
// critical path of the job, and a projection: it presumes that memory and caches are as
// fast for many threads as for one. What the job does on goroutines of its own, beside
// this package and package ordered, is done as ever. Only one projection may go on in a
// process, and no other work.
func Project(processors int, job func() error) (Projected, error) {
	c := &Clock{processors: processors}
	if processors > 1 {
		c.start, c.meet = costs()
	}
	c.began = time.Now()
	current.Store(c)
	defer current.Store(nil)
	err := job()
	work := time.Since(c.began)
	return Projected{work, work - c.saved, c.stages}, err
}

// current is the clock of the projection that goes on.
var current atomic.Pointer[Clock]

// Projection is the clock of the projection that goes on, or nil.
func Projection() *Clock { return current.Load() }

// costs measures what it takes to start a thread and wait for its end, and for two to meet.
func costs() (start, meet time.Duration) {
	const tries, rounds = 5, 500
	start, meet = time.Hour, time.Hour
	for range tries {
		began := time.Now()
		for range rounds {
			Do(2, func(int) {})
		}
		start = min(start, time.Since(began)/rounds)
		began = time.Now()
		Team(2, func(m *Member) {
			for range rounds {
				m.Alone(func() {})
			}
		})
		meet = min(meet, time.Since(began)/rounds)
	}
	return start, meet
}

// Clock tells the time of a projection: that which has passed, less what more processors
// would have saved.
type Clock struct {
	processors  int
	start, meet time.Duration
	began       time.Time
	saved       time.Duration
	depth       int // of parts within parts
	stages      []Stage
	within      []int // numbers of the stages that have begun
	charged     struct{ work, path time.Duration }
}

// Now is the time since the job began.
func (c *Clock) Now() time.Duration { return time.Since(c.began) - c.saved }

// Took makes the time that has passed since a moment be so long.
func (c *Clock) Took(since, path time.Duration) { c.saved += c.Now() - since - path }

// Time tells how long f takes, a part of what is done side by side. Stages within it are
// not told apart, as others go on meanwhile.
func (c *Clock) Time(f func()) time.Duration {
	c.depth++
	from := c.Now()
	f()
	c.depth--
	return c.Now() - from
}

// do is [Do].
func (c *Clock) do(threads int, work func(thread int)) {
	if threads < 2 {
		work(0)
		return
	}
	began, longest := c.Now(), time.Duration(0)
	for thread := range threads {
		longest = max(longest, c.Time(func() { work(thread) }))
	}
	c.Took(began, longest+c.start)
}

// chunks is [Chunks].
func (c *Clock) chunks(threads, count int, one func(chunk int)) {
	busy := make([]time.Duration, max(threads, 1))
	began := c.Now()
	for k := range count {
		first := slices.Index(busy, slices.Min(busy))
		busy[first] += c.Time(func() { one(k) })
	}
	if threads > 1 {
		c.Took(began, slices.Max(busy)+c.start)
	}
}

// team is [Team]: members are coroutines, each of which runs until it meets the others.
func (c *Clock) team(threads int, work func(m *Member)) {
	began, path := c.Now(), c.start
	resume := make([]func() (struct{}, bool), threads)
	for k := range resume {
		m := &Member{Number: k, Of: threads}
		var stop func()
		resume[k], stop = iter.Pull(func(yield func(struct{}) bool) {
			m.yield = yield
			work(m)
		})
		defer stop()
	}
	for meet := true; meet; {
		longest := time.Duration(0)
		for k := range resume {
			longest = max(longest, c.Time(func() { _, meet = resume[k]() }))
		}
		if path += longest; meet {
			path += c.meet + c.Time(func() { resume[0]() }) // what member 0 does alone
		}
	}
	c.Took(began, path)
}

// Stage counts the time until end is called as that of a stage.
func (c *Clock) Stage(name string) (end func()) {
	if c.depth > 0 {
		return func() {}
	}
	at := slices.IndexFunc(c.stages, func(s Stage) bool { return s.Name == name })
	if at < 0 {
		at = len(c.stages)
		c.stages = append(c.stages, Stage{Name: name})
	}
	c.charge()
	c.within = append(c.within, at)
	return func() {
		c.charge()
		c.within = c.within[:len(c.within)-1]
	}
}

// charge counts the time that has passed as that of the innermost stage.
func (c *Clock) charge() {
	work := time.Since(c.began)
	path := work - c.saved
	if n := len(c.within); n > 0 {
		s := &c.stages[c.within[n-1]]
		s.Work += work - c.charged.work
		s.Path += path - c.charged.path
	}
	c.charged.work, c.charged.path = work, path
}
