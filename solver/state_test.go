package solver

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// outcome is all that comes of a solution of several problems.
type outcome struct {
	weights    [][]float32
	alpha      [][]float64
	intercepts []float64
	stats      []Stats
}

func (a *outcome) equal(b *outcome) bool {
	return slices.EqualFunc(a.weights, b.weights, slices.Equal[[]float32]) && slices.EqualFunc(a.alpha, b.alpha, slices.Equal[[]float64]) &&
		slices.Equal(a.intercepts, b.intercepts) && slices.Equal(a.stats, b.stats)
}

// solved solves one problem, or several side by side.
func solved(ctx context.Context, problems []trial, o Options) (*outcome, error) {
	s := opened(problems[0].X, nil)
	defer s.Close()
	results, err := s.solve(ctx, problems, o)
	if err != nil {
		return nil, err
	}
	out := outcome{alpha: s.alphas()}
	for _, r := range results {
		out.weights, out.intercepts, out.stats = append(out.weights, r.Weights), append(out.intercepts, r.Intercept), append(out.stats, r.Stats)
	}
	return &out, nil
}

// kept has every state of a solution.
func kept(states *[][]byte) func(State) error {
	return func(s State) error {
		*states = append(*states, s.Append(nil))
		return nil
	}
}

// toTheEnd follows a solution that is resumed until it is over.
const toTheEnd = math.MaxInt

// resumes stops a solution after epochs, and has another solver go on from there for as many
// more as follow says, none for epochs that are left out: by the same states, to the same bits.
func resumes(t *testing.T, problems []trial, o Options, follow func(epoch, epochs int) int) {
	t.Helper()
	var states [][]byte
	o.Checkpoint = kept(&states)
	want, err := solved(t.Context(), problems, o)
	if err != nil {
		t.Fatal(err)
	}
	for at := range states {
		most := follow(at+1, len(states))
		if most == 0 {
			continue
		}
		if most == toTheEnd {
			stops(t, problems, o, states, at)
		}
		if most := StateBytes(problems[0].X.Rows, problems[0].X.Cols, len(problems)); int64(len(states[at])) > most {
			t.Errorf("a state of %d bytes, at most %d are said", len(states[at]), most)
		}
		o := o
		o.Resume, o.Threads = states[at], 3-o.Threads
		var later [][]byte
		ctx, cancel := context.WithCancel(t.Context())
		o.Checkpoint = func(s State) error {
			if later = append(later, s.Append(nil)); len(later) == most {
				cancel()
			}
			return nil
		}
		got, err := solved(ctx, problems, o)
		if rest := states[at+1:]; !slices.EqualFunc(later, rest[:min(most, len(rest))], bytes.Equal) {
			t.Errorf("resumed after epoch %d of %d: other states", at+1, len(states))
		}
		switch {
		case err == context.Canceled && len(later) == most:
		case err != nil:
			t.Fatalf("resumed after epoch %d: %v", at+1, err)
		case !got.equal(want):
			t.Errorf("resumed after epoch %d of %d: another result: %+v, want %+v", at+1, len(states), got.stats, want.stats)
		}
		cancel()
	}
}

// stops stops a solution after an epoch, in its state.
func stops(t *testing.T, problems []trial, o Options, states [][]byte, at int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last State
	var state []byte
	o.Checkpoint = func(s State) error {
		if last = s; s.Epoch == at+1 {
			state = s.Append([]byte("before"))
			cancel()
		}
		return nil
	}
	if _, err := solved(ctx, problems, o); last.Epoch != at+1 || last.Done != (at == len(states)-1) || !last.Done && err != context.Canceled {
		t.Fatalf("stopped after epoch %d of %d (%v): %v", last.Epoch, len(states), last.Done, err)
	}
	if !bytes.Equal(state[len("before"):], states[at]) {
		t.Fatalf("epoch %d: another state the second time", at+1)
	}
}

