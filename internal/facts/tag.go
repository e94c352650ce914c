package facts

import (
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/tag"
)

// Tag has the options of training a tagging model that may be given. Those that are not, nil or "", keep their
// defaults.
type Tag struct {
	Model     tag.Kind   `json:"model"`
	Templates string     `json:"templates"`
	Scheme    tag.Scheme `json:"scheme"`
	Epochs    *int       `json:"epochs"`
	MinCount  *int       `json:"min_count"`
	L2        *float64   `json:"l2"`
	C         *float64   `json:"C"`
	Seed      uint64     `json:"seed"`
	Threads   int        `json:"threads"`
}

// Options are those of the library. Options without effect on the kind of model are errors.
func (t *Tag) Options() (tag.Options, error) {
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
	given(&o.C, t.C)
	o.Seed, o.Threads = t.Seed, t.Threads
	switch window := o.Kind == tag.Window; {
	case t.L2 != nil && o.Kind != tag.CRF:
		return o, fmt.Errorf("--l2 needs --model crf, not %s", o.Kind)
	case t.C != nil && !window:
		return o, errors.New("--C needs --model window; crf takes --l2")
	case t.Epochs != nil && window:
		return o, errors.New("--epochs has no effect on --model window, which stops when it converges: leave it out")
	}
	return o, o.Validate()
}

// given sets an option that was given.
func given[T any](option, value *T) {
	if value != nil {
		*option = *value
	}
}
