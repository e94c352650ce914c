// Package tagging has the options of tagging models as the command and Python take them.
package tagging

import (
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/tag"
)

// Choices has the options of training a tagging model that may be given. Those that are not, nil or "", keep their
// defaults.
type Choices struct {
	Model     tag.Kind     `json:"model"`
	Templates string       `json:"templates"`
	Scheme    tag.Scheme   `json:"scheme"`
	Epochs    *int         `json:"epochs"`
	MinCount  *int         `json:"min_count"`
	L2        *float64     `json:"l2"`
	Learner   *tag.Learner `json:"learner"`
	C         *float64     `json:"C"`
	Seed      uint64       `json:"seed"`
	Threads   int          `json:"threads"`
}

// Options are those of the library. Options without effect on the kind of model are errors.
func (t *Choices) Options() (tag.Options, error) {
	o := tag.DefaultOptions(t.Model)
	if t.Model == "" {
		o = tag.DefaultOptions(tag.Perceptron)
	}
	o.Templates = t.Templates
	if t.Scheme != "auto" {
		o.Scheme = t.Scheme
	}
	given(&o.MinCount, t.MinCount)
	given(&o.Epochs, t.Epochs)
	given(&o.L2, t.L2)
	given(&o.Learner, t.Learner)
	given(&o.C, t.C)
	o.Seed, o.Threads = t.Seed, t.Threads
	switch window := o.Kind == tag.Window; {
	case t.L2 != nil && o.Kind != tag.CRF:
		return o, fmt.Errorf("--l2 needs --model crf, not %s", o.Kind)
	case t.Learner != nil && !window:
		return o, errors.New("--learner needs --model window")
	case t.C != nil && (!window || !o.Learner.TakesCost()):
		return o, errors.New("--C needs --model window with --learner pa, svm or logistic; crf takes --l2")
	case t.Epochs != nil && window && !o.Learner.TakesEpochs():
		return o, fmt.Errorf("--epochs has no effect on --learner %s, which stops when it converges: leave it out",
			o.Learner)
	}
	return o, o.Validate()
}

// given sets an option that was given.
func given[T any](option, value *T) {
	if value != nil {
		*option = *value
	}
}
