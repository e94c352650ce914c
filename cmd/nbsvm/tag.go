package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
	"github.com/seed-167f963f/nbsvm/tag"
)

// tagInputFlags say how sentences are read.
type tagInputFlags struct {
	Format     tag.Format `group:"sentences" enum:"auto,conll,conllu,slash,words" default:"auto" placeholder:"FORMAT" help:"conll (one word per line, in columns), conllu, slash (word/TAG word/TAG) or words (without tags) (default: auto, from the name, then the content)."`
	Column     int        `group:"sentences" placeholder:"N" help:"Column of the tags (default: that of the model; in training the last, in CoNLL-U 4, UPOS)."`
	WordColumn int        `group:"sentences" placeholder:"N" help:"Column of the words (default: that of the model; in training 1, in CoNLL-U 2, FORM)."`
}

// open begins to read sentences as the flags say, or else like those of a model.
func (f *tagInputFlags) open(c *call, paths []string, like tag.Reading, tagged bool) (*tag.Reader, error) {
	asked := tag.Reading{Format: f.Format, Column: f.Column, WordColumn: f.WordColumn}
	if err := asked.Validate(); err != nil {
		return nil, usageError{err}
	}
	return tag.NewReader(tag.Input{Paths: paths, Stdin: c.in, Reading: asked, Like: like, Untagged: !tagged})
}

// with has a model and sentences used, which are read as the flags say, or else like those of the model.
func (f *tagInputFlags) with(
	c *call, model string, paths []string, tagged bool, use func(m *tag.Model, r *tag.Reader) error,
) error {
	m, err := tag.Open(model)
	if err != nil {
		return err
	}
	defer m.Close()
	r, err := f.open(c, paths, m.Input, tagged)
	if err != nil {
		return err
	}
	defer r.Close()
	return use(m, r)
}

type tagTrainCmd struct {
	Input  []string `file:"in" arg:"" optional:"" help:"Files of sentences with tags; - or nothing is standard input."`
	Output string   `file:"binary" short:"o" required:"" group:"output" placeholder:"MODEL" help:"Model to write; - is standard output."`

	Model     tag.Kind   `group:"model" enum:"perceptron,window,crf" default:"perceptron" placeholder:"KIND" help:"perceptron (structured averaged perceptron), window (each word on its own, by a linear SVM) or crf (conditional random field) (default: perceptron)."`
	Templates string     `group:"text" placeholder:"LIST" help:"Feature templates, separated by spaces (default: see below)."`
	MinCount  *int       `group:"text" placeholder:"N" help:"Drop features that occur less often (default: 1)."`
	Scheme    tag.Scheme `group:"model" enum:"auto,none,iob2,iobes" default:"auto" placeholder:"SCHEME" help:"Which tags may follow each other: none, iob2 or iobes (default: auto, the scheme that all sentences follow)."`
	Epochs    *int       `values:"1 to 1000000" group:"model" placeholder:"N" help:"Number of passes (default: 10; 30 for crf; window stops when it converges)."`
	C         *float64   `name:"C" values:"from 1e-6 to 1e6" group:"model" placeholder:"X" help:"window: inverse regularization strength (default: 1)."`
	L2        *float64   `name:"l2" group:"model" placeholder:"X" help:"crf: L2 regularization (default: 1)."`
	Seed      uint64     `values:"0 to 18446744073709551615" group:"model" placeholder:"N" help:"Seed of the order of sentences (default: 0)."`
	tagInputFlags
}

func (t *tagTrainCmd) Help() string {
	return `Reads sentences in columns (CoNLL: one word per line, a blank line after each sentence), CoNLL-U, or lines of
word/TAG. Compression (gzip, zstd) is detected.

    nbsvm tag train train.conllu -o pos.nbt
    nbsvm tag train --model crf chunks.conll -o chunks.nbt

A template is an attribute of the word at an offset from the tagged one, or several joined by |. Attributes: w the word,
l the word in lower case, p1 to p9 a prefix and s1 to s9 a suffix of that many characters, shape the kinds of
characters, c3 the third column. bias is always included. The default:

    ` + wrapped(tag.DefaultTemplates) + `

CoNLL columns other than those of words and tags add, for the second column:

    ` + wrapped(strings.ReplaceAll(tag.ColumnTemplates, "N", "2"))
}

// wrapped breaks a list of words into lines of a help text.
func wrapped(text string) (lines string) {
	for i, line := range fold(text, 100) {
		if i > 0 {
			lines += "\n    "
		}
		lines += line
	}
	return lines
}

