//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/bench"
)

// compareAccuracy measures the accuracy on test parts that no choice is based on, but where a program has a knob.
func (c *comparison) compareAccuracy(ctx context.Context) error {
	var rows, columns []string    // names of sets, and of programs
	found := map[string]float64{} // accuracies, by both
	for _, s := range accuracySets {
		if !c.has(s) || c.quick && !s.ready && s.folder != godoc.folder {
			continue
		}
		var programs []program
		var sums []float64
		n := 0
		err := c.splits(s, func(s *split) error {
			all := c.accurate(s)
			if n++; n == 1 {
				programs, sums = all, make([]float64, len(all))
				c.addCommands(all...)
			}
			return c.addAccuracies(ctx, s, all, sums)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, s.name)
		for i, p := range programs {
			title := p.name
			if p.name == sklearn {
				title += ": " + p.options
			}
			if !slices.Contains(columns, title) {
				columns = append(columns, title)
			}
			at := s.name + "\t" + title
			found[at] = max(found[at], sums[i]/float64(n))
		}
	}
	fmt.Fprint(c.out, "\n### Accuracy\n\n"+
		"Per cent of the test part; of sets without one, the mean of ten folds. Of fastText, it is the best of three learning\n"+
		"rates *by the test part*. Bold marks the best of a row.\n\n")
	writeHead(c.out, []string{""}, columns)
	for _, set := range rows {
		var values []float64
		for _, title := range columns {
			right, known := found[set+"\t"+title]
			if !known {
				right = math.NaN()
			}
			values = append(values, right)
		}
		writeComparison(c.out, set, values)
	}
	return nil
}

// addAccuracies adds those of programs to sums. As many are trained and scored at a time as there are processors.
func (c *comparison) addAccuracies(ctx context.Context, s *split, programs []program, sums []float64) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.machine.Cores)
	for i, p := range programs {
		group.Go(func() error {
			if _, err := c.learn(ctx, s, p); err != nil {
				return err
			}
			right, err := c.accuracy(ctx, s, p)
			if err != nil {
				return err
			}
			sums[i] += right
			c.say("accuracy: %s, %s, %s: %.2f %%", s.name, p.name, p.options, right)
			return os.Remove(s.path(p.model)) // some have hundreds of MB
		})
	}
	return group.Wait()
}

// labels are those of a case of whole processes.
func (p *program) labels(s *split) bench.Case {
	return bench.Case{Labels: bench.Labels("corpus",
		s.name, "peer", p.name, "options", p.options, "threads", p.threads)}
}

// compareTraining measures raw text to model, whole processes.
func (c *comparison) compareTraining(ctx context.Context) error {
	var results []bench.Result
	sets := []set{c.timedSet()}
	if c.has(bible) && !c.quick {
		sets = append(sets, bible)
	}
	for _, s := range sets {
		err := c.splits(s, func(s *split) error {
			var cases []bench.Case
			for _, p := range c.timed(s) {
				c.addCommands(p)
				one := p.labels(s)
				one.Sample = func(ctx context.Context) ([]bench.Value, error) {
					took, err := c.learn(ctx, s, p)
					if err != nil {
						return nil, err
					}
					right, err := c.accuracy(ctx, s, p)
					return append(took, bench.Value{Name: "accuracy %", Better: higher, Value: right}), err
				}
				cases = append(cases, one)
			}
			more, err := c.measure(ctx, "train, "+s.name, cases)
			results = append(results, more...)
			return err
		})
		if err != nil {
			return err
		}
	}
	c.writePart("Raw text to model",
		"Whole processes, from a file of text to a model; accuracy on the test part.", results,
		"The input of fastText was tokenized beforehand, outside its time; the others tokenize themselves. Of its learning\n"+
			"  rates 0.1, 0.25, 0.5 and 1 the last was the best on IMDB's test part, which is in its favour.",
		"Documents are in random order, as fastText learns nothing from documents sorted by class.",
		fmt.Sprintf("A peak below %.0f MiB could not be seen.", ownPeak()))
	return nil
}

// measure takes samples of the cases in turns.
func (c *comparison) measure(ctx context.Context, part string, cases []bench.Case) ([]bench.Result, error) {
	return bench.Measure(ctx, c.runs, cases, func(done, total int) { c.say("%s: sample %d of %d", part, done, total) })
}

// scoredBytes is the least size of the text to score.
const scoredBytes = 250e6

// compareScoring measures scoring of a large file, whole processes, loading of the model included.
func (c *comparison) compareScoring(ctx context.Context) error {
	return c.splits(c.timedSet(), func(s *split) error {
		documents, err := c.enlarge(s)
		if err != nil {
			return err
		}
		var cases []bench.Case
		for _, p := range c.timed(s) {
			if p.name == fastText && p.threads > 1 {
				continue // it predicts with one thread
			}
			c.say("score: training %s", p.name)
			if _, err := c.learn(ctx, s, p); err != nil {
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
			c.addCommands(p)
			one := p.labels(s)
			one.Sample = func(ctx context.Context) ([]bench.Value, error) {
				took, err := c.predict(ctx, s, p, part, nil)
				if err != nil {
					return nil, err
				}
				wall := took[0].Value
				return append([]bench.Value{
					{Name: "MB/s", Better: higher, Value: float64(info.Size()) / 1e6 / wall},
					{Name: "documents/s", Better: higher, Value: float64(n) / wall},
				}, took[1:]...), nil
			}
			cases = append(cases, one)
		}
		results, err := c.measure(ctx, "score", cases)
		if err != nil {
			return err
		}
		c.writePart("Scoring",
			"Whole processes, loading of the model included. Peers have models of uni- and bigrams, the\n"+
				"defaults of nbsvm trigrams, too.", results,
			fmt.Sprintf("%d documents; scikit-learn scored the test part alone, to save time.", documents),
			"The input of fastText was tokenized beforehand, outside its time; its MB/s are of its own input. It predicts with\n"+
				"  one thread, as scikit-learn does.",
			fmt.Sprintf("A peak below %.0f MiB could not be seen.", ownPeak()))
		return nil
	})
}

// enlarge repeats both parts of a split until they are large enough to measure scoring, and counts the documents.
func (c *comparison) enlarge(s *split) (documents int, err error) {
	times := 1
	for _, form := range []string{lines, tokens} {
		train, err := os.ReadFile(s.path("train" + form))
		test, otherErr := os.ReadFile(s.path("test" + form))
		if err := errors.Join(err, otherErr); err != nil {
			return 0, err
		}
		both := append(train, test...)
		if form == lines && !c.quick { // the first: as often in the other form
			times = int(math.Ceil(scoredBytes / float64(len(both))))
		}
		file, err := os.Create(s.path("large" + form))
		if err != nil {
			return 0, err
		}
		for range times {
			if _, err := file.Write(both); err != nil {
				return 0, errors.Join(err, file.Close())
			}
		}
		if err := file.Close(); err != nil {
			return 0, err
		}
	}
	return times * (s.trains + len(s.labels)), nil
}
