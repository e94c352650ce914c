package main

// #include "nbsvm.h"
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm"
)

// described is what Python has to know of a model.
type described struct {
	Labels        []string      `json:"labels"`
	MultiLabel    bool          `json:"multi_label"`
	Probabilities bool          `json:"probabilities"`
	TakesFeatures bool          `json:"takes_features"`
	Made          *nbsvm.Report `json:"made"`     // null if it can't be told
	FastText      *fromFastText `json:"fasttext"` // null if fastText has not trained it
}

// fromFastText is what fastText's own module tells of its models.
type fromFastText struct {
	Options     map[string]any `json:"options"`
	LabelPrefix string         `json:"label_prefix"` // of the file's labels, which Labels lacks
	ByFrequency []int          `json:"by_frequency"` // the labels, by their numbers, in fastText's order
	Counts      []int64        `json:"counts"`       // of these
}

func ofFastText(c *nbsvm.Classifier) *fromFastText {
	m := c.FastText()
	if m == nil {
		return nil
	}
	f := m.Facts()
	labels, counts := m.ByFrequency()
	return &fromFastText{map[string]any{
		"model": "fasttext", "version": f.Version, "dim": f.Dim, "loss": f.LossName, "word_ngrams": f.WordNgrams,
		"minn": f.MinN, "maxn": f.MaxN, "bucket": f.Bucket,
	}, m.LabelPrefix(), labels, counts}
}

//export nbsvm_describe
func nbsvm_describe(handle C.uintptr_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		c := classifierOf(handle)
		theirs := ofFastText(c)
		made, err := nbsvm.ReportOf(c)
		if err != nil || theirs != nil {
			made = nil // of a model that another program has made
		}
		return replyJSON(described{c.Labels(), c.MultiLabel(), c.Probabilities(), c.TakesFeatures(), made, theirs}, out, size)
	})
}

// nbsvm_words gives the words that a model of fastText has in its dictionary, with a zero byte behind each.
//
//export nbsvm_words
func nbsvm_words(handle C.uintptr_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		m := classifierOf(handle).FastText()
		if m == nil {
			return errors.New("nbsvm: the model has n-grams by their hashes, and no list of words; explain() names the strongest")
		}
		reply(m.AppendWords(nil), out, size)
		return nil
	})
}

// choice says which classes of a prediction are returned: the k best, without those whose score is below a threshold.
// Where a model without several labels predicts none, there are none.
type choice struct {
	k     int
	least float64
	multi bool
}

// choose is a choice of a classifier's predictions. A threshold of 0 leaves none out, as margins may be negative; but
// fastText's own threshold is 0 where none is given, and leaves labels out by it.
func choose(c *nbsvm.Classifier, k C.int32_t, threshold C.double) choice {
	if threshold == 0 && c.FastText() == nil {
		threshold = C.double(math.Inf(-1))
	}
	return choice{int(k), c.Least(float64(threshold)), c.MultiLabel()}
}

func (c choice) of(p *nbsvm.Prediction) []int {
	if len(p.Labels) == 0 && !c.multi {
		return nil
	}
	return slices.DeleteFunc(p.Best(c.k), func(k int) bool { return p.Scores[k] < c.least })
}

// nbsvm_predict predicts one text. out has room for k scores, behind them for k labels, and then for how many there are.
//
//export nbsvm_predict
func nbsvm_predict(handle C.uintptr_t, text unsafe.Pointer, size C.size_t, k C.int32_t, threshold C.double, out unsafe.Pointer) *C.char {
	return try(func() error {
		c := classifierOf(handle)
		chosen := choose(c, k, threshold)
		scores, numbers := view[float64](out, int(k)), view[int32](unsafe.Add(out, 8*int(k)), int(k)+1)
		if k == 1 {
			class, score, err := c.PredictBest(view[byte](text, int(size)))
			if err != nil {
				return err
			}
			scores[0], numbers[0], numbers[1] = score, int32(class), 1
			if class < 0 || score < chosen.least {
				numbers[1] = 0
			}
			return nil
		}
		p, err := c.Predict(view[byte](text, int(size)))
		if err != nil {
			return err
		}
		best := chosen.of(&p)
		for i, class := range best {
			scores[i], numbers[i] = p.Scores[class], int32(class)
		}
		numbers[k] = int32(len(best))
		return nil
	})
}

