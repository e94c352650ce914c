package scoring

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// WrongDocument is one that is classified wrongly. Its keys are those by which it is read again.
type WrongDocument struct {
	Label       Labels   `json:"label"`
	Predicted   Labels   `json:"predicted"`
	Probability *float64 `json:"probability,omitempty"` // of the predicted label, where there is only one
	Margin      *float64 `json:"margin,omitempty"`      // where there are no probabilities
	Loss        float64  `json:"loss"`
	Text        string   `json:"text"`
}

// Labels are those of a document: one, or any number; or a number in place of labels.
type Labels struct {
	Names  []string
	Multi  bool     // documents may have any number
	Number *float64 // nil where there are labels
}

// MarshalJSON makes a string of one label, a list of any number.
func (l Labels) MarshalJSON() ([]byte, error) {
	if l.Number != nil {
		return marshal(*l.Number)
	}
	if l.Multi {
		return marshal(l.Names)
	}
	return marshal(l.Names[0])
}

// marshal is json.Marshal, but leaves <, > and & as they are.
func marshal(value any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return []byte(b.String()), err
}

// addToWrong keeps a document if it is classified wrongly.
func (j *Judge) addToWrong(d nbsvm.Judgement) {
	loss := j.c.Loss(&d)
	if loss <= 0 {
		return
	}
	j.all++
	if j.wrong = append(j.wrong, j.describe(d, loss)); len(j.wrong) == 2*mostWrong {
		j.sortWrong()
	}
}

// sortWrong keeps the documents of the highest loss, highest first; of the same loss those that came first.
func (j *Judge) sortWrong() {
	most := min(mostWrong, len(j.wrong))
	slices.SortStableFunc(j.wrong, func(a, b WrongDocument) int { return cmp.Compare(b.Loss, a.Loss) })
	clear(j.wrong[most:])
	j.wrong = j.wrong[:most]
}

// describe copies what is to be shown of a document.
func (j *Judge) describe(d nbsvm.Judgement, loss float64) WrongDocument {
	names := func(classes []int) Labels {
		l := Labels{Names: []string{}, Multi: j.c.MultiLabel()}
		for _, k := range classes {
			if k != metrics.Unknown {
				l.Names = append(l.Names, j.c.Labels()[k])
			}
		}
		return l
	}
	if j.c.Numbers() {
		got := d.Scores[0]
		return WrongDocument{Labels{Number: &d.Number}, Labels{Number: &got}, nil, nil, loss, string(d.Document.Text)}
	}
	w := WrongDocument{Label: names(d.Want), Predicted: names(d.Labels), Loss: loss, Text: string(d.Document.Text)}
	if j.c.MultiLabel() {
		return w
	}
	of := d.Scores[d.Labels[0]]
	if j.c.Probabilities() {
		w.Probability = &of
	} else {
		w.Margin = &of
	}
	return w
}

// CheckWrong refuses names of files that WriteWrong can't write for: other formats would be read by their names.
func CheckWrong(path string) error {
	switch of := corpus.FormatOfName(path); {
	case path == "-":
		return errors.New("--wrong can't be standard output, where the summary goes: name a file")
	case of != corpus.Auto && of != corpus.JSONL && of != corpus.Lines:
		return fmt.Errorf("--wrong writes JSON lines, and %s is named as %s: name it .jsonl", path, of)
	}
	return nil
}

// WriteWrong writes the most wrong documents as JSON lines that train, eval and score read.
func (j *Judge) WriteWrong(w io.Writer) error {
	j.sortWrong()
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range j.wrong {
		if err := e.Encode(&j.wrong[i]); err != nil {
			return err
		}
	}
	return nil
}

// Written returns how many documents WriteWrong writes, and of how many that are classified wrongly.
func (j *Judge) Written() string {
	all := display.Some(j.all, "misclassified document")
	if j.all > mostWrong {
		return fmt.Sprintf("the most wrong %s of %s", display.Count(mostWrong), all)
	}
	return all
}

// scoreName returns what the scores of the model are.
func (j *Judge) scoreName() string {
	switch Scale(j.c) {
	case "probabilities":
		return "probability"
	case "scores":
		return "score"
	}
	return "margin"
}
