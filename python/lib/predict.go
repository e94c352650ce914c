package main

// #include "nbsvm.h"
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/tag"
)

// described is what Python needs to know about a model.
type described struct {
	Labels        []string      `json:"labels"`
	MultiLabel    bool          `json:"multi_label"`
	Numbers       bool          `json:"numbers"`
	Probabilities bool          `json:"probabilities"`
	TakesFeatures bool          `json:"takes_features"`
	Bits          int           `json:"bits"`     // of a weight
	Made          *nbsvm.Report `json:"made"`     // null if unknown
	FastText      *fromFastText `json:"fasttext"` // null unless fastText trained the model
}

// fromFastText is what fastText's own module reports about its models.
type fromFastText struct {
	Options     map[string]any `json:"options"`
	LabelPrefix string         `json:"label_prefix"` // of the labels in the file; Labels has none
	ByFrequency []int          `json:"by_frequency"` // numbers of the labels in fastText's order
	Counts      []int64        `json:"counts"`       // of these
}

func ofFastText(c *nbsvm.Classifier) *fromFastText {
	m := inside.Classifier(c).FastText()
	if m == nil {
		return nil
	}
	labels, counts := m.ByFrequency()
	facts := m.Facts()
	return &fromFastText{map[string]any{
		"model": "fasttext", "version": facts.Version, "dim": facts.Dim, "loss": facts.LossName,
		"word_ngrams": facts.WordNgrams,
		"minn":        facts.MinN, "maxn": facts.MaxN, "bucket": facts.Bucket,
	}, inside.Classifier(c).LabelPrefix(), labels, counts}
}

// nbsvm_describe returns what a model is, as JSON.
//
//export nbsvm_describe
func nbsvm_describe(handle C.uintptr_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		switch m := modelOf(handle).(type) {
		case *tag.Model:
			return replyJSON(m.Meta, out, size)
		case *fasttext.File:
			return replyJSON(m.Shape(), out, size)
		}
		c := classifierOf(handle)
		theirs := ofFastText(c)
		made, err := c.Report()
		if err != nil || theirs != nil {
			made = nil // another program made the model
		}
		return replyJSON(described{
			c.Labels(), c.MultiLabel(), c.Numbers(), c.Probabilities(), c.TakesFeatures(),
			inside.Classifier(c).Model().Bits(), made, theirs,
		}, out, size)
	})
}

// choice says which classes of a prediction are returned: the k best whose score is not below a threshold. If a model
// with one label a document predicts none, none are returned.
type choice struct {
	c     *nbsvm.Classifier
	k     int
	least float64
	multi bool
}

// choose makes the choice for a classifier. A threshold of 0 leaves no class out, since margins may be negative. For
// fastText models 0 is a real threshold, as in fastText.
func choose(c *nbsvm.Classifier, k C.int32_t, threshold C.double) choice {
	if threshold == 0 && inside.Classifier(c).FastText() == nil {
		threshold = C.double(math.Inf(-1))
	}
	return choice{c, int(k), inside.Classifier(c).Least(float64(threshold)), c.MultiLabel()}
}

func (c choice) of(p *score.Prediction) []int {
	if len(p.Labels) == 0 && !c.multi {
		return nil
	}
	return inside.Classifier(c.c).Best(p, c.k, c.least)
}

