package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/seed-167f963f/nbsvm/bench"
)

// problem is an objective on a matrix and the relative duality gap to reach.
type problem struct {
	ngrams, loss string
	C, gap       float64
}

func (p problem) String() string {
	return fmt.Sprintf("%s, %s, C %g, gap %g", p.ngrams, p.loss, p.C, p.gap)
}

// solvedBy is the case of a program that solves the problem.
func (p problem) solvedBy(peer string, sample func(ctx context.Context) ([]bench.Value, error)) bench.Case {
	return bench.Case{Labels: bench.Labels("ngrams", p.ngrams, "loss", p.loss, "C", p.C, "tol", p.gap, "peer", peer, "threads", 1), Sample: sample}
}

// solveGrid is what the solvers are compared on.
type solveGrid struct {
	ngrams         []string
	problems       []problem // to each of the gaps
	gaps           []float64
	stepsPerDecade int // of eps
}

func (c *comparison) grid() solveGrid {
	if c.Quick {
		return solveGrid{[]string{"1-2"}, []problem{{loss: "squared-hinge", C: 0.01}}, []float64{1e-1, 1e-2}, 1}
	}
	return solveGrid{[]string{"1-2", "1-3"}, []problem{
		{loss: "hinge", C: 0.01},
		{loss: "hinge", C: 1},
		{loss: "squared-hinge", C: 0.01},
		{loss: "squared-hinge", C: 1},
		{loss: "logistic", C: 0.1},
		{loss: "logistic", C: 1},
	}, []float64{1e-1, 1e-2, 1e-3}, 4}
}

