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

// Options that others are compared with.
const (
	defaults = "defaults"
	bigrams  = "--ngrams 1-2"
)

// program is one way to train a classifier on a split, and to score with it. Commands run in the folder of the split.
type program struct {
	name, options string
	threads       int
	model         string                    // the file that training leaves
	train, score  []string                  // the file to score is added to the second, after its form is
	form          string                    // of what it scores
	writes        func(label string) string // how it writes a label; nil if as it is
}

// nbsvmWith returns nbsvm with some flags.
func (c *comparison) nbsvmWith(s *split, threads int, flags ...string) program {
	n, model, form, format := strconv.Itoa(threads), s.model("nbsvm"), lines, "lines"
	if s.ready {
		form, format = s.labelled(), "auto"
	}
	return program{
		name: nbsvm, options: cmp.Or(strings.Join(flags, " "), defaults), threads: threads, model: model, form: form,
		train: append([]string{c.nbsvm, "train", "--quiet", "--threads", n, "-o", model, "train" + s.labelled()},
			flags...),
		score: []string{c.nbsvm, "score", "--quiet", "--threads", n, "--format", format, model},
	}
}

// sklearnWith returns one of the methods of scikit.py.
func (c *comparison) sklearnWith(s *split, method, options string) program {
	model := s.model("sklearn")
	return program{
		name: sklearn, options: options, threads: 1, model: model, form: lines,
		train: []string{c.python, "../scikit.py", "train", method, "train" + s.labelled(), model},
		score: []string{c.python, "../scikit.py", "score", model},
	}
}

// fastTextWith returns fastText with some flags.
func (c *comparison) fastTextWith(s *split, threads int, flags ...string) program {
	model := s.model("fasttext")
	train := []string{
		"fasttext", "supervised", "-input", "train" + tokens, "-output", model, "-thread", strconv.Itoa(threads),
		"-verbose", "0",
	}
	return program{
		name: fastText, options: strings.Join(flags, " "), threads: threads, model: model + ".bin", form: tokens,
		train: append(train, flags...), score: []string{"fasttext", "predict", model + ".bin"}, writes: fastTextLabel,
	}
}

// accurate returns the programs whose accuracy is compared. Of those with the same name and options, which differ in
// one knob, the best by the test part counts, which is more than anybody who uses them can know.
func (c *comparison) accurate(s *split) (all []program) {
	all = append(all, c.nbsvmWith(s, 1, s.flags...))
	if s.ready {
		if model := s.model("liblinear"); !c.missing[liblinearTools] {
			all = append(all, program{
				name: liblinear, options: defaults, model: model, form: s.labelled(),
				train: []string{"liblinear-train", "-q", "train" + s.labelled(), model},
				// The input is not the last word of its command.
				score: []string{"sh", "-c", `exec liblinear-predict -q "$1" "$0" /dev/stdout`, model},
			})
		}
		return all
	}
	if !c.missing[sklearn] {
		all = append(all, c.sklearnWith(s, "tfidf", "tf-idf, words"),
			c.sklearnWith(s, "characters", "tf-idf, words and characters"), c.sklearnWith(s, "nbsvm", "NBSVM"))
	}
	if !c.missing[fastText] {
		for _, rate := range []string{"0.1", "0.5", "1"} {
			p := c.fastTextWith(s, 1, "-wordNgrams", "2", "-epoch", "10", "-minCount", "1", "-lr", rate)
			p.options = "best of three rates"
			all = append(all, p)
		}
	}
	return all
}

// timed returns the programs whose speed is compared on a set.
func (c *comparison) timed(s *split) (all []program) {
	if s.set.folder == bible.folder {
		all = append(all, c.nbsvmWith(s, 2, s.flags...))
		if !c.missing[fastText] {
			all = append(all, c.fastTextWith(s, 2, "-minn", "2", "-maxn", "4", "-dim", "16", "-epoch", "1", "-lr",
				"0.5",
				"-bucket", "1000000", "-minCount", "1000"))
		}
		return all
	}
	for _, flags := range [][]string{nil, strings.Fields(bigrams)} {
		for _, threads := range []int{1, 2} {
			all = append(all, c.nbsvmWith(s, threads, flags...))
		}
	}
	if !c.missing[sklearn] {
		all = append(all, c.sklearnWith(s, "nbsvm-small", "NBSVM, words and bigrams"))
	}
	if !c.missing[fastText] {
		for _, threads := range []int{1, 2} {
			all = append(all, c.fastTextWith(s, threads, "-wordNgrams", "2", "-epoch", "5", "-dim", "10", "-lr", "1"))
		}
	}
	return all
}

// learn trains a model.
func (c *comparison) learn(ctx context.Context, s *split, p program) ([]bench.Value, error) {
	return runProcess(ctx, s.path(""), nil, p.train...)
}

// predict scores a part of the split.
func (c *comparison) predict(
	ctx context.Context, s *split, p program, part string, out io.Writer,
) ([]bench.Value, error) {
	return runProcess(ctx, s.path(""), out, append(slices.Clone(p.score), part+p.form)...)
}

// accuracy returns the share of the documents of the test part that get the right label, in per cent.
func (c *comparison) accuracy(ctx context.Context, s *split, p program) (float64, error) {
	var predictions bytes.Buffer
	if _, err := c.predict(ctx, s, p, "test", &predictions); err != nil {
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

// addCommands lists the command lines of programs.
func (c *comparison) addCommands(programs ...program) {
	for _, p := range programs {
		for _, argv := range [][]string{p.train, append(slices.Clone(p.score), "test"+p.form)} {
			if command := commandLine(argv); !slices.Contains(c.commands, command) {
				c.commands = append(c.commands, command)
			}
		}
	}
}
