//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

// Names of the programs. LIBLINEAR's library and its commands are apart.
const (
	nbsvm          = "nbsvm"
	sklearn        = "scikit-learn"
	fastText       = "fastText"
	liblinear      = "LIBLINEAR"
	liblinearTools = "LIBLINEAR's commands"
)

// program is one way to train a classifier on a split, and to score with it. Commands run in the folder of the split.
type program struct {
	name, options string
	threads       int
	form          string                    // of what it scores
	train, score  []string                  // the file to score is added to the second
	writes        func(label string) string // how it writes a label; nil if as it is
}

// nbsvmWith returns nbsvm with some flags.
func (c *comparison) nbsvmWith(s *split, threads int, flags ...string) program {
	n, model := strconv.Itoa(threads), s.model("nbsvm")
	train := []string{c.nbsvm, "train", "--quiet", "--threads", n, "-o", model, "train" + s.labelled()}
	return program{
		name: nbsvm, options: cmp.Or(strings.Join(flags, " "), "defaults"), threads: threads, form: s.labelled(),
		train: append(train, flags...), score: []string{c.nbsvm, "score", "--quiet", "--threads", n, model},
	}
}

// sklearnWith returns one of the methods of scikit.py.
func (c *comparison) sklearnWith(s *split, method, options string) program {
	model := s.model("sklearn")
	return program{
		name: sklearn, options: options, threads: 1, form: s.labelled(),
		train: []string{c.python, "../scikit.py", "train", method, "train" + s.labelled(), model},
		score: []string{c.python, "../scikit.py", "score", model},
	}
}

// fastTextWith returns fastText with some flags.
func (c *comparison) fastTextWith(s *split, threads int, flags string) program {
	model := s.model("fasttext")
	train := []string{
		"fasttext", "supervised", "-input", "train" + tokens, "-output", model, "-thread", strconv.Itoa(threads),
		"-verbose", "0",
	}
	return program{
		name: fastText, options: flags, threads: threads, form: tokens, train: append(train, strings.Fields(flags)...),
		score: []string{"fasttext", "predict", model + ".bin"}, writes: fastTextLabel,
	}
}

// installed returns the programs that can be run.
func (c *comparison) installed(all []program) []program {
	return slices.DeleteFunc(all, func(p program) bool { return c.missing[p.name] })
}

// accurate returns the programs whose accuracy is compared.
func (c *comparison) accurate(s *split) []program {
	all := []program{c.nbsvmWith(s, 1, s.flags...)}
	if s.ready {
		model := s.model("liblinear")
		return c.installed(append(all, program{
			name: liblinearTools, threads: 1, form: s.labelled(),
			train: []string{"liblinear-train", "-q", "train" + s.labelled(), model},
			// The input is not the last word of its command.
			score: []string{"sh", "-c", `exec liblinear-predict -q "$1" "$0" /dev/stdout`, model},
		}))
	}
	all = append(all, c.sklearnWith(s, "tfidf", "tf-idf, words"),
		c.sklearnWith(s, "characters", "tf-idf, words and characters"), c.sklearnWith(s, "nbsvm", "NBSVM"))
	for _, rate := range []string{"0.1", "0.5", "1"} {
		all = append(all, c.fastTextWith(s, 1, "-wordNgrams 2 -epoch 10 -minCount 1 -lr "+rate))
	}
	return c.installed(all)
}

// fast returns the programs whose speed is compared on a set.
func (c *comparison) fast(s *split) []program {
	if s.set.folder == bible.folder {
		const flags = "-minn 2 -maxn 4 -dim 16 -epoch 1 -lr 0.5 -bucket 1000000 -minCount 1000"
		return c.installed([]program{c.nbsvmWith(s, 2, s.flags...), c.fastTextWith(s, 2, flags)})
	}
	const flags = "-wordNgrams 2 -epoch 5 -dim 10 -lr 1"
	return c.installed([]program{
		c.nbsvmWith(s, 1), c.nbsvmWith(s, 2), c.nbsvmWith(s, 1, "--ngrams", "1-2"), c.nbsvmWith(s, 2, "--ngrams", "1-2"),
		c.sklearnWith(s, "nbsvm-small", "NBSVM, words and bigrams"), c.fastTextWith(s, 1, flags), c.fastTextWith(s, 2, flags),
	})
}

// learn trains a model.
func (p *program) learn(ctx context.Context, s *split) ([]bench.Value, error) {
	return runProcess(ctx, s.folder, nil, p.train...)
}

// scoring returns the command that scores a part of a split.
func (p *program) scoring(part string) []string { return append(slices.Clone(p.score), part+p.form) }

// predict scores a part of the split.
func (p *program) predict(ctx context.Context, s *split, part string, out io.Writer) ([]bench.Value, error) {
	return runProcess(ctx, s.folder, out, p.scoring(part)...)
}

// accuracy returns the share of the documents of the test part that get the right label, in per cent.
func (p *program) accuracy(ctx context.Context, s *split) (float64, error) {
	var predictions bytes.Buffer
	if _, err := p.predict(ctx, s, "test", &predictions); err != nil {
		return 0, err
	}
	right, err := p.rightShare(predictions.String(), s.labels)
	if err != nil {
		return 0, fmt.Errorf("%s, %s: %w", p.name, p.options, err)
	}
	return 100 * right, nil
}

// rightShare returns the share of lines that begin with the right label, which a tab may end.
func (p *program) rightShare(predictions string, labels []string) (float64, error) {
	found := strings.Split(strings.TrimSuffix(predictions, "\n"), "\n")
	if len(found) != len(labels) {
		return 0, fmt.Errorf("%d predictions for %d documents", len(found), len(labels))
	}
	right := 0
	for i, line := range found {
		want := labels[i]
		if p.writes != nil {
			want = p.writes(want)
		}
		if label, _, _ := strings.Cut(line, "\t"); label == want {
			right++
		}
	}
	return float64(right) / float64(len(labels)), nil
}

// addCommands lists the command lines of a program.
func (c *comparison) addCommands(p *program) {
	for _, argv := range [][]string{p.train, p.scoring("test")} {
		if command := commandLine(argv); !slices.Contains(c.commands, command) {
			c.commands = append(c.commands, command)
		}
	}
}
