package parallel

import (
	"slices"
	"testing"
	"time"
)

// job does a bit of everything, and says in which order members of a team did what they did alone.
func job(threads int) (sums []int, order []int) {
	parts := make([]int, threads)
	Do(threads, func(thread int) { parts[thread]++ })
	chunked := make([]int, 7)
	Chunks(threads, 70, 10, func(chunk, lo, hi int) { chunked[chunk] = hi - lo })
	steps := make([]int, threads)
	Team(threads, func(m *Member) {
		for round := range 50 {
			steps[m.Number]++
			m.Alone(func() {
				for _, n := range steps {
					order = append(order, n-round-1) // 0 if all have come this far, and none further
				}
			})
		}
	})
	return slices.Concat(parts, chunked, steps), order
}

// TestTeam: what one member does alone, it does when all have come that far. A projection does the same work.
func TestTeam(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		sums, order := job(threads)
		if len(order) != 50*threads || slices.Max(order) != 0 || slices.Min(order) != 0 {
			t.Errorf("%d threads met at %v", threads, order)
		}
		var projected, projectedOrder []int
		if _, err := Project(threads, func() error { projected, projectedOrder = job(threads); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(sums, projected) || !slices.Equal(order, projectedOrder) {
			t.Errorf("%d threads: %v, %v; projected: %v, %v", threads, sums, order, projected, projectedOrder)
		}
	}
}

// TestProject: parts that go on side by side take as long as the longest of them.
func TestProject(t *testing.T) {
	const nap, slack = 2 * time.Millisecond, time.Millisecond
	rest := func(int) { time.Sleep(nap) }
	for _, test := range []struct {
		name  string
		saved time.Duration // at least
		job   func()
	}{
		{"do", 3 * nap, func() { Do(4, rest) }},
		{"chunks", 3 * nap, func() { Chunks(2, 6, 1, func(chunk, _, _ int) { rest(chunk) }) }},
		{"team", 2 * 3 * nap, func() {
			Team(4, func(m *Member) {
				rest(m.Number)
				m.Alone(func() { rest(0) })
				rest(m.Number)
			})
		}},
		{"nested", 3 * nap, func() { Do(2, func(int) { Do(2, rest) }) }},
	} {
		p, err := Project(4, func() error {
			end := Projection().Stage("rest")
			test.job()
			end()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if saved := p.Work - p.Path; saved < test.saved-slack {
			t.Errorf("%s: %v of work, %v of path", test.name, p.Work, p.Path)
		}
		if len(p.Stages) != 1 || p.Stages[0].Work > p.Work || p.Stages[0].Path > p.Path || p.Path-p.Stages[0].Path > slack {
			t.Errorf("%s: %v of %v", test.name, p.Stages, p)
		}
		if Projection() != nil {
			t.Fatal("the projection goes on")
		}
	}
}

// TestStages: a stage within another is not counted as its part, and none within what goes on side by side.
func TestStages(t *testing.T) {
	p, err := Project(2, func() error {
		c := Projection()
		defer c.Stage("outer")()
		time.Sleep(2 * time.Millisecond)
		end := c.Stage("inner")
		time.Sleep(5 * time.Millisecond)
		end()
		Do(2, func(int) { defer c.Stage("hidden")() })
		return nil
	})
	if err != nil || len(p.Stages) != 2 || p.Stages[0].Name != "outer" || p.Stages[1].Name != "inner" {
		t.Fatalf("%v, %v", p.Stages, err)
	}
	if outer, inner := p.Stages[0].Work, p.Stages[1].Work; inner < 5*time.Millisecond || outer < 2*time.Millisecond || outer+inner > p.Work {
		t.Errorf("%v of %v", p.Stages, p.Work)
	}
}
