package bench

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// scoreDefaults score 50,000 generated documents of 200 words, and as much text in short ones.
func scoreDefaults(c *Config, quick bool) {
	c.Generated.Documents, c.Generated.Words, c.Generated.Lengths = 50_000, 200, logNormal
	if quick {
		c.Generated.Documents = 20_000
	}
}

// scoring is a model, and files to score with it.
type scoring struct {
	labels     []label
	classifier *nbsvm.Classifier
	in         corpus.Input
}

// scoreCases measure scoring from file to file.
func scoreCases(ctx context.Context, j *job) (cases []Case, err error) {
	var scorings []scoring
	if j.Model == "" && len(j.Input.Paths) == 0 {
		scorings, err = j.generateScorings(ctx)
	} else {
		scorings, err = j.givenScoring(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, threads := range j.Threads {
		for _, s := range scorings {
			labels := append(slices.Clip(s.labels), Labels("threads", threads)...)
			cases = append(cases, Case{labels, func(ctx context.Context) ([]Value, error) {
				return s.scoreFile(ctx, threads, filepath.Join(j.folder, "scores"))
			}})
		}
	}
	return cases, nil
}

// givenScoring is that of the files and the model that were named; either may be generated.
func (j *job) givenScoring(ctx context.Context) ([]scoring, error) {
	var classifier *nbsvm.Classifier
	var err error
	if j.Model != "" {
		if classifier, err = nbsvm.Open(j.Model); err == nil {
			j.ends = append(j.ends, classifier.Close)
		}
	} else {
		classifier, _, err = nbsvm.Train(ctx, j.in, j.Options)
	}
	return []scoring{{classifier: classifier, in: j.in}}, err
}

// variant is a row of the table.
type variant struct {
	classes int
	orders  [2]int         // of n-grams
	words   int            // a document, on average
	beside  hashing.Family // n-grams beside those of the orders, if any
}

// ngrams names the n-grams of a variant's model.
func (v variant) ngrams() string {
	name := ordersLabel(v.orders[0], v.orders[1])
	if v.beside != (hashing.Family{}) {
		name += "," + v.beside.String()
	}
	return name
}

// shortWords are the words of a title or a short message.
const shortWords = 12

// generateScorings returns what users run: a first one, and what differs from it in one thing or in two. Models are
// trained on a fifth as many documents, others than are scored.
func (j *job) generateScorings(ctx context.Context) (scorings []scoring, err error) {
	classes, words := j.Generated.Classes, j.Generated.Words
	orders := [2]int{j.Options.Text.Families[0].NgramLo, j.Options.Text.Families[0].NgramHi}
	if orders[1] == 0 {
		orders = [2]int{1, 3} // as the defaults have it where there is text enough
	}
	var alone, beside hashing.Family
	if of := j.Options.Text.Families; of[0].Tokenizer == hashing.Word && len(of.List()) <= 1 {
		beside = hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5}
	}
	models := map[variant]*nbsvm.Classifier{} // by classes and n-grams
	for _, v := range slices.Compact([]variant{
		{classes, orders, words, alone},
		{classes, [2]int{1, 2}, words, alone},
		{classes, [2]int{1, 2}, words, beside},
		{10, orders, words, alone},
		{70, orders, words, alone},
		{classes, orders, shortWords, alone},
	}) {
		c := j.Generated
		c.Classes = v.classes
		model := variant{classes: v.classes, orders: v.orders, beside: v.beside}
		if models[model] == nil {
			known, o := c, j.Options
			known.Documents, known.Seed = max(c.Documents/5, 10*c.Classes), c.Seed+1
			o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = v.orders[0], v.orders[1]
			if v.beside != alone {
				if o.Text.Families, err = hashing.NewFamilies(o.Text.Families[0], v.beside); err != nil {
					return nil, err
				}
			}
			in, err := j.generate(ctx, known)
			if err != nil {
				return nil, err
			}
			if models[model], _, err = nbsvm.Train(ctx, in, o); err != nil {
				return nil, err
			}
		}
		c.Documents, c.Words = c.Documents*words/v.words, v.words // as much text
		in, err := j.generate(ctx, c)
		if err != nil {
			return nil, err
		}
		labels := Labels("classes", v.classes, "ngrams", v.ngrams(), "words", v.words)
		scorings = append(scorings, scoring{labels: labels, classifier: models[model], in: in})
	}
	return scorings, nil
}

// scoreFile scores the files, and writes the labels and their scores. Its rates all tell of the same time: file MB/s
// are of the files' bytes, compressed where they are, and text MB/s, the one to compare, of the text in them.
func (s scoring) scoreFile(ctx context.Context, threads int, path string) ([]Value, error) {
	labels := s.classifier.Labels()
	render := func(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
		if p != nil && len(p.Labels) > 0 {
			dst = append(append(dst, labels[p.Labels[0]]...), '\t')
			dst = strconv.AppendFloat(dst, p.Scores[p.Labels[0]], 'g', -1, 64)
		}
		return append(dst, '\n')
	}
	size := 0
	for _, path := range s.in.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		size += int(info.Size())
	}
	start := time.Now()
	var stats nbsvm.ScoreStats
	err := osfile.WriteFile(path, func(w io.Writer) (err error) {
		stats, err = s.classifier.Score(ctx, s.in, nbsvm.ScoreOptions{Threads: threads}, render, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	return []Value{
		{"documents/s", "", float64(stats.Documents) / took.Seconds()},
		{"file MB/s", "", rate(size, took)},
		{"text MB/s", higher, rate(int(stats.Bytes), took)},
	}, nil
}