// nbsvm_predict_all predicts texts on several threads, 0 for all processors. Of every text labels and scores have room
// for k classes; counts says how many there are.
//
//export nbsvm_predict_all
func nbsvm_predict_all(handle C.uintptr_t, texts *C.nbsvm_texts, threads, k C.int32_t, threshold C.double, labels *C.int32_t, scores *C.float, counts *C.int32_t) *C.char {
	return try(func() error {
		list, err := views(texts)
		if err != nil {
			return err
		}
		c := classifierOf(handle)
		n, chosen := int(k), choose(c, k, threshold)
		toLabels, toScores := view[int32](unsafe.Pointer(labels), n*len(list)), view[float32](unsafe.Pointer(scores), n*len(list))
		toCounts := view[int32](unsafe.Pointer(counts), len(list))
		o := nbsvm.ScoreOptions{Threads: int(threads), OnlyBest: k == 1}
		return c.PredictAll(context.Background(), list, o, func(t int, p *nbsvm.Prediction) {
			best := chosen.of(p)
			for i, class := range best {
				toLabels[n*t+i], toScores[n*t+i] = int32(class), float32(p.Scores[class])
			}
			toCounts[t] = int32(len(best))
		})
	})
}

// nbsvm_scores gives the scores of all classes of texts, and unless decided is null a 1 for each class that the model
// decides for.
//
//export nbsvm_scores
func nbsvm_scores(handle C.uintptr_t, texts *C.nbsvm_texts, threads C.int32_t, scores *C.double, decided *C.uint8_t) *C.char {
	return try(func() error {
		list, err := views(texts)
		if err != nil {
			return err
		}
		c := classifierOf(handle)
		n := len(c.Labels())
		toScores := view[float64](unsafe.Pointer(scores), n*len(list))
		var toDecided []byte
		if decided != nil {
			toDecided = view[byte](unsafe.Pointer(decided), n*len(list))
		}
		return c.PredictAll(context.Background(), list, nbsvm.ScoreOptions{Threads: int(threads)}, func(t int, p *nbsvm.Prediction) {
			copy(toScores[n*t:], p.Scores)
			if toDecided != nil {
				clear(toDecided[n*t:][:n])
				for _, class := range p.Labels {
					toDecided[n*t+class] = 1
				}
			}
		})
	})
}

// nbsvm_explain takes the prediction of a text apart, as JSON; where text is null, it lists the strongest features of
// every class.
//
//export nbsvm_explain
func nbsvm_explain(handle C.uintptr_t, text unsafe.Pointer, size C.size_t, top C.int32_t, out **C.char, outSize *C.size_t) *C.char {
	return try(func() error {
		c := classifierOf(handle)
		if top < 0 {
			return fmt.Errorf("nbsvm: top is %d; want 0 or more", top)
		}
		if text == nil {
			list, err := c.Explain(int(top))
			if err != nil {
				return err
			}
			return replyJSON(list, out, outSize)
		}
		if c.TakesFeatures() {
			return fmt.Errorf("nbsvm: the model takes ready-made features, so there is no text to explain")
		}
		s, err := c.NewScorer()
		if err != nil {
			return err
		}
		e, err := s.ExplainTop(view[byte](text, int(size)), int(top))
		if err != nil {
			return err
		}
		return replyJSON(struct {
			*nbsvm.TextExplanation
			Others       int     `json:"others"`
			OthersMargin float64 `json:"others_margin"`
		}{e, e.Others, e.OthersMargin}, out, outSize)
	})
}

//export nbsvm_save
func nbsvm_save(handle C.uintptr_t, path *C.char) *C.char {
	return try(func() error { return classifierOf(handle).Save(C.GoString(path)) })
}

// nbsvm_bytes gives a model in the form of its file.
//
//export nbsvm_bytes
func nbsvm_bytes(handle C.uintptr_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		var data bytes.Buffer
		if _, err := classifierOf(handle).WriteTo(&data); err != nil {
			return err
		}
		reply(data.Bytes(), out, size)
		return nil
	})
}
