package main

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"strconv"

	"github.com/seed-167f963f/nbsvm/bench"
)

//go:embed nbsvm.py
var sklearnScript []byte

// program is one way to train a classifier and to score with it.
type program struct {
	peer, options string
	threads       int
	model         string   // the file that training leaves
	train         []string // a command line
	score         []string // another, to which the input is added
	input         func(text) string
}

// Names of the peers and of the configurations that others are compared with.
const (
	nbsvmPeer    = "nbsvm"
	sklearnPeer  = "scikit-learn"
	fastTextPeer = "fastText"
	defaults     = "defaults"
	bigrams      = "--ngrams 1-2"
	avx2         = ", AVX2 alone" // behind the options
)

// programs lists what can be run here, and says what can't.
func (c *comparison) programs() (list []program, notes []string, err error) {
	linesOf := func(t text) string { return t.lines }
	for _, options := range []string{defaults, bigrams} {
		for _, threads := range []int{1, 2} {
			n := strconv.Itoa(threads)
			model := c.temporary("nbsvm-" + strconv.Itoa(len(list)))
			train := []string{c.Nbsvm, "train", "--quiet", "--threads", n, "-o", model, c.train.tsv}
			if options == bigrams {
				train = append(train, "--ngrams", "1-2")
			}
			score := []string{c.Nbsvm, "score", "--quiet", "--threads", n, "--format", "lines", model}
			list = append(list, program{nbsvmPeer, options, threads, model, train, score, linesOf})
		}
	}
	if why := c.lacks(sklearnPackage); why != "" {
		notes = append(notes, "scikit-learn was skipped: "+why)
	} else {
		script, model := c.temporary("nbsvm.py"), c.temporary("sklearn")
		if err := os.WriteFile(script, sklearnScript, 0o644); err != nil {
			return nil, nil, err
		}
		list = append(list, program{
			sklearnPeer, "NBSVM, uni+bigrams", 1, model,
			[]string{python, script, "train", c.train.tsv, model},
			[]string{python, script, "score", model},
			linesOf,
		})
	}
	if why := c.lacks(fastTextPackage); why != "" {
		notes = append(notes, "fastText was skipped: "+why)
		return list, notes, nil
	}
	for _, threads := range []int{1, 2} {
		model := c.temporary("fasttext-" + strconv.Itoa(threads))
		list = append(list, program{
			fastTextPeer, "-wordNgrams 2 -epoch 5 -dim 10 -lr 1", threads, model + ".bin",
			[]string{"fasttext", "supervised", "-input", c.train.tokens, "-output", model, "-wordNgrams", "2", "-epoch", "5", "-dim", "10", "-lr", "1", "-thread", strconv.Itoa(threads), "-verbose", "0"},
			[]string{"fasttext", "predict", model + ".bin"},
			func(t text) string { return t.tokens },
		})
	}
	return list, notes, nil
}

// measured is the case of what the program does.
func (p *program) measured(sample func(ctx context.Context) ([]bench.Value, error)) bench.Case {
	return bench.Case{Labels: bench.Labels("peer", p.peer, "options", p.options, "threads", p.threads), Sample: sample}
}

// scoreCommand is the command line that scores a file.
func (p *program) scoreCommand(input string) []string {
	return append(p.score[:len(p.score):len(p.score)], input)
}

// trained makes sure that there is a model.
func (p *program) trained(ctx context.Context) error {
	if _, err := os.Stat(p.model); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	_, err := runProcess(ctx, nil, p.train)
	return err
}
