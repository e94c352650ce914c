package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// compareTraining measures raw text to model, whole processes.
func (c *comparison) compareTraining(ctx context.Context) (*bench.Report, error) {
	programs, notes, err := c.programs()
	if err != nil {
		return nil, err
	}
	var cases []bench.Case
	for _, p := range programs {
		cases = append(cases, p.measured(func(ctx context.Context) ([]bench.Value, error) {
			took, err := runProcess(ctx, nil, p.train)
			if err != nil {
				return nil, err
			}
			var predictions bytes.Buffer
			if _, err := runProcess(ctx, &predictions, p.scoreCommand(p.input(c.test))); err != nil {
				return nil, err
			}
			right, err := accuracy(predictions.String(), c.test.labels)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.peer, err)
			}
			return append(took.values(), bench.Value{Name: "accuracy %", Better: higher, Value: 100 * right}), nil
		}))
	}
	report := c.newReport("compare-train")
	if report.Results, err = bench.Measure(ctx, c.Runs, cases, c.progress("train")); err != nil {
		return nil, err
	}
	report.Notes = append(notes,
		"fastText's input was tokenized beforehand, outside its time; the others tokenize themselves. Of the learning rates 0.1, 0.25, 0.5 and 1 the last was the best on the test part, which is in its favour.",
		"The corpus was shuffled: fastText learns nothing from documents sorted by class.",
		fmt.Sprintf("A peak below %.0f MiB could not be seen.", ownPeak()))
	return report, nil
}

func (c *comparison) newReport(workload string) *bench.Report {
	return &bench.Report{
		Workload: workload, Started: time.Now().UTC().Truncate(time.Second), Machine: c.machine,
		Settings: map[string]any{"corpus": "IMDB", "runs": c.Runs, "quick": c.Quick, "versions": c.versions},
	}
}

// accuracy is the share of lines that begin with the right label, which fastText
// prefixes.
func accuracy(predictions string, labels []string) (float64, error) {
	n, right := 0, 0
	for line := range strings.Lines(predictions) {
		if n == len(labels) {
			return 0, fmt.Errorf("more predictions than the %d documents", n)
		}
		label, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if strings.TrimPrefix(label, fastTextLabel) == labels[n] {
			right++
		}
		n++
	}
	if n < len(labels) {
		return 0, fmt.Errorf("%d predictions for %d documents", n, len(labels))
	}
	return float64(right) / float64(n), nil
}

// withAVX2 adds, where the CPU has AVX-512, how nbsvm scores on those that have AVX2 and no more.
func withAVX2(programs []program) (all []program) {
	for _, p := range programs {
		all = append(all, p)
		if p.peer == nbsvmPeer && slices.Contains(kernels.Implementations(), "avx512") {
			p.options += avx2
			p.score = append([]string{"env", "NBSVM_KERNELS=avx2"}, p.score...)
			all = append(all, p)
		}
	}
	return all
}

// scoredBytes is the least size of the text to score.
const scoredBytes = 250e6

// compareScoring measures scoring of a large file, whole processes, loading of the model included.
func (c *comparison) compareScoring(ctx context.Context) (*bench.Report, error) {
	all, notes, err := c.programs()
	if err != nil {
		return nil, err
	}
	large, documents := c.test, len(c.test.labels)
	if !c.Quick {
		both := c.train.lineSize + c.test.lineSize
		times := int((scoredBytes + both - 1) / both)
		large = text{lines: c.temporary("large.txt"), tokens: c.temporary("large.tokens")}
		documents = times * (len(c.train.labels) + len(c.test.labels))
		if large.lineSize, err = repeat(large.lines, times, c.train.lines, c.test.lines); err != nil {
			return nil, err
		}
		if large.tokenSize, err = repeat(large.tokens, times, c.train.tokens, c.test.tokens); err != nil {
			return nil, err
		}
		notes = append(notes, fmt.Sprintf("scikit-learn scored the test part alone, %.0f MB of text, to save time.", float64(c.test.lineSize)/1e6))
	}
	var cases []bench.Case
	for _, p := range withAVX2(all) {
		if p.peer == fastTextPeer && p.threads > 1 {
			continue // fastText predicts with one thread
		}
		c.say("score: training %s", p.peer)
		if err := p.trained(ctx); err != nil {
			return nil, err
		}
		scored, n := large, documents
		if p.peer == sklearnPeer {
			scored, n = c.test, len(c.test.labels)
		}
		size := scored.lineSize
		if p.input(scored) == scored.tokens {
			size = scored.tokenSize
		}
		cases = append(cases, p.measured(func(ctx context.Context) ([]bench.Value, error) {
			took, err := runProcess(ctx, nil, p.scoreCommand(p.input(scored)))
			if err != nil {
				return nil, err
			}
			return append(took.values(),
				bench.Value{Name: "MB/s", Better: higher, Value: float64(size) / 1e6 / took.Wall},
				bench.Value{Name: "documents/s", Better: higher, Value: float64(n) / took.Wall},
			), nil
		}))
	}
	report := c.newReport("compare-score")
	if report.Results, err = bench.Measure(ctx, c.Runs, cases, c.progress("score")); err != nil {
		return nil, err
	}
	report.Notes = append(notes,
		fmt.Sprintf("%d documents, %.0f MB of text.", documents, float64(large.lineSize)/1e6),
		"fastText's input was tokenized beforehand, outside its time; that makes it larger, and MB/s are of its own input. It predicts with one thread, as scikit-learn does.",
		fmt.Sprintf("A peak below %.0f MiB could not be seen.", ownPeak()))
	return report, nil
}
