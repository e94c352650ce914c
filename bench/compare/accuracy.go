package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/bench"
)

// accuracyWorkload is the workload of the report.
const accuracyWorkload = "compare-accuracy"

// contender is a program whose accuracy is compared: one way to train or, with a knob, the best of several by the test
// part, which is more than anybody who uses it can know.
type contender struct {
	knob     string
	values   []float64
	programs []program // one for each value
}

// contenders are those on a set of texts, or of features.
func (c *comparison) contenders(s *split) (all []contender) {
	add := func(peer, knob string, values []float64, with func(value string) program) {
		if c.missing[peer] != "" {
			return
		}
		one := contender{knob: knob, values: values}
		for _, value := range values {
			one.programs = append(one.programs, with(exact(value)))
		}
		all = append(all, one)
	}
	alone := func(peer string, with func() program) {
		add(peer, "", []float64{0}, func(string) program { return with() })
	}
	alone(nbsvmPeer, func() program { return c.nbsvm(s, 1, s.flags...) })
	if c.Tune != "" {
		alone(nbsvmPeer, func() program { return c.tuned(s) })
	}
	if s.ready {
		alone(liblinearTools, func() program { return c.liblinear(s) })
		return all
	}
	for _, m := range [][2]string{{"tfidf", "tf-idf, words"}, {"characters", "tf-idf, words and characters"}, {"nbsvm", "NBSVM"}} {
		alone(sklearnPeer, func() program { return c.sklearn(s, m[0], m[1]) })
	}
	add(fastTextPeer, "lr", []float64{0.1, 0.5, 1}, func(rate string) program {
		p := c.fastText(s, 1, "-wordNgrams", "2", "-epoch", "10", "-minCount", "1", "-lr", rate)
		p.options = "best of three rates"
		return p
	})
	add(vwPeer, "passes", []float64{1, 5, 20}, func(passes string) program {
		p := c.vowpalWabbit(s, "--passes", passes, "--holdout_off")
		p.options = "best of three numbers of passes"
		return p
	})
	return all
}

// compareAccuracy measures the accuracy on test parts that no choice is based on, but where a contender has a knob.
func (c *comparison) compareAccuracy(ctx context.Context) (*bench.Report, error) {
	report := c.newReport(accuracyWorkload)
	for _, s := range accuracySets {
		if _, _, ok := c.files(s); !ok {
			report.Notes = append(report.Notes, s.name+" was left out: it is not in the folder of sets.")
			continue
		}
		if c.Quick && !s.ready && s.folder != godoc.folder {
			continue
		}
		found, n := [][]float64{}, 0 // sums of accuracies over n splits, of each contender with each value of its knob
		var cases []contender
		err := c.splits(s, func(s *split) error {
			all := c.contenders(s)
			rights, err := c.accuracies(ctx, s, all)
			if n++; n == 1 {
				cases, found = all, rights
				c.addCommands(report, s, programsOf(all)...)
				return err
			}
			for i := range rights {
				for k := range rights[i] {
					found[i][k] += rights[i][k]
				}
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for i, one := range cases {
			report.Results = append(report.Results, one.result(s.name, found[i], n))
		}
	}
	return report, nil
}

// programsOf is one program of each contender.
func programsOf(all []contender) (programs []program) {
	for _, one := range all {
		programs = append(programs, one.programs[0])
	}
	return programs
}

// result is the accuracy with the best value of the knob.
func (one *contender) result(set string, sums []float64, splits int) bench.Result {
	p, best := one.programs[0], slices.Max(sums)
	r := bench.Result{
		Case: bench.Labels("corpus", set, "peer", p.peer, "options", p.options),
		Metrics: []bench.Metric{
			{Name: "accuracy %", Better: higher, Samples: []float64{100 * best / float64(splits)}},
			{Name: "splits", Samples: []float64{float64(splits)}},
		},
	}
	if one.knob != "" {
		r.Metrics = append(r.Metrics, bench.Metric{Name: one.knob, Samples: []float64{one.values[slices.Index(sums, best)]}})
	}
	return r
}

// accuracies are those of all contenders with each value of their knobs. As many are trained and scored at a time as
// there are processors.
func (c *comparison) accuracies(ctx context.Context, s *split, all []contender) ([][]float64, error) {
	rights := make([][]float64, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.machine.Cores)
	for i, one := range all {
		rights[i] = make([]float64, len(one.programs))
		for k, p := range one.programs {
			group.Go(func() (err error) {
				if _, err = runProcess(ctx, nil, p.train); err != nil {
					return err
				}
				if rights[i][k], err = p.accuracy(ctx, s.test); err != nil {
					return err
				}
				c.say("accuracy: %s, %s, %s: %.2f %%", s.name, p.peer, p.options, 100*rights[i][k])
				return os.Remove(p.model) // some have hundreds of MB
			})
		}
	}
	return rights, group.Wait()
}

// accuracy is the share of the documents that get the right label.
func (p *program) accuracy(ctx context.Context, test text) (float64, error) {
	var predictions bytes.Buffer
	if _, err := runProcess(ctx, &predictions, p.scoreCommand(p.input(test))); err != nil {
		return 0, err
	}
	right, err := p.rightShare(predictions.String(), test.labels)
	if err != nil {
		return 0, fmt.Errorf("%s, %s: %w", p.peer, p.options, err)
	}
	return right, nil
}

// rightShare is the share of lines that begin with the right label, which a tab may end.
func (p *program) rightShare(predictions string, labels []string) (float64, error) {
	n, right := 0, 0
	for line := range strings.Lines(predictions) {
		if n == len(labels) {
			return 0, fmt.Errorf("more predictions than the %d documents", n)
		}
		label, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if p.label != nil {
			label = p.label(label)
		}
		if label == labels[n] {
			right++
		}
		n++
	}
	if n < len(labels) {
		return 0, fmt.Errorf("%d predictions for %d documents", n, len(labels))
	}
	return float64(right) / float64(n), nil
}
