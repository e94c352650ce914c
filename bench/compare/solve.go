//go:build linux

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/bench"
)

// objectives are what is minimized on the matrix of n-grams.
var objectives = []struct {
	loss   string
	solver int // LIBLINEAR's -s
	C      float64
	eps    []float64 // LIBLINEAR's; on IMDB, they end it at relative duality gaps from 0.2 to 0.0002
}{
	{"hinge", 3, 1, []float64{1, 0.1}},
	{"hinge", 3, 10, []float64{1, 0.1, 0.01}},
	{"squared-hinge", 1, 1, []float64{3, 1}},
	{"squared-hinge", 1, 10, []float64{1, 0.3}},
	{"logistic", 7, 10, []float64{10, 5}},
	{"logistic", 7, 100, []float64{10, 1}},
}

// compareSolvers measures the solvers alone on the very same matrix. LIBLINEAR's eps means something different for
// every problem, so nbsvm is asked for the gap that LIBLINEAR comes to.
func (c *comparison) compareSolvers(ctx context.Context) error {
	if c.missing[liblinear] {
		c.say("solve: left out, for it takes LIBLINEAR")
		return nil
	}
	var results []bench.Result
	err := c.timed(func(s *split) error {
		for _, ngrams := range []string{"1-2", "1-3"} {
			// Models with ratios have rounded ones, so that their matrix is not quite the solver's.
			flags := []string{"--model", "svm", "--bias", "0", "--min-df", "1", "--ngrams", ngrams}
			if err := c.makeDriver(ctx, s, flags); err != nil {
				return err
			}
			var cases []bench.Case
			for _, o := range objectives {
				for _, eps := range o.eps {
					cases = append(cases, bench.Case{
						Labels: bench.Labels("ngrams", ngrams, "loss", o.loss, "C", o.C, "eps", eps),
						Sample: func(ctx context.Context) ([]bench.Value, error) {
							theirs, err := drive(ctx, s.folder, o.solver, o.C, eps)
							if err != nil {
								return nil, err
							}
							values, err := c.solveToo(ctx, s, theirs,
								append(flags, "--losses", o.loss, "--Cs", exact(o.C), "--tols", exact(theirs.gap())))
							if err != nil {
								return nil, fmt.Errorf("%s, C %v, eps %v: %w", o.loss, o.C, eps, err)
							}
							return values, nil
						},
					})
				}
			}
			more, err := c.measure(ctx, "solve, n-grams "+ngrams, c.runs, cases)
			if results = append(results, more...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.writePart("The solver alone",
		"One thread, the same matrix, no bias feature. LIBLINEAR's time is that of its `train()`; loading its matrix is not\n"+
			"counted. nbsvm's is to the same duality gap or a smaller one. Its layout turns n-grams into the solver's matrix;\n"+
			"together is layout and solve. Ratios are LIBLINEAR's time over nbsvm's.\n"+c.samples(), results,
		solverNote(results))
	return nil
}

// solverNote sums up the ratios.
func solverNote(results []bench.Result) string {
	var alone []float64
	together := 0
	for i := range results {
		alone = append(alone, results[i].Median("ratio"))
		if results[i].Median("ratio together") > 1 {
			together++
		}
	}
	slices.Sort(alone)
	n := len(alone)
	return fmt.Sprintf("The solver reaches the same duality gap %.1f to %.1f times as fast as LIBLINEAR's `train()`, %.1f times\n"+
		"  in the median of %d cases. If the set-up of the matrix counts for nbsvm and not for LIBLINEAR, nbsvm is\n"+
		"  ahead in %d.",
		alone[0], alone[n-1], (alone[(n-1)/2]+alone[n/2])/2, n, together)
}

// solveToo has nbsvm solve a problem that LIBLINEAR has solved. The objectives that both reach must agree.
func (c *comparison) solveToo(ctx context.Context, s *split, theirs solution, flags []string) ([]bench.Value, error) {
	argv := append([]string{c.nbsvm, "bench", "solve", "--json", "--quiet", "--runs", "1", "--threads", "1"}, flags...)
	var text bytes.Buffer
	if _, err := runProcess(ctx, s.folder, &text, append(argv, "train.tsv")...); err != nil {
		return nil, err
	}
	var report bench.Report
	if err := json.Unmarshal(text.Bytes(), &report); err != nil {
		return nil, fmt.Errorf("nbsvm bench solve --json: %w", err)
	}
	if len(report.Results) != 2 {
		return nil, errors.New("nbsvm bench solve reported something else than the layout and a solution")
	}
	layout, solve := &report.Results[0], &report.Results[1]
	ours := solution{
		Rows: layout.Median("rows"), Columns: layout.Median("columns"), NonZeros: layout.Median("non-zeros"),
		Primal: solve.Median("primal"), Dual: solve.Median("dual"),
		Passes: solve.Median("epochs"), Seconds: solve.Median("s"),
	}
	if err := agree(ours, theirs); err != nil {
		return nil, err
	}
	together := layout.Median("s") + ours.Seconds
	return []bench.Value{
		{Name: "non-zeros", Value: ours.NonZeros},
		{Name: "layout s", Value: layout.Median("s")},
		{Name: "solve s", Value: ours.Seconds},
		{Name: "together s", Value: together},
		{Name: "epochs", Value: ours.Passes},
		{Name: "gap", Value: ours.gap()},
		{Name: "LIBLINEAR s", Value: theirs.Seconds},
		{Name: "passes", Value: theirs.Passes},
		{Name: "its gap", Value: theirs.gap()},
		{Name: "ratio", Value: theirs.Seconds / ours.Seconds},
		{Name: "ratio together", Value: theirs.Seconds / together},
	}, nil
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// solution is what a solver came to, and the size of its matrix: the driver's answer.
type solution struct {
	Rows, Columns, NonZeros       float64
	Seconds, Passes, Primal, Dual float64
}

// gap returns the gap relative to the primal objective, as nbsvm's.
func (s solution) gap() float64 { return (s.Primal - s.Dual) / s.Primal }

// agree fails where matrices differ, or objectives by more than the gaps and what rounding to float32 explain: the
// least value lies between anyone's dual and anyone's primal objective.
func agree(ours, theirs solution) error {
	if ours.Rows != theirs.Rows || ours.Columns != theirs.Columns || ours.NonZeros != theirs.NonZeros {
		return fmt.Errorf("the solvers have different matrices: nbsvm %+v, LIBLINEAR %+v", ours, theirs)
	}
	allowed := ours.Primal - ours.Dual + theirs.Primal - theirs.Dual
	if !(math.Abs(ours.Primal-theirs.Primal) <= allowed+1e-6*ours.Primal) {
		return fmt.Errorf("the objectives disagree: nbsvm %v, LIBLINEAR %v, and their gaps explain a difference of %v",
			ours.Primal, theirs.Primal, allowed)
	}
	return nil
}

//go:embed liblinear_driver.c
var driverSource []byte

// makeDriver compiles liblinear_driver.c, which times LIBLINEAR's train(), and exports the training matrix as nbsvm's
// solver sees it.
func (c *comparison) makeDriver(ctx context.Context, s *split, flags []string) error {
	if err := os.WriteFile(s.path("driver.c"), driverSource, 0o644); err != nil {
		return err
	}
	for _, argv := range [][]string{
		{"gcc", "-O2", "-o", "driver", "driver.c", "-llinear", "-lm"},
		append([]string{
			c.nbsvm, "train", "--quiet", "--names", "0", "--max-epochs", "1", "-o", "m.nbm", "train.tsv",
		}, flags...),
		{c.nbsvm, "export", "--quiet", "-o", "matrix.svm", "m.nbm", "train.tsv"},
	} {
		if _, err := runProcess(ctx, s.folder, nil, argv...); err != nil {
			return err
		}
	}
	return nil
}

// drive has the driver in a folder solve a problem.
func drive(ctx context.Context, folder string, solver int, C, eps float64) (found solution, err error) {
	var answer bytes.Buffer
	argv := []string{"./driver", "matrix.svm", strconv.Itoa(solver), exact(C), exact(eps)}
	if _, err := runProcess(ctx, folder, &answer, argv...); err != nil {
		return found, err
	}
	return found, json.Unmarshal(answer.Bytes(), &found)
}
