package solver

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// mapped is a solver of problems whose rows are visited in windows.
func mapped(t *testing.T, problems []trial, piece int64) *Solver {
	t.Helper()
	before := mappedPiece
	mappedPiece = piece
	t.Cleanup(func() { mappedPiece = before })
	s, err := Open(Matrix{X: problems[0].X, Mapped: true, Temp: t.TempDir()})
	must.OK(t, err)
	t.Cleanup(s.Close)
	return s
}

// TestMapped: the optimum is that of rows in memory, for one problem and for several, on any number of threads; with a
// single window, solutions have the same bits.
func TestMapped(t *testing.T) {
	for _, loss := range losses {
		for _, n := range []int{1, 5} {
			t.Run(fmt.Sprintf("%v, %d", loss, n), func(t *testing.T) {
				problems := sideBySide(rand.New(rand.NewPCG(4, 4)), n, 3000, 1200, true, true, true)
				o := DefaultOptions()
				o.Loss, o.Tol, o.MaxEpochs = loss, 1e-4, 3000
				want, err := opened(problems[0].X, nil).solve(t.Context(), problems, o)
				must.OK(t, err)
				one, err := mapped(t, problems, 1<<20).solve(t.Context(), problems, o)
				must.OK(t, err)
				s := mapped(t, problems, 16)
				windows, err := s.solve(t.Context(), problems, o)
				must.OK(t, err)
				o.Threads = 3
				threads, err := s.solve(t.Context(), problems, o)
				must.OK(t, err)
				for k := range want {
					if !slices.Equal(one[k].Weights, want[k].Weights) || one[k].Stats != want[k].Stats {
						t.Errorf("problem %d: %+v in one window, %+v in memory", k, one[k].Stats, want[k].Stats)
					}
					got := windows[k].Stats
					if !got.Converged || math.Abs(got.Primal-want[k].Stats.Primal) > 2*o.Tol*got.Primal {
						t.Errorf("problem %d: %+v in windows, %+v in memory", k, got, want[k].Stats)
					}
					if !slices.Equal(threads[k].Weights, windows[k].Weights) || threads[k].Stats != got {
						t.Errorf("problem %d: %+v on three threads, %+v on one", k, threads[k].Stats, got)
					}
				}
			})
		}
	}
}

// TestMappedShuffle: windows have all rows that were given, those of at most so many pieces each.
func TestMappedShuffle(t *testing.T) {
	problems := sideBySide(rand.New(rand.NewPCG(4, 5)), 1, 1000, 1200, false, false, false)
	before := mappedPiece
	defer func() { mappedPiece = before }()
	mappedPiece = 1 // a row is a piece
	c := common{matrix: Matrix{X: problems[0].X, Mapped: true}, problems: []Problem{problems[0].Problem}}
	var rows []int32
	for i := int32(0); i < 1000; i += 2 {
		rows = append(rows, i)
	}
	got := slices.Clone(rows)
	c.shuffle(got)
	if slices.Equal(got, rows) || !slices.Equal(slices.Sorted(slices.Values(got)), rows) {
		t.Errorf("%v", got)
	}
}

// TestMappedFolder: nothing is left behind, and a folder that is not there is an error that names it.
func TestMappedFolder(t *testing.T) {
	problems := sideBySide(rand.New(rand.NewPCG(4, 6)), 1, 100, 1200, false, false, false)
	s := mapped(t, problems, 16)
	_, err := s.solve(t.Context(), problems, DefaultOptions())
	must.OK(t, err)
	if left, err := os.ReadDir(s.matrix.Temp); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	s = mapped(t, problems, 16)
	s.matrix.Temp = filepath.Join(t.TempDir(), "missing")
	missing := s.matrix.Temp
	refused := func(o Options) {
		t.Helper()
		for range 2 { // an engine that has failed fails again
			if _, err := s.solve(t.Context(), problems, o); err == nil || !strings.Contains(err.Error(), "missing") {
				t.Errorf("%d problems: %v, want an error about the folder", len(problems), err)
			}
		}
	}
	refused(DefaultOptions())
	problems = sideBySide(rand.New(rand.NewPCG(4, 6)), 3, 100, 1200, false, false, false)
	s = mapped(t, problems, 16)
	s.matrix.Temp = missing
	refused(DefaultOptions())
	s = mapped(t, problems, 16)
	_, err = s.solve(t.Context(), problems, DefaultOptions())
	must.OK(t, err)
	s.last.base().matrix.Temp = missing // once there are tables, but for that of the logistic loss
	o := DefaultOptions()
	o.Loss = Logistic
	refused(o)
}