func (t *tagTrainCmd) Run(c *call) error {
	given := facts.Tag{
		Model: t.Model, Templates: t.Templates, Scheme: t.Scheme, Epochs: t.Epochs, MinCount: t.MinCount, L2: t.L2,
		C: t.C, Seed: t.Seed, Threads: c.Threads,
	}
	o, err := given.Options()
	if err != nil {
		return usageError{err}
	}
	r, err := t.open(c, t.Input, tag.Reading{}, true)
	if err != nil {
		return err
	}
	defer r.Close()
	var epochs []tag.Epoch
	o.Progress = func(e tag.Epoch) {
		epochs = append(epochs, e)
		c.progress.Show(corpus.Progress{Stage: "train", Done: int64(e.Number), Total: int64(o.Epochs), Unit: "epochs"})
	}
	o.Solved = func(tags, of int) {
		c.progress.Show(corpus.Progress{Stage: "train", Done: int64(tags), Total: int64(of), Unit: "tags"})
	}
	m, err := tag.Train(c.ctx, r, o)
	if err != nil {
		return err
	}
	c.progress.Clear()
	size := int64(0)
	if err := c.writeOutput(t.Output, func(w io.Writer) (err error) {
		size, err = m.WriteTo(w)
		return err
	}); err != nil || c.Quiet {
		return err
	}
	out := c.summaryFor(t.Output)
	if c.JSON {
		return printJSON(out, struct {
			tag.Meta
			Epochs []tag.Epoch `json:"epochs,omitempty"`
			Bytes  int64       `json:"bytes"`
		}{m.Meta, epochs, size})
	}
	for _, e := range epochs {
		if t.Model == tag.CRF {
			fmt.Fprintf(out, "epoch %d: loss %.4f a word\n", e.Number, e.Loss)
		} else {
			fmt.Fprintf(out, "epoch %d: %s\n", e.Number, display.Some(e.Mistakes, "mistake"))
		}
	}
	if n := m.Training.Unconverged; n > 0 {
		fmt.Fprintf(out, "the weights of %s have not converged; lower --C\n", display.Some(n, "tag"))
	}
	_, err = fmt.Fprintf(out, "%s of %s, %s, %s, scheme %s, %s: %s\n", display.Some(m.Training.Sentences, "sentence"),
		display.Some(m.Training.Words, "word"),
		display.Some(len(m.Tags), "tag"), display.Some(m.Features, "feature"), m.Scheme, display.Bytes(size),
		display.Label(t.Output))
	return err
}

type tagScoreCmd struct {
	Model  string   `file:"in" arg:"" help:"Model file."`
	Input  []string `file:"in" arg:"" optional:"" help:"Files of sentences; - or nothing is standard input."`
	Output string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Output file; names in .zst and .gz are compressed (default: standard output)."`

	Marginals bool `needs:"json" group:"output" help:"With --json and crf: the probabilities of each word's tags."`
	tagInputFlags
}

func (t *tagScoreCmd) Help() string {
	return `The output is the input with predicted tags, in the column of tags or after the slashes of word/TAG. The column
of tags may be missing if it would be the last. Use --format words for lines of words without tags. --json prints one
object per sentence, with its words and tags.

    nbsvm tag score pos.nbt new.conllu -o tagged.conllu
    echo 'They refuse to permit it .' | nbsvm tag score --format words pos.nbt`
}

func (t *tagScoreCmd) Run(c *call) error {
	return t.with(c, t.Model, t.Input, false, func(m *tag.Model, r *tag.Reader) error {
		return c.writeText(t.Output, compressFlag{scoring.Compress{How: "auto"}}, func(w io.Writer) error {
			if c.JSON {
				return m.Describe(c.ctx, r, w, c.Threads, t.Marginals)
			}
			return m.Score(c.ctx, r, w, c.Threads)
		})
	})
}

type tagEvalCmd struct {
	Model string   `file:"in" arg:"" help:"Model file."`
	Input []string `file:"in" arg:"" optional:"" help:"Files of sentences with tags; - or nothing is standard input."`
	tagInputFlags
}

func (t *tagEvalCmd) Help() string {
	return `--json has the keys accuracy, sentence_accuracy, words, sentences and per_tag. If the tags are chunks (B-X,
I-X, E-X, S-X and O), it also has f1, chunks and per_chunk, counted as conlleval does.

    nbsvm tag eval pos.nbt test.conllu
    nbsvm tag eval --json chunks.nbt test.conll | jq .f1`
}

func (t *tagEvalCmd) Run(c *call) error {
	return t.with(c, t.Model, t.Input, true, func(m *tag.Model, r *tag.Reader) error {
		report, err := m.Evaluate(c.ctx, r, c.Threads)
		if err != nil {
			return err
		}
		return c.printReport(report)
	})
}
