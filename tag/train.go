package tag

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Options say how a model is trained. Start from [DefaultOptions].
type Options struct {
	Kind Kind
	// Templates make the features, see the package comment. "" means DefaultTemplates, and ColumnTemplates for each
	// further column of CoNLL files.
	Templates string
	// Scheme forbids sequences of tags. "" means the strictest one that all sentences keep. Tags that break another one
	// are an error of Train.
	Scheme Scheme
	// Epochs are the passes over all sentences, 1 to 1,000,000. The default is 10, and 30 for a CRF. A Window has none.
	Epochs int
	// MinCount is how often a feature must occur in all sentences, 1 or more. The default is 1.
	MinCount int
	Seed     uint64 // of the order in which sentences are learned
	// L2 is the weight of the squared norm of a CRF's weights, 1e-6 to 1e6: the sum of the sentences' negative
	// log-likelihoods plus L2/2·‖w‖² is minimized. The default is 1.
	L2 float64
	// C is the cost of a mistake in a word, for a Window, 1e-6 to 1e6. The default is 1.
	C        float64
	Threads  int                // 0 means all processors; the model is the same for any number
	Progress func(epoch Epoch)  // is called after every epoch; may be nil
	Solved   func(tags, of int) // is called when further tags of a Window are trained; may be nil
}

// DefaultOptions returns the options for a kind of model.
func DefaultOptions(kind Kind) Options {
	o := Options{Kind: kind, Epochs: 10, MinCount: 1}
	switch kind {
	case CRF:
		o.Epochs, o.L2 = 30, 1
	case Window:
		o.C = 1
	}
	return o
}

// Epoch describes a pass over the sentences.
type Epoch struct {
	Number int `json:"epoch"` // from 1
	// Mistakes counts the words that were tagged wrongly before the model learned from them; 0 for a CRF.
	Mistakes int `json:"mistakes"`
	// Loss is the mean negative log-likelihood per word of a CRF, before it learned from the word's sentence.
	Loss float64 `json:"loss,omitempty"`
}

// Validate reports the first option that is out of range.
func (o *Options) Validate() error {
	switch {
	case !slices.Contains(Kinds(), o.Kind):
		return fmt.Errorf("tag: Options.Kind must be one of %q, got %q", Kinds(), o.Kind)
	case o.Scheme != "" && o.Scheme != Free && o.Scheme != IOB2 && o.Scheme != IOBES:
		return fmt.Errorf("tag: Options.Scheme must be none, iob2 or iobes, or empty for the one that the tags keep, got %q", o.Scheme)
	case o.Epochs < 1 || o.Epochs > 1_000_000:
		return fmt.Errorf("tag: Options.Epochs must be from 1 to 1000000, got %d", o.Epochs)
	case o.MinCount < 1:
		return fmt.Errorf("tag: Options.MinCount must be 1 or more, got %d", o.MinCount)
	case o.Kind == CRF && !(o.L2 >= 1e-6 && o.L2 <= 1e6):
		return fmt.Errorf("tag: Options.L2 must be from 1e-6 to 1e6, got %g", o.L2)
	case o.Kind == Window && !(o.C >= 1e-6 && o.C <= 1e6):
		return fmt.Errorf("tag: Options.C must be from 1e-6 to 1e6, got %g", o.C)
	}
	_, err := parseTemplates(cmp.Or(o.Templates, DefaultTemplates))
	return err
}

// examples are tagged sentences by numbers.
type examples struct {
	tags  []string
	rows  []uint32
	ends  []int // the rows of word i are those from ends[i] to ends[i+1]
	words []int // the words of sentence i are those from words[i] to words[i+1]
	gold  []int // tag of each word
}

// sentence returns where the rows of each word of the i-th sentence begin and end, and the tags of the words.
func (x *examples) sentence(i int) (ends, gold []int) {
	from, to := x.words[i], x.words[i+1]
	return x.ends[from : to+1], x.gold[from:to]
}

// learner has weights that are still to change.
type learner struct {
	*examples
	ctx     context.Context
	o       *Options
	keys    []uint64
	pitch   int
	weights []float32
	chain   *chain
	random  xmath.SplitMix

	unconverged int // tags of a window whose solver stopped before they were near enough to the best weights
}

