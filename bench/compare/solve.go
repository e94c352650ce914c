//go:build linux

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/bench"
)

// problem is an objective on the matrix of n-grams.
type problem struct {
	ngrams, loss string
	C            float64
}

// compareSolvers measures the solvers alone on the very same matrix, down to the same relative duality gaps.
func (c *comparison) compareSolvers(ctx context.Context) error {
	if c.missing[liblinear] || !c.has(imdb) {
		c.say("solve: left out, for it takes LIBLINEAR and IMDB")
		return nil
	}
	orders, gaps := []string{"1-2", "1-3"}, []float64{1e-1, 1e-2, 1e-3}
	objectives := []problem{
		{loss: "hinge", C: 0.01},
		{loss: "hinge", C: 1},
		{loss: "squared-hinge", C: 0.01},
		{loss: "squared-hinge", C: 1},
		{loss: "logistic", C: 0.1},
		{loss: "logistic", C: 1},
	}
	if c.quick {
		orders, objectives, gaps = orders[:1], objectives[2:3], gaps[:2]
	}
	var results []bench.Result
	var notes []string
	err := c.splits(imdb, func(s *split) error {
		for _, ngrams := range orders {
			flags := []string{"--no-normalize", "--bias", "0", "--min-df", "1", "--ngrams", ngrams}
			theirs, err := c.openDriver(ctx, s, flags)
			if err != nil {
				return err
			}
			defer theirs.Close()
			m := theirs.matrix
			notes = append(notes, fmt.Sprintf("The matrix of n-grams %s is %d × %d with %d non-zeros.",
				ngrams, m.Rows, m.Features, m.NonZeros))
			var cases []bench.Case
			for _, p := range objectives {
				p.ngrams = ngrams
				c.say("solve: searching LIBLINEAR's eps for n-grams %s, %s, C %g", ngrams, p.loss, p.C)
				eps, err := largestEps(gaps, func(eps float64) (float64, error) {
					found, err := theirs.solve(p, eps)
					return found.gap(), err
				})
				if err != nil {
					return err
				}
				for i, gap := range gaps {
					cases = append(cases, bench.Case{
						Labels: bench.Labels("ngrams", ngrams, "loss", p.loss, "C", p.C, "tol", gap),
						Sample: func(ctx context.Context) ([]bench.Value, error) {
							return c.solveBoth(ctx, s, p, gap, flags, theirs, eps[i])
						},
					})
				}
			}
			more, err := c.measure(ctx, "solve, n-grams "+ngrams, cases)
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
		"One thread, the same matrix, no bias feature. LIBLINEAR's time is that of its `train()`, with\n"+
			"the largest eps of a grid that reaches the gap; loading its matrix is not counted. nbsvm's layout turns n-grams into\n"+
			"the solver's matrix; together is layout, ratio and solve. Ratios are LIBLINEAR's time over nbsvm's.",
		results, append(notes, solverNote(results))...)
	return nil
}

// solverNote sums up the ratios.
func solverNote(results []bench.Result) string {
	var alone []float64
	together := 0
	for i := range results {
		if ratio := results[i].Median("ratio"); !math.IsNaN(ratio) {
			alone = append(alone, ratio)
		}
		if results[i].Median("ratio together") > 1 {
			together++
		}
	}
	n := len(alone)
	if n == 0 {
		return "LIBLINEAR reaches none of the gaps."
	}
	slices.Sort(alone)
	return fmt.Sprintf("The solver reaches the same duality gap %.1f to %.1f times as fast as LIBLINEAR's `train()`, %.1f times\n"+
		"  in the median of %d cases. If the set-up of the matrix counts for nbsvm and not for LIBLINEAR, nbsvm is\n"+
		"  ahead in %d.",
		alone[0], alone[n-1], (alone[(n-1)/2]+alone[n/2])/2, n, together)
}

// solveBoth has both programs solve a problem once. The objectives that they reach must agree: the least value lies
// between anyone's dual and anyone's primal objective, so primal objectives can differ by no more than the sum of the
// gaps. What LIBLINEAR does not reach with any eps, 0, is not a number.
func (c *comparison) solveBoth(
	ctx context.Context, s *split, p problem, gap float64, flags []string, theirs *driver, eps float64,
) ([]bench.Value, error) {
	argv := append([]string{
		"bench", "solve", "--json", "--quiet", "--runs", "1", "--threads", "1",
		"--losses", p.loss, "--Cs", exact(p.C), "--tols", exact(gap), "train.tsv",
	}, flags...)
	var text bytes.Buffer
	if _, err := runProcess(ctx, s.path(""), &text, append([]string{c.nbsvm}, argv...)...); err != nil {
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
	ours := matrixSize{int(layout.Median("rows")), int(layout.Median("columns")), int(layout.Median("non-zeros"))}
	if ours != theirs.matrix {
		return nil, fmt.Errorf("the solvers have different matrices: nbsvm %+v, LIBLINEAR %+v", ours, theirs.matrix)
	}
	nan := math.NaN()
	other := solution{nan, nan, nan, nan}
	if eps > 0 {
		var err error
		if other, err = theirs.solve(p, eps); err != nil {
			return nil, err
		}
		ours := solution{Primal: solve.Median("primal"), Dual: solve.Median("dual")}
		if err := agree(ours, other); err != nil {
			return nil, fmt.Errorf("%+v, gap %g: %w", p, gap, err)
		}
	}
	seconds := solve.Median("s")
	together := layout.Median("s") + solve.Median("wall s") // the ratio is computed between; wall s has it as well
	return []bench.Value{
		{Name: "layout s", Value: layout.Median("s")},
		{Name: "solve s", Value: seconds},
		{Name: "together s", Value: together},
		{Name: "epochs", Value: solve.Median("epochs")},
		{Name: "gap", Value: solve.Median("gap")},
		{Name: "LIBLINEAR s", Value: other.Seconds},
		{Name: "eps", Value: eps},
		{Name: "passes", Value: other.Passes},
		{Name: "its gap", Value: other.gap()},
		{Name: "ratio", Value: other.Seconds / seconds},
		{Name: "ratio together", Value: other.Seconds / together},
	}, nil
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// agree fails where objectives differ by more than the gaps and what rounding to float32 explain.
func agree(ours, theirs solution) error {
	allowed := ours.Primal - ours.Dual + theirs.Primal - theirs.Dual
	if !(math.Abs(ours.Primal-theirs.Primal) <= allowed+1e-6*ours.Primal) {
		return fmt.Errorf("the objectives disagree: nbsvm %v, LIBLINEAR %v, and their gaps explain a difference of %v",
			ours.Primal, theirs.Primal, allowed)
	}
	return nil
}

// largestEps finds, for every gap wanted, the largest eps with which the solver reaches it; 0 where none does. It tries
// 1000, which ends every solver's work after a pass or two, then less and less, four a decade, down to 1e-5. The gap
// need not fall with eps.
func largestEps(gaps []float64, reached func(eps float64) (float64, error)) ([]float64, error) {
	found := make([]float64, len(gaps))
	for k := 0; k <= 32 && slices.Contains(found, 0); k++ {
		eps := math.Pow(10, 3-float64(k)/4)
		gap, err := reached(eps)
		if err != nil {
			return nil, fmt.Errorf("with eps %g: %w", eps, err)
		}
		for i, want := range gaps {
			if found[i] == 0 && gap <= want {
				found[i] = eps
			}
		}
	}
	return found, nil
}

//go:embed liblinear_driver.c
var driverSource []byte

// driver is a running liblinear_driver.c, which times LIBLINEAR's train(), with a matrix loaded.
type driver struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	answers *json.Decoder
	said    bytes.Buffer
	matrix  matrixSize
}

type matrixSize struct{ Rows, Features, NonZeros int }

// solution is the driver's answer.
type solution struct {
	Seconds float64 `json:"s"`
	Passes  float64 `json:"passes"`
	Primal  float64 `json:"primal"`
	Dual    float64 `json:"dual"`
}

// gap returns the gap relative to the primal objective, as nbsvm's.
func (s solution) gap() float64 { return (s.Primal - s.Dual) / s.Primal }

// openDriver has the driver load the training matrix as nbsvm's solver sees it.
func (c *comparison) openDriver(ctx context.Context, s *split, flags []string) (*driver, error) {
	c.say("solve: exporting the matrix")
	if err := os.WriteFile(s.path("driver.c"), driverSource, 0o644); err != nil {
		return nil, err
	}
	for _, argv := range [][]string{
		{"gcc", "-O2", "-o", "driver", "driver.c", "-llinear", "-lm"},
		append([]string{
			c.nbsvm, "train", "--quiet", "--names", "0", "--max-epochs", "1", "-o", "matrix.nbm",
			"train.tsv",
		}, flags...),
		{c.nbsvm, "export", "--quiet", "-o", "matrix.svm", "matrix.nbm", "train.tsv"},
	} {
		if _, err := runProcess(ctx, s.path(""), nil, argv...); err != nil {
			return nil, err
		}
	}
	return startDriver(ctx, s.path("driver"), s.path("matrix.svm"))
}

func startDriver(ctx context.Context, program, matrix string) (*driver, error) {
	d := &driver{cmd: exec.CommandContext(ctx, program, matrix)}
	d.cmd.Stderr = &d.said
	input, err := d.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.input, d.answers = input, json.NewDecoder(answers)
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	return d, d.answer(&d.matrix)
}

// solverOf is LIBLINEAR's -s for a loss.
var solverOf = map[string]int{"squared-hinge": 1, "hinge": 3, "logistic": 7}

// solve trains once.
func (d *driver) solve(p problem, eps float64) (answer solution, err error) {
	_, _ = fmt.Fprintf(d.input, "%d %g %g\n", solverOf[p.loss], p.C, eps) // if it has ended, there is no answer
	return answer, d.answer(&answer)
}

func (d *driver) answer(to any) error {
	if err := d.answers.Decode(to); err != nil {
		d.input.Close()
		return fmt.Errorf("LIBLINEAR's driver: %w\n%s", errors.Join(err, d.cmd.Wait()), d.said.String())
	}
	return nil
}

// Close ends the driver.
func (d *driver) Close() {
	d.input.Close()
	_ = d.cmd.Wait()
}