// TestResume resumes after every epoch. As the state of each leads to the next ones, only some
// are followed to the end.
func TestResume(t *testing.T) {
	for _, loss := range losses {
		for _, valued := range []bool{false, true} {
			for _, unit := range []bool{false, true} {
				for _, n := range []int{1, 3} {
					t.Run(fmt.Sprintf("%v valued=%v unit=%v problems=%d", loss, valued, unit, n), func(t *testing.T) {
						rng := rand.New(rand.NewPCG(21, uint64(loss)))
						problems := sideBySide(rng, n, 300, 40, valued, true, unit)
						for i := range 20 {
							problems[0].Mass[7*i] = 0 // Mass is what all have in common
						}
						o := DefaultOptions()
						o.Loss, o.Tol, o.MaxEpochs, o.Threads = loss, 1e-4, 70, 1
						resumes(t, problems, o, func(epoch, epochs int) int {
							if epoch%7 == 1 || epoch >= epochs-1 {
								return toTheEnd
							}
							return 2
						})
						o.Tol, o.MaxEpochs, o.Bias, o.Shrinking = 1e-7, 40, 0, false // certificates in double precision, and the epoch limit
						if n > 1 {
							o.Tol = LeastGroupTol
						}
						resumes(t, problems, o, func(epoch, epochs int) int {
							switch {
							case epoch == 14 || epoch == epochs:
								return toTheEnd
							case epoch%7 == 0:
								return 2
							}
							return 0
						})
					})
				}
			}
		}
	}
}

// TestResumeSides: with columns that threads share out, and columns of one row.
func TestResumeSides(t *testing.T) {
	for _, loss := range losses {
		for _, threads := range []int{1, 2} {
			o := DefaultOptions()
			o.Loss, o.MaxEpochs, o.Threads = loss, 8, threads
			resumes(t, []trial{wide(loss == Hinge)}, o, func(epoch, _ int) int {
				if epoch == 1 || epoch == 6 {
					return toTheEnd
				}
				return 0
			})
		}
	}
}

// TestResumeSample: within the sample of a group of many rows, and after it.
func TestResumeSample(t *testing.T) {
	if testing.Short() {
		t.Skip("many rows")
	}
	for _, loss := range []Loss{Hinge, SquaredHinge} {
		o := DefaultOptions()
		o.Loss = loss
		resumes(t, manyRows(), o, func(epoch, epochs int) int {
			switch epoch {
			case 2:
				return sampleEpochs // past the sample
			case sampleEpochs + 1, epochs - 1:
				return toTheEnd
			}
			return 0
		})
	}
}

// stateOf is the state of a small solution after an epoch.
func stateOf(t testing.TB, problems []trial, o Options, epoch int) []byte {
	t.Helper()
	var states [][]byte
	o.Checkpoint = kept(&states)
	if _, err := solved(t.Context(), problems, o); err != nil {
		t.Fatal(err)
	}
	return states[epoch-1]
}

// TestOtherState: the state of another problem, or of none, is refused and named.
func TestOtherState(t *testing.T) {
	for _, n := range []int{1, 3} {
		problems := sideBySide(rand.New(rand.NewPCG(23, 1)), n, 60, 20, true, true, true)
		state := stateOf(t, problems, DefaultOptions(), 3)
		for name, change := range map[string]func(p []trial, o *Options){
			"loss":       func(_ []trial, o *Options) { o.Loss = Hinge },
			"tol":        func(_ []trial, o *Options) { o.Tol = 1e-2 },
			"max epochs": func(_ []trial, o *Options) { o.MaxEpochs++ },
			"bias":       func(_ []trial, o *Options) { o.Bias = 2 },
			"seed":       func(_ []trial, o *Options) { o.Seed++ },
			"shrinking":  func(_ []trial, o *Options) { o.Shrinking = false },
			"labels":     func(p []trial, _ *Options) { p[n-1].Positive[3] = !p[n-1].Positive[3] },
			"costs":      func(p []trial, _ *Options) { p[n-1].Costs.Positive *= 2 },
			"scales":     func(p []trial, _ *Options) { p[n-1].ColScale[3]++ },
			"columns":    func(p []trial, _ *Options) { p[0].X.Cols++; addColumn(p) },
			"entries":    func(p []trial, _ *Options) { dropEntry(p[0].X) },
			"values":     func(p []trial, _ *Options) { p[0].X.Values[5]++ },
		} {
			p, o := sideBySide(rand.New(rand.NewPCG(23, 1)), n, 60, 20, true, true, true), DefaultOptions()
			o.Resume = state
			if _, err := solved(t.Context(), p, o); err != nil {
				t.Fatal(err)
			}
			change(p, &o)
			if _, err := solved(t.Context(), p, o); !errors.Is(err, ErrState) || !strings.Contains(err.Error(), "belongs to another problem") {
				t.Errorf("%d problems, other %s: %v", n, name, err)
			}
		}
		for name, bad := range map[string][]byte{
			"none":      {},
			"short":     state[:11],
			"truncated": state[:len(state)-1],
			"longer":    append(slices.Clone(state), 0),
			"more":      signed(append(slices.Clone(state), 0, 0, 0, 0)),
			"less":      signed(slices.Clone(state[:len(state)-20])),
			"version":   signed(append([]byte("nbsolve\x07"), state[8:]...)),
		} {
			o := DefaultOptions()
			o.Resume = bad
			if _, err := solved(t.Context(), problems, o); err == nil {
				t.Errorf("%d problems: a state that is %s is resumed", n, name)
			}
		}
		for at := range state {
			o, bad := DefaultOptions(), slices.Clone(state)
			bad[at] ^= 1 << (at % 8)
			o.Resume = bad
			if _, err := solved(t.Context(), problems, o); err == nil {
				t.Errorf("%d problems: a state is resumed whose byte %d is another", n, at)
			}
		}
	}
}

