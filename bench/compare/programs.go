package main

import (
	"cmp"
	"context"
	_ "embed"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/bench"
)

//go:embed scikit.py
var sklearnScript []byte

// program is one way to train a classifier on a split, and to score with it.
type program struct {
	peer, options string
	threads       int
	model         string   // the file that training leaves
	train         []string // a command line
	score         []string // another, to which the input is added
	input         func(text) string
	label         func(predicted string) string // the label of what it prints; nil if it prints labels
}

// Options that others are compared with.
const (
	defaults = "defaults"
	bigrams  = "--ngrams 1-2"
)

func linesOf(t text) string  { return t.lines }
func tsvOf(t text) string    { return t.tsv }
func tokensOf(t text) string { return t.tokens }

// nbsvm is nbsvm with some flags.
func (c *comparison) nbsvm(s *split, threads int, flags ...string) program {
	options, n, model := cmp.Or(strings.Join(flags, " "), defaults), strconv.Itoa(threads), s.model("nbsvm")
	input, format := linesOf, "lines"
	if s.ready {
		input, format = tsvOf, "auto"
	}
	return program{
		peer: nbsvmPeer, options: options, threads: threads, model: model,
		train: append([]string{c.Nbsvm, "train", "--quiet", "--threads", n, "-o", model, s.train.tsv}, flags...),
		score: []string{c.Nbsvm, "score", "--quiet", "--threads", n, "--format", format, model},
		input: input,
	}
}

// tuned is nbsvm with the options that its search finds.
func (c *comparison) tuned(s *split) program {
	p := c.nbsvm(s, 1)
	p.options = "tune --time " + c.Tune
	p.train = append([]string{c.Nbsvm, "tune", "--quiet", "--threads", "1", "--time", c.Tune, "-o", p.model, s.train.tsv}, s.flags...)
	return p
}

// sklearn is one of the methods of scikit.py.
func (c *comparison) sklearn(s *split, method, options string) program {
	script, model := c.temporary("scikit.py"), s.model("sklearn")
	return program{
		peer: sklearnPeer, options: options, threads: 1, model: model,
		train: []string{c.Python, script, "train", method, s.train.tsv, model},
		score: []string{c.Python, script, "score", model},
		input: linesOf,
	}
}

// fastText is fastText with some flags.
func (c *comparison) fastText(s *split, threads int, flags ...string) program {
	model, labels := s.model("fasttext"), map[string]string{}
	for _, class := range s.classes {
		labels[fastTextLabel+strings.ReplaceAll(class, " ", "-")] = class
	}
	return program{
		peer: fastTextPeer, options: strings.Join(flags, " "), threads: threads, model: model + ".bin",
		train: append([]string{"fasttext", "supervised", "-input", s.train.tokens, "-output", model, "-thread", strconv.Itoa(threads), "-verbose", "0"}, flags...),
		score: []string{"fasttext", "predict", model + ".bin"},
		input: tokensOf,
		label: func(predicted string) string { return labels[predicted] },
	}
}

// vowpalWabbit is Vowpal Wabbit with some flags: one class against all others, logistic regression on words and
// bigrams.
func (c *comparison) vowpalWabbit(s *split, flags ...string) program {
	model := s.model("vw")
	flags = append([]string{"--oaa", strconv.Itoa(len(s.classes)), "--loss_function", "logistic", "--ngram", "2", "-b", "24"}, flags...)
	return program{
		peer: vwPeer, options: strings.Join(flags, " "), threads: 1, model: model,
		train: append([]string{"vw", "--quiet", "-d", s.train.vw, "-f", model, "--cache_file", model + ".cache", "-k"}, flags...),
		score: []string{"vw", "--quiet", "-t", "-i", model, "-p", "/dev/stdout", "-d"},
		input: func(t text) string { return t.vw },
		label: func(predicted string) string {
			if k, err := strconv.ParseFloat(predicted, 64); err == nil && k >= 1 && int(k) <= len(s.classes) {
				return s.classes[int(k)-1]
			}
			return ""
		},
	}
}

// liblinear is LIBLINEAR on features.
func (c *comparison) liblinear(s *split) program {
	model := s.model("liblinear")
	return program{
		peer: liblinearPeer, options: defaults, threads: 1, model: model,
		train: []string{"liblinear-train", "-q", s.train.tsv, model},
		score: []string{"sh", "-c", `exec liblinear-predict -q "$1" "$0" /dev/stdout`, model}, // the input is not the last word
		input: tsvOf,
	}
}

// measured is the case of what the program does.
func (p *program) measured(s *split, sample func(context.Context) ([]bench.Value, error)) bench.Case {
	return bench.Case{Labels: bench.Labels("corpus", s.name, "peer", p.peer, "options", p.options, "threads", p.threads), Sample: sample}
}

// scoreCommand is the command line that scores a file.
func (p *program) scoreCommand(input string) []string {
	return append(p.score[:len(p.score):len(p.score)], input)
}

// addCommands lists the command lines of programs in a report, with the names of files alone.
func (c *comparison) addCommands(report *bench.Report, s *split, programs ...program) {
	known, _ := report.Settings["commands"].([]string)
	for _, p := range programs {
		for _, argv := range [][]string{p.train, p.scoreCommand(p.input(s.test))} {
			words := slices.Clone(argv)
			for i, word := range words {
				if word == c.Nbsvm {
					words[i] = nbsvmPeer
				} else if strings.HasPrefix(word, c.folder) || word == c.Python {
					words[i] = filepath.Base(word)
				}
			}
			if command := strings.Join(words, " "); !slices.Contains(known, command) {
				known = append(known, command)
			}
		}
	}
	report.Settings["commands"] = known
}
