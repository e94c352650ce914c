package tag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Kind is a kind of model. See the package comment.
type Kind string

const (
	// Perceptron is the structured averaged perceptron. It is fast to train and close to a CRF.
	Perceptron Kind = "perceptron"
	// Window classifies each word by itself, by a linear support vector machine.
	Window Kind = "window"
	// CRF is the linear-chain conditional random field. It gives probabilities.
	CRF Kind = "crf"
)

// Kinds returns all kinds of models.
func Kinds() []Kind { return []Kind{Perceptron, Window, CRF} }

// Meta describes a model.
type Meta struct {
	Kind      Kind     `json:"kind"`
	Tags      []string `json:"tags"` // sorted
	Templates string   `json:"templates"`
	Scheme    Scheme   `json:"scheme"`
	Input     Reading  `json:"input"`    // how the sentences of the training were read
	Features  int      `json:"features"` // with weights
	Training  Training `json:"training"`
}

// Training says how a model was trained: see [Options].
type Training struct {
	Sentences int `json:"sentences"`
	Words     int `json:"words"`
	// Counts has the number of words of each of the model's tags. Models of earlier versions have none.
	Counts   []int   `json:"counts,omitempty"`
	Epochs   int     `json:"epochs,omitempty"` // 0 of a window
	Seed     uint64  `json:"seed"`
	MinCount int     `json:"min_count"`
	L2       float64 `json:"l2,omitempty"`
	C        float64 `json:"C,omitempty"`
	// Unconverged counts the tags whose solver stopped before it reached its tolerance.
	Unconverged int `json:"unconverged,omitempty"`
}

// Settings lists the options that the model was trained with.
func (t *Training) Settings() string {
	var parts []string
	if t.C > 0 {
		parts = append(parts, fmt.Sprintf("C %g", t.C))
	}
	if t.L2 > 0 {
		parts = append(parts, fmt.Sprintf("l2 %g", t.L2))
	}
	if t.Epochs > 0 {
		parts = append(parts, display.Some(t.Epochs, "epoch"))
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", t.Seed)), ", ")
}

// Model tags sentences. Several goroutines may use it at once, each with a [Tagger] of its own. Get one from [Train],
// [Open] or [OpenBytes]; the zero value is not usable.
type Model struct {
	Meta
	templates *templates
	rows      rows      // of features
	weights   []float32 // in rows of pitch; behind those of the tags are zeros
	pitch     int
	chain     *chain          // with what the scheme forbids
	file      *osfile.Mapping // that the model is a view of; nil if it is of no file
}

// pitchOf returns the length of a row of weights for this number of tags.
func pitchOf(tags int) int { return (tags + kernels.RowUnit - 1) / kernels.RowUnit * kernels.RowUnit }

// Tagger tags sentences with a model. It keeps memory for the next sentence, so it must not be used by several
// goroutines at once.
type Tagger struct {
	m         *Model
	extract   *extractor
	viterbi   viterbi
	marginals marginals
	keys      []uint64
	counts    []int // of the keys of each word
	found     []uint32
	ends      []int
	scores    []float64
	tags      []int
	names     []string
}

// NewTagger returns a tagger.
func (m *Model) NewTagger() *Tagger { return &Tagger{m: m, extract: newExtractor(m.templates)} }

// errColumn is the error of a sentence that lacks a column of the model's templates.
var errColumn = errors.New("too few columns")

// Tag returns the best sequence of tags for a sentence, one for each word, which is valid until the next call of the
// tagger. It returns an error if the sentence lacks a column of the model's templates.
func (t *Tagger) Tag(s *Sentence) ([]string, error) {
	if err := t.m.check(s); err != nil {
		return nil, err
	}
	t.tags, t.names = sized(t.tags, len(s.Words)), t.names[:0]
	if len(s.Words) > 0 {
		t.add(s)
		t.viterbi.decode(t.m.chain, t.scores, t.m.pitch, t.tags)
	}
	for _, tag := range t.tags {
		t.names = append(t.names, t.m.Tags[tag])
	}
	return t.names, nil
}

// check returns an error unless the model can tag a sentence.
func (m *Model) check(s *Sentence) error {
	if m.templates == nil {
		return errors.New("tag: the model is empty: get one from Train, Open or OpenBytes")
	}
	return m.templates.check(s)
}

// add adds up each word's scores of the tags.
func (t *Tagger) add(s *Sentence) {
	n := len(s.Words)
	t.extract.sentence(s)
	t.keys, t.counts = t.keys[:0], t.counts[:0]
	for i := range n {
		keys := t.extract.word(i, n)
		t.keys, t.counts = append(t.keys, keys...), append(t.counts, len(keys))
	}
	t.found, t.ends = t.m.rows.appendFound(t.found[:0], append(t.ends[:0], 0), t.keys, t.counts)
	t.scores = addRows(t.scores, t.m.weights, t.m.pitch, t.found, t.ends)
}

// addRows sums the rows of each word: the rows of word i are rows[ends[i]:ends[i+1]].
func addRows(scores []float64, weights []float32, pitch int, rows []uint32, ends []int) []float64 {
	scores = sized(scores, (len(ends)-1)*pitch)
	clear(scores)
	for i, end := range ends[1:] {
		kernels.AddRows(scores[i*pitch:][:pitch], weights, pitch, rows[ends[i]:], end-ends[i])
	}
	return scores
}