func addColumn(problems []trial) {
	for k := range problems {
		problems[k].ColScale = append(problems[k].ColScale, 1)
	}
}

func dropEntry(x *sparse.CSR) {
	x.Indices, x.Values = x.Indices[:len(x.Indices)-1], x.Values[:len(x.Values)-1]
	x.Indptr[x.Rows]--
}

// signed gives bytes the checksum of a state.
func signed(state []byte) []byte {
	n := len(state) - 4
	binary.LittleEndian.PutUint32(state[n:], crc32.Checksum(state[:n], checksum.Castagnoli))
	return state
}

// TestDamagedState: bytes that were damaged before their checksum was taken are refused,
// or solved from, but never more than that.
func TestDamagedState(t *testing.T) {
	for _, loss := range losses {
		for _, n := range []int{1, 3} {
			problems := sideBySide(rand.New(rand.NewPCG(24, 1)), n, 80, 15, true, true, false)
			problems[0].Mass[5] = 0
			o := DefaultOptions()
			o.Loss, o.MaxEpochs, o.Tol = loss, 9, LeastGroupTol
			state := stateOf(t, problems, o, 4)
			refused := 0
			rapid.Check(t, func(t *rapid.T) {
				bad := slices.Clone(state)
				for range rapid.IntRange(1, 3).Draw(t, "places") {
					at := rapid.IntRange(0, len(bad)-5).Draw(t, "at")
					patch := rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, "patch")
					copy(bad[at:len(bad)-4], patch)
				}
				if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
					bad = bad[:rapid.IntRange(4, len(bad)).Draw(t, "length")]
				}
				o := o
				o.Resume = signed(bad)
				if _, err := solved(context.Background(), problems, o); err != nil {
					refused++
				}
			})
			if refused == 0 {
				t.Errorf("%v, %d problems: nothing was refused", loss, n)
			}
		}
	}
}