// compareSolvers measures the solvers alone on the very same matrix.
func (c *comparison) compareSolvers(ctx context.Context) (*bench.Report, error) {
	report := c.newReport("compare-solve")
	if _, _, ok := c.files(imdb); !ok {
		report.Notes = append(report.Notes, "Solvers are compared on "+imdb.name+", which is not in the folder of sets.")
		return report, nil
	}
	if c.missing[liblinearPeer] != "" {
		return report, nil
	}
	driver, err := c.buildDriver(ctx)
	if err != nil {
		return nil, err
	}
	err = c.splits(imdb, func(s *split) error {
		for _, ngrams := range c.grid().ngrams {
			if err := c.compareOnMatrix(ctx, report, driver, s, ngrams); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	note, err := agreement(report.Results)
	if err != nil {
		return nil, err
	}
	report.Notes = append(report.Notes, note)
	return report, nil
}

// compareOnMatrix adds the results of one matrix to the report.
func (c *comparison) compareOnMatrix(ctx context.Context, report *bench.Report, driver string, s *split, ngrams string) error {
	grid := c.grid()
	c.say("solve: exporting the matrix of n-grams %s", ngrams)
	flags := []string{"--no-normalize", "--bias", "0", "--min-df", "1", "--ngrams", ngrams}
	matrix, err := c.exportMatrix(ctx, s, flags)
	if err != nil {
		return err
	}
	theirs, err := openDriver(ctx, driver, matrix)
	if err != nil {
		return err
	}
	defer theirs.Close()
	if err := os.Remove(matrix); err != nil {
		return err
	}
	m := theirs.Matrix
	report.Notes = append(report.Notes, fmt.Sprintf("The matrix of n-grams %s is %d × %d with %d non-zeros.", ngrams, m.Rows, m.Features, m.NonZeros))

	var cases []bench.Case
	for _, p := range grid.problems {
		p.ngrams = ngrams
		c.say("solve: searching LIBLINEAR's eps for n-grams %s, %s, C %g", ngrams, p.loss, p.C)
		eps, err := largestEps(epsGrid(grid.stepsPerDecade), grid.gaps, func(eps float64) (float64, error) {
			s, err := theirs.Solve(p.loss, p.C, eps)
			return s.gap(), err
		})
		if err != nil {
			return err
		}
		for i, gap := range grid.gaps {
			p.gap = gap
			cases = append(cases, p.solvedBy(nbsvmPeer, func(ctx context.Context) ([]bench.Value, error) {
				return c.ownSample(ctx, s, p, flags, m)
			}))
			if eps[i] == 0 {
				report.Notes = append(report.Notes, fmt.Sprintf("LIBLINEAR does not reach its goal with any eps tried: %s.", p))
				continue
			}
			cases = append(cases, p.solvedBy(liblinearPeer, func(context.Context) ([]bench.Value, error) {
				return theirs.sample(p, eps[i])
			}))
		}
	}
	results, err := bench.Measure(ctx, c.Runs, cases, c.progress("solve, n-grams "+ngrams))
	report.Results = append(report.Results, results...)
	return err
}

// exportMatrix writes the training matrix as the solver sees it.
func (c *comparison) exportMatrix(ctx context.Context, s *split, flags []string) (string, error) {
	model, matrix := c.temporary("matrix.nbm"), c.temporary("matrix.svm")
	train := append([]string{c.Nbsvm, "train", "--quiet", "--names", "0", "--max-epochs", "1", "-o", model, s.train.tsv}, flags...)
	if _, err := runProcess(ctx, nil, train); err != nil {
		return "", err
	}
	_, err := runProcess(ctx, nil, []string{c.Nbsvm, "export", "--quiet", "--output-format", "svmlight", "-o", matrix, model, s.train.tsv})
	return matrix, err
}

// sample is one solution of LIBLINEAR's.
func (s *driverSession) sample(p problem, eps float64) ([]bench.Value, error) {
	found, err := s.Solve(p.loss, p.C, eps)
	return []bench.Value{
		{Name: "s", Better: lower, Value: found.Seconds},
		{Name: "epochs", Better: lower, Value: found.Passes},
		{Name: "gap", Value: found.gap()},
		{Name: "primal", Value: found.Primal},
		{Name: "dual", Value: found.Dual},
		{Name: "eps", Value: eps},
	}, err
}

// ownSample is one solution of nbsvm's.
func (c *comparison) ownSample(ctx context.Context, s *split, p problem, flags []string, matrix matrixSize) ([]bench.Value, error) {
	argv := []string{
		"bench", "solve", "--json", "--quiet", "--runs", "1", "--threads", "1",
		"--losses", p.loss, "--Cs", exact(p.C), "--tols", exact(p.gap), s.train.tsv,
	}
	text, err := output(ctx, c.Nbsvm, append(argv, flags...)...)
	if err != nil {
		return nil, err
	}
	report, err := bench.ReadReport(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return ownValues(report, matrix)
}

func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// ownValues takes the figures from a report of nbsvm bench solve on one problem, whose matrix must be the one that
// LIBLINEAR has.
func ownValues(report *bench.Report, matrix matrixSize) ([]bench.Value, error) {
	layout, solve := find(report.Results, "stage", "layout"), find(report.Results, "stage", "solve")
	if layout == nil || solve == nil {
		return nil, errors.New("nbsvm bench solve reported no layout or no solution")
	}
	if ours := (matrixSize{int(layout.Median("rows")), int(layout.Median("columns")), int(layout.Median("non-zeros"))}); ours != matrix {
		return nil, fmt.Errorf("the solvers have different matrices: nbsvm %+v, LIBLINEAR %+v", ours, matrix)
	}
	layoutSeconds := layout.Median("s")
	return []bench.Value{
		{Name: "layout s", Better: lower, Value: layoutSeconds},
		{Name: "s", Better: lower, Value: solve.Median("s")},
		// The ratio is computed between layout and solver; wall s has it as well.
		{Name: "together s", Better: lower, Value: layoutSeconds + solve.Median("wall s")},
		{Name: "epochs", Better: lower, Value: solve.Median("epochs")},
		{Name: "gap", Value: solve.Median("gap")},
		{Name: "primal", Value: solve.Median("primal")},
		{Name: "dual", Value: solve.Median("dual")},
	}, nil
}

// agreement compares the objectives that two solvers reach: the least value lies
// between anyone's dual and anyone's primal objective, so primal objectives can
// differ by no more than the sum of the gaps. It fails where they do.
func agreement(results []bench.Result) (string, error) {
	largest := 0.0 // relative deviation
	for i := 1; i < len(results); i++ {
		ours, theirs := &results[i-1], &results[i]
		if theirs.Label("peer") != liblinearPeer {
			continue
		}
		p, q := ours.Median("primal"), theirs.Median("primal")
		allowed := p - ours.Median("dual") + q - theirs.Median("dual")
		deviation := math.Abs(p - q)
		if !(deviation <= allowed+1e-6*p) { // what rounding to float32 explains
			return "", fmt.Errorf("the objectives of n-grams %s, %s, C %s, gap %s disagree: nbsvm %v, LIBLINEAR %v, and their gaps explain a difference of %v",
				ours.Label("ngrams"), ours.Label("loss"), ours.Label("C"), ours.Label("tol"), p, q, allowed)
		}
		largest = max(largest, deviation/min(p, q))
	}
	return fmt.Sprintf("Objectives agree: primal objectives differ by no more than the sum of the two duality gaps, and by at most %.2g of their value.", largest), nil
}

// epsGrid is 1000, which ends every solver's work after a pass or two, then less and
// less by the same factor, down to 1e-5.
func epsGrid(stepsPerDecade int) []float64 {
	var grid []float64
	for k := 0; k <= 8*stepsPerDecade; k++ {
		grid = append(grid, math.Pow(10, 3-float64(k)/float64(stepsPerDecade)))
	}
	return grid
}

// largestEps finds, for every gap wanted, the largest eps of the grid with which
// the solver reaches it; 0 where none does. The grid falls, and the gap need not
// fall with it.
func largestEps(grid, gaps []float64, reached func(eps float64) (float64, error)) ([]float64, error) {
	found := make([]float64, len(gaps))
	left := len(gaps)
	for _, eps := range grid {
		if left == 0 {
			break
		}
		gap, err := reached(eps)
		if err != nil {
			return nil, fmt.Errorf("with eps %g: %w", eps, err)
		}
		for i, want := range gaps {
			if found[i] == 0 && gap <= want {
				found[i] = eps
				left--
			}
		}
	}
	return found, nil
}