// Train trains a model on the sentences of a reader, which must have tags. Errors are options out of range, those of
// the reader, a sentence that lacks a column of the templates, and a cancelled ctx. The model has the same bytes on
// every machine.
func Train(ctx context.Context, r *Reader, o Options) (*Model, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t, l, err := read(ctx, r, &o)
	if err != nil {
		return nil, err
	}
	m := &Model{templates: t, Meta: Meta{
		Kind: o.Kind, Tags: l.tags, Templates: o.Templates, Scheme: o.Scheme, Input: r.as,
		Training: Training{
			Sentences: len(l.words) - 1, Words: len(l.gold), Counts: l.counts(), Epochs: o.Epochs,
			Seed: o.Seed, MinCount: o.MinCount,
		},
	}}
	if m.Scheme == "" {
		m.Scheme = l.scheme()
	}
	l.chain.forbid(m.Scheme, l.tags)
	switch o.Kind {
	case Window:
		m.Training.C, m.Training.Epochs = o.C, 0
		err = l.window()
	case Perceptron:
		err = l.perceptron()
	default:
		m.Training.L2 = o.L2
		err = l.crf()
	}
	if err != nil {
		return nil, err
	}
	m.Training.Unconverged = l.unconverged
	m.learned(l)
	return m, nil
}

// errUntagged is the error of a reader without tags where they are needed.
var errUntagged = errors.New("tag: the reader was opened with Untagged, so its sentences have no tags: open it without")

// extracted are sentences with the keys of their features.
type extracted struct {
	templates *templates
	sentences []*Sentence
	keys      []uint64
	counts    []int // of the keys of each word
	err       error // of what comes behind the sentences
}

