package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
)

// timed are the programs whose speed is compared on a set.
func (c *comparison) timed(s *split) (all []program) {
	if s.folder == bible.folder {
		all = append(all, c.nbsvm(s, 2, s.flags...))
		if c.missing[fastTextPeer] == "" {
			all = append(all, c.fastText(s, 2, "-minn", "2", "-maxn", "4", "-dim", "16", "-epoch", "1", "-lr", "0.5", "-bucket", "1000000", "-minCount", "1000"))
		}
		return all
	}
	for _, flags := range [][]string{nil, strings.Fields(bigrams)} {
		for _, threads := range []int{1, 2} {
			all = append(all, c.nbsvm(s, threads, flags...))
		}
	}
	if c.missing[sklearnPeer] == "" {
		all = append(all, c.sklearn(s, "nbsvm-small", "NBSVM, words and bigrams"))
	}
	if c.missing[fastTextPeer] == "" {
		for _, threads := range []int{1, 2} {
			all = append(all, c.fastText(s, threads, "-wordNgrams", "2", "-epoch", "5", "-dim", "10", "-lr", "1"))
		}
	}
	if c.missing[vwPeer] == "" {
		all = append(all, c.vowpalWabbit(s))
	}
	return all
}

// timedSet is what speed is measured on, where it is not many classes.
func (c *comparison) timedSet() set {
	if _, _, ok := c.files(imdb); !ok || c.Quick {
		return godoc
	}
	return imdb
}

// compareTraining measures raw text to model, whole processes.
func (c *comparison) compareTraining(ctx context.Context) (*bench.Report, error) {
	report := c.newReport("compare-train")
	sets := []set{c.timedSet()}
	if _, _, ok := c.files(bible); ok && !c.Quick {
		sets = append(sets, bible)
	}
	for _, s := range sets {
		err := c.splits(s, func(s *split) error {
			programs := c.timed(s)
			c.addCommands(report, s, programs...)
			var cases []bench.Case
			for _, p := range programs {
				cases = append(cases, p.measured(s, func(ctx context.Context) ([]bench.Value, error) {
					took, err := runProcess(ctx, nil, p.train)
					if err != nil {
						return nil, err
					}
					right, err := p.accuracy(ctx, s.test)
					return append(took.values(), bench.Value{Name: "accuracy %", Better: higher, Value: 100 * right}), err
				}))
			}
			results, err := bench.Measure(ctx, c.Runs, cases, c.progress("train, "+s.name))
			report.Results = append(report.Results, results...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	report.Notes = append(report.Notes,
		"The input of fastText and Vowpal Wabbit was tokenized beforehand, outside their time; the others tokenize themselves. Of fastText's learning rates 0.1, 0.25, 0.5 and 1 the last was the best on IMDB's test part, which is in its favour.",
		"Documents are in random order, as fastText and Vowpal Wabbit learn nothing from documents sorted by class.",
		fmt.Sprintf("A peak below %.0f MiB could not be seen.", ownPeak()))
	return report, nil
}

func (c *comparison) newReport(workload string) *bench.Report {
	return &bench.Report{
		Workload: workload, Started: time.Now().UTC().Truncate(time.Second), Machine: c.machine,
		Settings: map[string]any{"runs": c.Runs, "quick": c.Quick, "versions": c.versions, "missing": c.missing},
	}
}

// scoredBytes is the least size of the text to score.
const scoredBytes = 250e6

// compareScoring measures scoring of a large file, whole processes, loading of the model included.
func (c *comparison) compareScoring(ctx context.Context) (*bench.Report, error) {
	report := c.newReport("compare-score")
	return report, c.splits(c.timedSet(), func(s *split) error {
		large, documents, err := c.enlarge(s)
		if err != nil {
			return err
		}
		var cases []bench.Case
		for _, p := range c.timed(s) {
			if p.peer == fastTextPeer && p.threads > 1 {
				continue // it predicts with one thread
			}
			c.say("score: training %s", p.peer)
			if err := p.trained(ctx); err != nil {
				return err
			}
			scored, n := large, documents
			if p.peer == sklearnPeer {
				scored, n = s.test, len(s.test.labels)
			}
			size, err := fileSize(p.input(scored))
			if err != nil {
				return err
			}
			c.addCommands(report, s, p)
			cases = append(cases, p.measured(s, func(ctx context.Context) ([]bench.Value, error) {
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
		if report.Results, err = bench.Measure(ctx, c.Runs, cases, c.progress("score")); err != nil {
			return err
		}
		all, err := fileSize(large.lines)
		if err != nil {
			return err
		}
		part, err := fileSize(s.test.lines)
		report.Notes = append(report.Notes,
			fmt.Sprintf("%d documents, %.0f MB of text; scikit-learn scored the test part alone, %.0f MB, to save time.",
				documents, float64(all)/1e6, float64(part)/1e6),
			"The input of fastText and Vowpal Wabbit was tokenized beforehand, outside their time; their MB/s are of their own input. fastText predicts with one thread, as scikit-learn does.",
			fmt.Sprintf("A peak below %.0f MiB could not be seen.", ownPeak()))
		return err
	})
}

// enlarge repeats both parts of a split until they are large enough to measure scoring, and counts the documents.
func (c *comparison) enlarge(s *split) (large text, documents int, err error) {
	both, err := fileSize(s.train.lines, s.test.lines)
	if err != nil {
		return large, 0, err
	}
	times := int((scoredBytes + both - 1) / both)
	if c.Quick {
		times = 1
	}
	large = text{lines: s.path("large.txt"), tokens: s.path("large.tokens"), vw: s.path("large.vw")}
	return large, times * (len(s.train.labels) + len(s.test.labels)), errors.Join(
		repeat(large.lines, times, s.train.lines, s.test.lines),
		repeat(large.tokens, times, s.train.tokens, s.test.tokens),
		repeat(large.vw, times, s.train.vw, s.test.vw))
}

// trained makes sure that there is a model.
func (p *program) trained(ctx context.Context) error {
	if _, err := os.Stat(p.model); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	_, err := runProcess(ctx, nil, p.train)
	return err
}