// TestImpossibleStates: what no solution can come to is refused.
func TestImpossibleStates(t *testing.T) {
	for _, loss := range losses {
		problems := sideBySide(rand.New(rand.NewPCG(25, 1)), 2, 80, 15, false, true, false)
		problems[0].Mass[5] = 0
		o := DefaultOptions()
		o.Loss, o.Tol, o.MaxEpochs = loss, LeastGroupTol, 9
		nan := problems[0].Mass[0]
		nan -= nan
		nan /= nan
		for name, change := range map[string]func(s *single){
			"a row twice":          func(s *single) { s.order[1] = s.order[0] },
			"a row without cost":   func(s *single) { s.order[1] = 5 },
			"a row beyond":         func(s *single) { s.order[1] = 80 },
			"a row before":         func(s *single) { s.order[1] = -1 },
			"alpha below its box":  func(s *single) { s.rows[1].alpha = -1e-9 },
			"alpha beyond its box": func(s *single) { s.rows[1].alpha = loss.most(s.rows[1].cost) * 1.1 },
			"alpha NaN":            func(s *single) { s.rows[1].alpha = nan },
			"alpha of no cost":     func(s *single) { s.rows[5].alpha = 0.1 },
			"calm":                 func(s *single) { s.rows[1].timesAtBound = shrinkAfter + 1 },
			"bias NaN":             func(s *single) { s.bias = nan },
			"a slot NaN":           func(s *single) { s.slots[1].U = float32(nan) },
			"a large bias":         func(s *single) { s.bias = 1e200 },
			"a large slot":         func(s *single) { s.slots[1].U = 2e38 },
			"batch":                func(s *single) { s.size = mostBatch + 1 },
			"no batch":             func(s *single) { s.size = 0 },
			"active rows":          func(s *single) { s.descent.shrink.active = len(s.order) + 1 },
			"epochs":               func(s *single) { s.descent.stats.Epochs = o.MaxEpochs },
			"no epoch":             func(s *single) { s.descent.stats.Epochs = 0 },
		} {
			s := newSingle(problems[0].X, 1)
			o := o
			o.Checkpoint = func(state State) error {
				change(s)
				o.Resume = state.Append(nil)
				return context.Canceled
			}
			if _, err := s.Solve(t.Context(), problems[0], o); err != context.Canceled {
				t.Fatalf("an error of Checkpoint: %v", err)
			}
			o.Checkpoint = nil
			if _, err := s.Solve(t.Context(), problems[0], o); err == nil {
				t.Errorf("%v: %s is resumed", loss, name)
			}
		}
		for name, change := range map[string]func(g *group){
			"a row twice":          func(g *group) { g.order = append(g.order, g.order...) },
			"a row without cost":   func(g *group) { g.order[1] = 5 },
			"a row beyond":         func(g *group) { g.order[1] = 80 },
			"a dropped row beyond": func(g *group) { g.dropped = append(g.dropped, 80) },
			"rows dropped often":   func(g *group) { g.dropped = []int32{1, 1, 1} },
			"alpha below its box":  func(g *group) { g.rows[1].alpha[1], g.rows[1].nonzero = -1e-9, 2 },
			"calm":                 func(g *group) { g.rows[1].timesAtBound = groupShrinkAfter + 1 },
			"bias NaN":             func(g *group) { g.bias[1] = nan },
			"a slot NaN":           func(g *group) { g.slots[1][0][1] = float32(nan) },
			"a large bias":         func(g *group) { g.bias[1] = -1e200 },
			"a large slot":         func(g *group) { g.slots[1][0][1] = 2e38 },
			"problems open":        func(g *group) { g.open = 7 },
			"closed, yet awake":    func(g *group) { g.open, g.running = 2, 1 },
			"epochs":               func(g *group) { g.descent.epoch = o.MaxEpochs },
			"no epoch":             func(g *group) { g.descent.epoch = 0 },
			"epochs since":         func(g *group) { g.descent.since = refresh + 1 },
		} {
			g := newGroup(problems[0].X, nil)
			o := o
			o.Checkpoint = func(state State) error {
				change(g)
				o.Resume = state.Append(nil)
				return context.Canceled
			}
			if _, err := g.Solve(t.Context(), problems, o); err != context.Canceled {
				t.Fatalf("an error of Checkpoint: %v", err)
			}
			o.Checkpoint = nil
			if _, err := g.Solve(t.Context(), problems, o); err == nil {
				t.Errorf("%v, group: %s is resumed", loss, name)
			}
		}
	}
}

func BenchmarkState(b *testing.B) {
	for _, problems := range [][]trial{{wide(false)}, manyRows()} {
		b.Run(fmt.Sprint(len(problems)), func(b *testing.B) {
			o := DefaultOptions()
			var state []byte
			o.Checkpoint = func(s State) error {
				if s.Epoch < 8 && !s.Done {
					return nil
				}
				for b.Loop() {
					state = s.Append(state[:0])
				}
				b.SetBytes(int64(len(state)))
				return context.Canceled
			}
			solved(b.Context(), problems, o)
		})
	}
}