// read reads sentences and numbers their features. It chooses templates if options have none. Sentences are read by
// one thread while others make features of those before, which are numbered in their order.
func read(ctx context.Context, r *Reader, o *Options) (t *templates, l *learner, err error) {
	if !r.tagged {
		return nil, nil, errUntagged
	}
	threads := par.Threads(o.Threads)
	extractors := make([]*extractor, threads)
	x, features, tags := &examples{ends: []int{0}, words: []int{0}}, make(map[uint64]uint32, 1<<16), map[string]int{}
	var keys []uint64
	var counts []int
	ended := false
	err = par.Run(ctx, threads, func(ctx context.Context) (e extracted, err error) {
		if ended {
			return e, io.EOF
		}
		defer context.AfterFunc(ctx, r.interrupt)()
		if t == nil { // the first sentence says what templates can take
			e.sentences, e.err = r.batch(1)
			if len(e.sentences) > 0 && o.Templates == "" {
				o.Templates = templatesOf(r.as, e.sentences[0].width)
			}
			if t, err = parseTemplates(cmp.Or(o.Templates, DefaultTemplates)); err != nil {
				return e, err
			}
		} else {
			e.sentences, e.err = r.batch(batchSize)
		}
		e.templates, ended = t, e.err != nil
		return e, nil
	}, func(worker int, e extracted) (extracted, error) {
		if extractors[worker] == nil {
			extractors[worker] = newExtractor(e.templates)
		}
		e.extract(extractors[worker])
		return e, nil
	}, func(e extracted) error {
		all := e.keys
		at := 0 // of the word among those of the batch
		for _, s := range e.sentences {
			if err := o.Scheme.check(s); err != nil {
				return err
			}
			for i, tag := range s.Tags {
				number, ok := tags[string(tag)]
				if !ok {
					number = len(x.tags)
					if number == mostTags {
						return fmt.Errorf("%s:%d: %s is the %dth tag, and there may be %d: give the column of the tags with "+
							"Input.Column", s.Path, s.lines[i], display.Excerpt(tag), number+1, mostTags)
					}
					tags[string(tag)] = number
					x.tags = append(x.tags, string(tag))
				}
				x.gold = append(x.gold, number)
				for _, key := range all[:e.counts[at]] {
					row, known := features[key]
					if !known {
						row = uint32(len(keys))
						features[key] = row
						keys, counts = append(keys, key), append(counts, 0)
					}
					counts[row]++
					x.rows = append(x.rows, row)
				}
				all = all[e.counts[at]:]
				at++
				x.ends = append(x.ends, len(x.rows))
			}
			x.words = append(x.words, len(x.gold))
		}
		if e.err == io.EOF {
			return nil
		}
		return e.err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(x.gold) == 0 {
		return nil, nil, errors.New("tag: there are no sentences to train on: is that the right input?")
	}
	x.sortTags()
	keys = x.leaveOut(keys, counts, o.MinCount)
	if len(keys) == 0 {
		return nil, nil, fmt.Errorf("tag: no feature occurs %d times; Options.MinCount 1 keeps all", o.MinCount)
	}
	l = &learner{
		examples: x, ctx: ctx, o: o, keys: keys, pitch: pitchOf(len(x.tags)), chain: newChain(len(x.tags)),
		random: xmath.SplitMix(o.Seed),
	}
	l.weights = make([]float32, len(keys)*l.pitch)
	return t, l, nil
}

// extract makes the features of the sentences. Of one that lacks a column, and all behind it, it makes none.
func (e *extracted) extract(x *extractor) {
	for n, s := range e.sentences {
		if err := e.templates.check(s); err != nil {
			e.sentences, e.err = e.sentences[:n], err
			return
		}
		x.sentence(s)
		for i := range s.Words {
			keys := x.word(i, len(s.Words))
			e.keys, e.counts = append(e.keys, keys...), append(e.counts, len(keys))
		}
	}
}

// mostTags is the maximum number of tags.
const mostTags = 4096

// check returns an error if a sentence lacks a column that the templates use.
func (t *templates) check(s *Sentence) error {
	if t.columns > s.width && len(s.Words) > 0 {
		return fmt.Errorf("%s:%d: %d columns, and a template takes c%d: %w; give files that have them, or train with other "+
			"templates (Options.Templates)", s.Path, s.Line, s.width, t.columns, errColumn)
	}
	return nil
}

// sortTags numbers tags in the order of their names.
func (x *examples) sortTags() {
	sorted := slices.Sorted(slices.Values(x.tags))
	number := make([]int, len(sorted))
	for i, tag := range x.tags {
		number[i], _ = slices.BinarySearch(sorted, tag)
	}
	for i, tag := range x.gold {
		x.gold[i] = number[tag]
	}
	x.tags = sorted
}

// leaveOut drops features that occur fewer than least times, and returns the keys of the others.
func (x *examples) leaveOut(keys []uint64, counts []int, least int) []uint64 {
	if least == 1 {
		return keys
	}
	number := make([]int, len(keys))
	stay := keys[:0]
	for i, n := range counts {
		if number[i] = -1; n >= least {
			number[i] = len(stay)
			stay = append(stay, keys[i])
		}
	}
	from, n := 0, 0
	for i, end := range x.ends[1:] {
		for _, row := range x.rows[from:end] {
			if number[row] >= 0 {
				x.rows[n] = uint32(number[row])
				n++
			}
		}
		from, x.ends[i+1] = end, n
	}
	x.rows = x.rows[:n]
	return stay
}

// counts returns the number of words of each tag.
func (x *examples) counts() []int {
	counts := make([]int, len(x.tags))
	for _, tag := range x.gold {
		counts[tag]++
	}
	return counts
}

// scheme returns the strictest scheme that all sentences keep.
func (x *examples) scheme() Scheme {
	sentences := make([][]int, len(x.words)-1)
	for i := range sentences {
		_, sentences[i] = x.sentence(i)
	}
	return schemeOf(x.tags, sentences)
}

// order returns the sentences in a new random order.
func (l *learner) order() []int {
	order := make([]int, len(l.words)-1)
	for i := range order {
		order[i] = i
	}
	xmath.Shuffle(&l.random, order)
	return order
}

// tell reports an epoch to the caller. It returns an error if training has been cancelled.
func (l *learner) tell(e Epoch) error {
	if l.o.Progress != nil {
		l.o.Progress(e)
	}
	return l.ctx.Err()
}

// learned copies the weights into the model, without features whose weights are all 0.
func (m *Model) learned(l *learner) {
	m.pitch, m.chain = l.pitch, l.chain
	order := make([]int, 0, len(l.keys))
	for i := range l.keys {
		if slices.ContainsFunc(l.weights[i*l.pitch:][:l.pitch], func(w float32) bool { return w != 0 }) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.keys[a], l.keys[b]) })
	keys := make([]uint64, 0, len(order))
	for _, i := range order {
		keys = append(keys, l.keys[i])
		m.weights = append(m.weights, l.weights[i*l.pitch:][:l.pitch]...)
	}
	m.Features, m.rows = len(keys), newRows(keys)
	m.chain.leads()
}