// nbsvm_predict predicts one text. out has room for k scores, then k labels, then their number.
//
//export nbsvm_predict
func nbsvm_predict(
	handle C.uintptr_t, text unsafe.Pointer, size C.size_t, k C.int32_t, threshold C.double, out unsafe.Pointer,
) *C.char {
	return try(func() error {
		c := classifierOf(handle)
		chosen := choose(c, k, threshold)
		scores, numbers := view[float64](out, int(k)), view[int32](unsafe.Add(out, 8*int(k)), int(k)+1)
		if k == 1 {
			class, score, err := inside.Classifier(c).PredictBest(view[byte](text, int(size)))
			if err != nil {
				return err
			}
			scores[0], numbers[0], numbers[1] = score, int32(class), 1
			if class < 0 || score < chosen.least {
				numbers[1] = 0
			}
			return nil
		}
		p, err := inside.Classifier(c).Predict(view[byte](text, int(size)))
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

// legible returns texts of the caller, which are refused if most of them is in another encoding. A fastText model takes
// any, as in fastText.
func legible(c *nbsvm.Classifier, texts *C.nbsvm_texts) ([][]byte, error) {
	list, err := views(texts)
	if err != nil || inside.Classifier(c).FastText() != nil {
		return list, err
	}
	err = doubt.Texts(func(yield func(string) bool) {
		for _, text := range list {
			if !yield(unsafe.String(unsafe.SliceData(text), len(text))) {
				return
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("nbsvm: %w", err)
	}
	return list, nil
}

// nbsvm_predict_all predicts texts on several threads (0 for all processors). labels and scores have room for k classes
// of each text; counts receives their numbers.
//
//export nbsvm_predict_all
func nbsvm_predict_all(handle C.uintptr_t, texts *C.nbsvm_texts, threads, k C.int32_t, threshold C.double, labels *C.int32_t, scores *C.double, counts *C.int32_t) *C.char {
	return try(func() error {
		c := classifierOf(handle)
		list, err := legible(c, texts)
		if err != nil {
			return err
		}
		n, chosen := int(k), choose(c, k, threshold)
		toLabels, toScores := view[int32](unsafe.Pointer(labels), n*len(list)),
			view[float64](unsafe.Pointer(scores), n*len(list))
		toCounts := view[int32](unsafe.Pointer(counts), len(list))
		var only []int
		if k == 1 {
			only = score.OnlyPredicted
		}
		return inside.Classifier(c).PredictAll(context.Background(), list, int(threads), only, func(t int, p *score.Prediction) {
			best := chosen.of(p)
			for i, class := range best {
				toLabels[n*t+i], toScores[n*t+i] = int32(class), p.Scores[class]
			}
			toCounts[t] = int32(len(best))
		})
	})
}

// nbsvm_scores writes the scores of all classes of texts. Unless decided is null, it receives a 1 for each class that
// the model decides for.
//
//export nbsvm_scores
func nbsvm_scores(
	handle C.uintptr_t, texts *C.nbsvm_texts, threads C.int32_t, scores *C.double, decided *C.uint8_t,
) *C.char {
	return try(func() error {
		c := classifierOf(handle)
		list, err := legible(c, texts)
		if err != nil {
			return err
		}
		n := len(c.Labels())
		toScores := view[float64](unsafe.Pointer(scores), n*len(list))
		var toDecided []byte
		if decided != nil {
			toDecided = view[byte](unsafe.Pointer(decided), n*len(list))
		}
		return inside.Classifier(c).PredictAll(context.Background(), list, int(threads), nil, func(t int, p *score.Prediction) {
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

// nbsvm_quantize returns the bytes of a model file with weights of 8 bits.
//
//export nbsvm_quantize
func nbsvm_quantize(handle C.uintptr_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		small, err := inside.Classifier(classifierOf(handle)).Quantize()
		if err != nil {
			return err
		}
		var data bytes.Buffer
		if _, err := small.WriteTo(&data); err != nil {
			return err
		}
		reply(data.Bytes(), out, size)
		return nil
	})
}

// nbsvm_explain explains the prediction of a text, as JSON. If text is null, it lists the strongest features of each
// class.
//
//export nbsvm_explain
func nbsvm_explain(
	handle C.uintptr_t, text unsafe.Pointer, size C.size_t, top C.int32_t, out **C.char, outSize *C.size_t,
) *C.char {
	return try(func() error {
		c := classifierOf(handle)
		if top < 0 {
			return fmt.Errorf("nbsvm: top must be 0 or more, got %d", top)
		}
		if text == nil {
			list, err := c.Explain(int(top))
			if err != nil {
				return err
			}
			return replyJSON(list, out, outSize)
		}
		if c.TakesFeatures() {
			return fmt.Errorf("nbsvm: the model takes ready-made features, so it can't explain a text; use the command nbsvm explain")
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
			*explain.Text
			Others       int     `json:"others"`
			OthersMargin float64 `json:"others_margin"`
		}{e, e.Others, e.OthersMargin}, out, outSize)
	})
}
