package nbsvm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Training updates a model without the documents that the model was trained on, by adding a correction to it.
// With f the decision values of the model, the solver minimizes
//
//	½·Σ_j h_j·δ_j² + Σ_i C_i·loss(y_i·(f(x_i) + δᵀx_i))
//
// over the new documents i. If all h_j were 1, this would be the dual problem of all documents, earlier ones
// included, with their alpha left as they are. But then a few new documents bend the model more than training on all
// of them would: the others don't resist. So h_j stands for them: it is 1 plus the second derivative that their
// losses would have if they had feature j as often as the new documents do,
//
//	h_j = 1 + stiffness·N/n·Σ_i C·m_i·x_ij²
//
// for N earlier documents and n new ones with weights m_i. The bias, which all documents have, is treated the same way.
// Features that the model knows keep their ratios; new ones have h = 1. A new class begins with the bias that it would
// have learned from N documents without it; new documents without it count as well.

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

// stiffness returns twice the second derivative of the squared hinge, or twice the largest one of the logistic loss;
// the factor 2 makes up for features that occur together.
func (o *settings) stiffness() float64 {
	if o.solverLoss() == solver.Logistic {
		return 0.5
	}
	return 4
}

// stiffBias returns the value of the bias feature that makes the bias as stiff as other weights.
func (o *settings) stiffBias() float64 {
	if o.From == nil {
		return o.Bias
	}
	return o.Bias / math.Sqrt(1+float64(o.stiffness()*o.C*float64(o.earlier())*o.Bias*o.Bias))
}

// checkFrom refuses to update a model where that is not possible with these options.
func (o *Options) checkFrom() error {
	m := o.from()
	refuse := func(format string, arguments ...any) error {
		return fmt.Errorf("nbsvm: updating a model: "+format, arguments...)
	}
	switch {
	case !o.Kind.Solved():
		return refuse("model %s can't; %s can", o.Kind, kindsTaking("loss", "and"))
	case m.Rule != nil, m.Meta.Source != textSource && m.Meta.Source != featureSource:
		return refuse("it has no weights of n-grams: use one that nbsvm train made with Options.Kind %s",
			kindsTaking("loss", "and"))
	case m.Meta.Paths != nil, m.Meta.Closed != "", o.Hierarchy != "", o.Tree == AlwaysTree:
		return refuse("a model of labels in a tree can't be updated, as each node is trained against its siblings: train on all documents instead")
	case o.MaxModel > 0:
		return refuse("Options.MaxModel trains again on fewer n-grams, which needs the earlier documents: leave out Options.MaxModel, or train on all documents")
	case m.Meta.Values != string(o.Values):
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
	if o.AutoNgrams, o.AutoKind = false, false; o.Tree != AlwaysTree {
		o.Tree = NeverTree
	}
	if err := o.checkFrom(); err != nil {
		return o, err
	}
	if o.from().Meta.Source != textSource {
		return o, nil
	}
	asked, text := o.Text, o.from().Meta.Text
	asked.Seed = text.Seed
	if d := asked.Diff(text); d != nil {
		return o, fmt.Errorf("nbsvm: updating a model: it has %s %v, not %v: leave out the option", d.Option, d.B, d.A)
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

// keptTuning returns the thresholds and probabilities of the model to update, with their means for new labels: new
// documents may be too few, or lack labels, to learn them from. It is nil if the model decides in another way or lacks
// probabilities that are asked for.
func (o *settings) keptTuning(ds *dataset.Dataset) *tuning {
	m := o.from()
	if m == nil || m.Meta.Task != taskOf(ds) || o.calibrates() && m.Platt == nil && m.Temperature == 0 {
		return nil
	}
	outputs := outputsOf(ds)
	t := &tuning{thresholds: slices.Repeat([]float64{mean(m.Threshold)}, outputs), temperature: m.Temperature}
	if m.Platt != nil {
		var of [2][]float64
		for _, p := range m.Platt {
			of[0], of[1] = append(of[0], p.A), append(of[1], p.B)
		}
		t.platt = slices.Repeat([]model.Platt{{A: mean(of[0]), B: mean(of[1])}}, outputs)
	}
	for k := range outputs {
		from := k
		if m.Meta.Task != "binary" {
			if from = slices.Index(m.Meta.Labels, ds.Classes.Labels[k]); from < 0 {
				continue
			}
		}
		if t.thresholds[k] = m.Threshold[from]; t.platt != nil {
			t.platt[k] = m.Platt[from]
		}
	}
	return t
}

func mean(numbers []float64) (sum float64) {
	for _, x := range numbers {
		sum += x
	}
	return sum / float64(len(numbers))
}

// known returns the features of the model to update; nil if there is none.
func (o *settings) known() *matrix.Known {
	if o.From == nil {
		return nil
	}
	m := o.from()
	return &matrix.Known{Keys: m.Keys, Universe: m.Universe, IDF: m.IDF}
}

// withNames adds to the names that a model has from its documents those that it has from the model to update.
func (o *settings) withNames(names []model.Name, m *model.Model) []model.Name {
	if o.From == nil || o.NamesLimit == 0 {
		return names
	}
	named := map[uint32]bool{}
	for _, n := range names {
		named[n.Row] = true
	}
	wanted := strongestRows(m, o.NamesLimit)
	known := map[uint64]string{} // by key
	for _, n := range o.from().Names {
		known[keyOf(o.from(), n.Row)] = n.Text
	}
	for _, row := range wanted {
		if text, ok := known[keyOf(m, row)]; ok && !named[row] {
			names = append(names, model.Name{Row: row, Text: text})
		}
	}
	slices.SortFunc(names, func(a, b model.Name) int { return cmp.Compare(a.Row, b.Row) })
	return names
}

// keyOf returns the key of a row.
func keyOf(m *model.Model, row uint32) uint64 {
	for _, key := range m.Keys.Between(int(row), int(row)+1) {
		return key
	}
	return 0
}
