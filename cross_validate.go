package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// errOnlyTrain is returned where Options.From would be ignored.
var errOnlyTrain = errors.New("nbsvm: From is for Train alone: cross-validation and Tune train from scratch: leave it out")

// CrossValidation is the result of [CrossValidate].
type CrossValidation struct {
	// Folds has the metrics of each fold.
	Folds []*metrics.Report
	// Times has the durations of each fold. Unlike all else, they differ from run to run.
	Times []FoldTimes
	// Documents is the number of documents in all folds, and Labels are the classes.
	Documents int
	Labels    []string
	// Task is "binary" or "multiclass" for documents of one label each, "multilabel" for documents of any number of labels,
	// and "regression" for documents with numbers.
	Task string
	// Plain reports whether near-duplicates may be in several folds, as Options.PlainFolds says.
	Plain bool
	// Grouped is the number of documents whose near-duplicates are all in the same fold. Divided is the number of
	// documents with near-duplicates in other folds, because their group has more than a fold's share of a class.
	Grouped, Divided int
	// Bad is the number of records that were skipped, and Reasons counts them by what is wrong with them.
	Bad     int64
	Reasons corpus.Reasons
}

// FoldTimes says how long a fold took, apart from reading and hashing the documents, which is done once for all folds.
type FoldTimes struct {
	// Train is the duration of the training.
	Train time.Duration
	// Score is the duration of predicting the fold's documents.
	Score time.Duration
}

// CrossValidate measures how good models with these options are on documents that they have not seen. It divides the
// documents into folds (2 or more), trains on all folds but one, and evaluates on that one, for each fold in turn.
//
// Folds are stratified: each has its share of every class, or of every combination of labels if documents have several.
// Texts that have nearly all words in common are in one fold, as far as it has no more than its share of a class: a
// model that remembers one of them is no better on new documents. Packed corpora, ready-made features and documents
// that exceed Options.Memory are grouped by equal rows instead. Options.PlainFolds turns grouping off. Text is read and
// hashed once, but all that is learned, such as the choice of n-grams, ratios, weights and thresholds, is learned
// without the held-out fold.
func CrossValidate(ctx context.Context, in corpus.Input, o Options, folds int) (*CrossValidation, error) {
	all, err := CrossValidateAll(ctx, in, []Options{o}, folds, nil)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CrossValidateAll cross-validates several settings on the same folds. It is faster than one call of CrossValidate for
// each: settings with the same n-grams share the reading and hashing of texts, and settings with the same matrix share
// that. judge, if not nil, is called for each document, with the classifier that was trained without it: fold after
// fold, in the order of the input, for each setting. It must not keep its arguments. Packed corpora, ready-made
// features and Options.Memory keep no texts, and are an error then.
func CrossValidateAll(
	ctx context.Context, in corpus.Input, settings []Options, folds int, judge func(c *Classifier, j Judgement),
) ([]*CrossValidation, error) {
	if len(settings) == 0 {
		return nil, errors.New("nbsvm: no options to cross-validate")
	}
	if slices.ContainsFunc(settings, func(o Options) bool { return o.From != nil }) {
		return nil, errOnlyTrain
	}
	left := in.Bad // later readings have none
	before := left.Reasons()
	settings = slices.Clone(settings)
	for i := range settings {
		if settings[i].Seed != settings[0].Seed {
			return nil, fmt.Errorf("nbsvm: all settings need the same seed, as it makes the folds: setting 1 has %d, setting %d has %d", settings[0].Seed, i+1, settings[i].Seed)
		}
		var err error
		if settings[i], err = settings[i].forKind().ofKind(in); err != nil {
			return nil, err
		}
	}
	groups := readAlike(settings)
	if len(groups) > 1 && in.ReadsStdin() {
		return nil, errors.New("nbsvm: the settings need different n-grams, so the documents are read several times: give files, not standard input")
	}
	all, done := make([]*CrossValidation, len(settings)), 0
	progress := settings[0].Progress
	for _, group := range groups {
		first := max(0, slices.IndexFunc(group, func(i int) bool { return settings[i].Values.counted() }))
		f, err := openFolds(ctx, in, settings[group[first]], folds, nil)
		if err != nil {
			return nil, err
		}
		err = f.crossValidate(ctx, settings, group, all, judge, func() {
			if done++; progress != nil {
				progress(corpus.Progress{
					Stage: "folds", Done: int64(done), Total: int64(folds * len(settings)),
					Unit: "folds",
				})
			}
		})
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		in = in.Again()
	}
	bad := left.Reasons().Without(before)
	for _, cv := range all {
		cv.Bad, cv.Reasons = bad.Sum(), bad
	}
	return all, nil
}

// crossValidate tries some of the settings on all folds. It calls next after each of them.
func (f *foldSet) crossValidate(
	ctx context.Context, settings []Options, some []int, all []*CrossValidation,
	judge func(c *Classifier, j Judgement), next func(),
) error {
	if judge != nil && !f.ds.HasTexts() {
		return errors.New("nbsvm: there are no texts to show: packed corpora, ready-made features and Options.Memory keep none")
	}
	candidates := make([]candidate, len(some))
	for k, i := range some {
		o, err := settings[i], error(nil)
		o.NamesLimit = 0
		if candidates[k], err = f.Candidate(o); err != nil {
			return err
		}
		all[i] = &CrossValidation{
			Documents: f.ds.Documents, Labels: f.ds.Classes.Labels, Task: f.ds.Classes.Task(),
			Plain: f.asked.PlainFolds,
		}
		all[i].Grouped, all[i].Divided = f.parts.Grouped(f.tests)
	}
	return f.Try(ctx, candidates, foldPlan{Judge: judge}, func(t foldTrial) {
		cv := all[some[t.Setting]]
		cv.Folds, cv.Times = append(cv.Folds, t.Report), append(cv.Times, FoldTimes{t.Train, t.Score})
		next()
	})
}

// readAlike groups the settings that can share the n-grams of one reading: counts serve those that do without them,
// too.
func readAlike(settings []Options) [][]int {
	return grouped(settings, func(o Options) any {
		if o.Values != ByWord || !o.Text.ByWord() && !o.leavesOrders() {
			o.Values = Count // else occurrences don't tell how many words have an n-gram
		}
		return o.reading()
	})
}

// shareMatrix groups the settings that have the same matrix. How many outputs it is for does not matter.
func (f *foldSet) shareMatrix(all []*settings) [][]int {
	return grouped(all, func(s *settings) any {
		key := s.matrixOptions(f.ds)
		key.Outputs = 0
		return key
	})
}

// grouped lists the numbers of settings that have the same key, by the first of each.
func grouped[S any](settings []S, key func(S) any) (groups [][]int) {
	number := map[any]int{}
	for i, s := range settings {
		k := key(s)
		n, ok := number[k]
		if !ok {
			n = len(groups)
			number[k], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}
