//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// compareAccuracy measures the accuracy on test parts that no choice is based on. Each set is a case, each program a
// metric of it, and each fold a sample.
func (c *comparison) compareAccuracy(ctx context.Context) error {
	var results []bench.Result
	for _, s := range sets {
		if !c.has(s) {
			continue
		}
		left, err := c.splits(s)
		if err != nil {
			return err
		}
		sample := func(ctx context.Context) (all []bench.Value, err error) {
			s := left[0]
			left = left[1:]
			err = c.use(s, func(s *split) error {
				for _, p := range c.accurate(s) {
					c.addCommands(&p)
					if _, err := p.learn(ctx, s); err != nil {
						return err
					}
					right, err := p.accuracy(ctx, s)
					if err != nil {
						return err
					}
					all = append(all, bench.Value{Name: strings.TrimSpace(p.name + " " + p.options), Value: right})
				}
				return nil
			})
			return all, err
		}
		one := bench.Case{Labels: bench.Labels("set", s.name), Sample: sample}
		more, err := c.measure(ctx, "accuracy, "+s.name, len(left), []bench.Case{one})
		if err != nil {
			return err
		}
		results = append(results, more...)
	}
	c.writePart("Accuracy",
		"Per cent of the test part; of sets without one, the median of ten folds, with the range in brackets.", results)
	return nil
}

// caseOf returns the case of a whole process.
func (c *comparison) caseOf(
	s *split, p *program, sample func(ctx context.Context) ([]bench.Value, error),
) bench.Case {
	c.addCommands(p)
	labels := bench.Labels("corpus", s.name, "peer", p.name, "options", p.options, "threads", p.threads)
	return bench.Case{Labels: labels, Sample: sample}
}

// compareTraining measures raw text to model, whole processes.
func (c *comparison) compareTraining(ctx context.Context) error {
	var results []bench.Result
	train := func(s *split) error {
		var cases []bench.Case
		for _, p := range c.fast(s) {
			cases = append(cases, c.caseOf(s, &p, func(ctx context.Context) ([]bench.Value, error) {
				took, err := p.learn(ctx, s)
				if err != nil {
					return nil, err
				}
				right, err := p.accuracy(ctx, s)
				return append(took, bench.Value{Name: "accuracy %", Value: right}), err
			}))
		}
		more, err := c.measure(ctx, "train, "+s.name, c.runs, cases)
		results = append(results, more...)
		return err
	}
	err := c.timed(train)
	if err == nil && c.has(bible) {
		err = c.firstSplit(bible, train)
	}
	if err != nil {
		return err
	}
	c.writePart("Raw text to model",
		"Whole processes, from a file of text to a model; accuracy on the test part.\n"+c.samples(), results,
		"The input of fastText was tokenized beforehand, outside its time; the others tokenize themselves. Of its learning\n"+
			"  rates 0.1, 0.25, 0.5 and 1 the last was the best on IMDB's test part, which is in its favour.",
		"Documents are in random order, as fastText learns nothing from documents sorted by class.", ownPeak())
	return nil
}

// samples says how figures of speed came about.
func (c *comparison) samples() string {
	return fmt.Sprintf("Medians with the range in brackets; samples of a case: %d, taken in turns.", c.runs)
}

// measure takes samples of the cases in turns.
func (c *comparison) measure(ctx context.Context, part string, runs int, cases []bench.Case) ([]bench.Result, error) {
	return bench.Measure(ctx, runs, cases, func(done, total int) { c.say("%s: sample %d of %d", part, done, total) })
}

// scoredBytes is the least size of the text to score.
const scoredBytes = 250e6

// compareScoring measures scoring of a large file, whole processes, loading of the model included.
func (c *comparison) compareScoring(ctx context.Context) error {
	return c.timed(func(s *split) error {
		documents, err := s.enlarge(scoredBytes)
		if err != nil {
			return err
		}
		var cases []bench.Case
		for _, p := range c.fast(s) {
			if p.name == fastText && p.threads > 1 {
				continue // it predicts with one thread
			}
			if _, err := p.learn(ctx, s); err != nil {
				return err
			}
			part, n := "large", documents
			if p.name == sklearn {
				part, n = "test", len(s.labels)
			}
			info, err := os.Stat(s.path(part + p.form))
			if err != nil {
				return err
			}
			cases = append(cases, c.caseOf(s, &p, func(ctx context.Context) ([]bench.Value, error) {
				took, err := p.predict(ctx, s, part, nil)
				if err != nil {
					return nil, err
				}
				wall := took[0].Value
				return append([]bench.Value{
					{Name: "MB/s", Value: float64(info.Size()) / 1e6 / wall},
					{Name: "documents/s", Value: float64(n) / wall},
				}, took[1:]...), nil
			}))
		}
		results, err := c.measure(ctx, "score", c.runs, cases)
		if err != nil {
			return err
		}
		c.writePart("Scoring", "Whole processes, loading of the model included. Peers have models of uni- and bigrams, the\n"+
			"defaults of nbsvm trigrams, too.\n"+c.samples(), results,
			fmt.Sprintf("%d documents; scikit-learn scored the test part alone, to save time.", documents),
			"The input of fastText was tokenized beforehand, outside its time; its MB/s are of its own input. It predicts with\n"+
				"  one thread, as scikit-learn does.", ownPeak())
		return nil
	})
}

// enlarge repeats both parts of a split as often as the first form takes to have so many bytes, and counts the
// documents.
func (s *split) enlarge(bytes float64) (documents int, err error) {
	times := 0
	for _, form := range []string{s.labelled(), tokens} {
		train, err := os.ReadFile(s.path("train" + form))
		test, otherErr := os.ReadFile(s.path("test" + form))
		if err := errors.Join(err, otherErr); err != nil {
			return 0, err
		}
		both := append(train, test...)
		if times == 0 {
			times = int(math.Ceil(bytes / float64(len(both))))
		}
		file, err := os.Create(s.path("large" + form))
		if err != nil {
			return 0, err
		}
		for range times {
			_, writeErr := file.Write(both)
			err = errors.Join(err, writeErr)
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return 0, err
		}
	}
	return times * s.documents, nil
}
