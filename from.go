package nbsvm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// UpdateOptions returns options to update the classifier with new documents (see [Options].From): those that it was
// trained with.
func (c *Classifier) UpdateOptions() (o Options, err error) {
	if c.c.FastText() != nil {
		return o, errors.New("nbsvm: a model that fastText trained can't be updated: give one that nbsvm train has written")
	}
	made, err := c.Report()
	if err != nil {
		return o, err
	}
	o = made.Options.leftToKind()
	o.From = c
	return o, nil
}

// from returns the model to update, or nil.
func (o *Options) from() *model.Model {
	if o.From == nil {
		return nil
	}
	return o.From.c.Model()
}

// checkFrom refuses to update a model where that is not possible with these options.
func (o *Options) checkFrom() error {
	m, linear := o.from(), []Kind{NBSVM, SVM, Logistic}
	refuse := func(format string, arguments ...any) error {
		return fmt.Errorf("nbsvm: updating a model: "+format, arguments...)
	}
	switch {
	case !slices.Contains(linear, o.Kind):
		return refuse("model %s can't; %s can", o.Kind, listed(linear, "and"))
	case m.Rule != nil, m.Meta.Source != textSource && m.Meta.Source != featureSource:
		return refuse("it has no weights of n-grams: use one that nbsvm train made with Options.Kind %s",
			listed(linear, "and"))
	case m.Meta.Paths != nil, m.Meta.Closed != "", o.Hierarchy != "", o.Tree == AlwaysTree:
		return refuse("a model of labels in a tree can't be updated, as each node is trained against its siblings: train on all documents instead")
	case o.MaxModel > 0:
		return refuse("Options.MaxModel trains again on fewer n-grams, which needs the earlier documents: leave out Options.MaxModel, or train on all documents")
	case m.Meta.Values != string(o.valuesOf(m.Meta.Text)):
		return refuse("its features have the values %s, not %s: leave out Options.Values", m.Meta.Values, o.Values)
	case (m.IDF != nil) != o.Values.idf(), m.Meta.Source == textSource && m.Universe != 1<<m.Meta.Text.Bits:
		return refuse("its parts contradict each other, so nbsvm train has not written it like this: use another model")
	case m.Meta.Normalize != o.Normalize || m.Meta.Prenormalize != o.Prenormalize:
		return refuse("it scales documents differently: leave out Options.Normalize and Options.Prenormalize")
	case o.Kind == NBSVM && m.Ratio == nil:
		return refuse("it has no log-count ratios: leave out Options.Kind")
	case o.Kind != NBSVM && m.Ratio != nil:
		return refuse("it has log-count ratios, which model %s does not use: leave out Options.Kind", o.Kind)
	}
	return nil
}

// follow adopts how the model to update reads texts, and returns an error if options contradict it.
func (o Options) follow() (Options, error) {
	if o.From == nil {
		return o, nil
	}
	if o.Kind = o.Kind.ofText(); o.Tree != AlwaysTree {
		o.Tree = NeverTree
	}
	if err := o.checkFrom(); err != nil {
		return o, err
	}
	if o.from().Meta.Source != textSource {
		return o, nil
	}
	asked, text := o.Text, o.from().Meta.Text
	if len(asked.Families.List()) == 0 {
		asked.Families, o.Text.Families = text.Families, text.Families
	}
	asked.Seed = text.Seed
	if option, given, its := asked.Diff(text); option != "" {
		return o, fmt.Errorf("nbsvm: updating a model: it has %s %v, not %v: leave out the option", option, its, given)
	}
	if asked.Bits != text.Bits {
		return o, fmt.Errorf("nbsvm: updating a model: its keys have %d bits, not %d: leave out Options.Text.Bits",
			text.Bits, asked.Bits)
	}
	o.Text.Seed = text.Seed
	return o, nil
}

// adopt gives a dataset the classes of the model to update.
func (o *Options) adopt(ds *dataset.Dataset, input string) error {
	if o.From == nil {
		return nil
	}
	meta := &o.from().Meta
	if ds.Ready() == (meta.Source == textSource) {
		takes, has := "texts", "ready-made features"
		if !ds.Ready() {
			takes, has = has, takes
		}
		return fmt.Errorf("nbsvm: %s has %s, and the model to update takes %s", input, has, takes)
	}
	multi := meta.Task == "multilabel"
	if ds.Classes.Multi && !multi {
		return fmt.Errorf("nbsvm: %s: documents have several labels or none, and the model to update gives one to each: leave out Input.LabelSep", input)
	}
	ds.Classes.Include(meta.Labels, multi)
	return nil
}

// earlier returns how many documents the model to update was trained on in all, according to its record.
func (o *settings) earlier() int64 {
	var made struct {
		Documents int64 `json:"documents"`
		Earlier   int64 `json:"earlier"`
	}
	if o.From == nil || json.Unmarshal(o.from().Meta.Made, &made) != nil {
		return 0
	}
	const most = 1 << 53
	return min(max(made.Documents, 0), most) + min(max(made.Earlier, 0), most)
}

// known returns the features of the model to update; nil if there is none.
func (o *settings) known() *dataset.Known {
	if o.From == nil {
		return nil
	}
	m := o.from()
	keys := make([]uint64, 0, m.Keys.Size())
	for _, key := range m.Keys.All() {
		keys = append(keys, key)
	}
	return &dataset.Known{Keys: keys, Universe: m.Universe, IDF: m.IDF}
}
