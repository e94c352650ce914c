package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Accumulator makes a [Report] of documents that are added one after the other. Of their scores it keeps what the areas
// under curves need, at most 512 MiB (see [Report.Sampled]). It must not be used by several goroutines at once.
type Accumulator struct {
	r       *Report
	multi   bool
	unknown map[string]int32 // numbers of labels that Class was asked for beside its own
	right   []int64          // predictions by class
	exact   int64            // documents whose labels are right
	misses  int64            // wrong decisions of all pairs of document and label
	wrong   map[pair]int64
	probabilities
	ranks sample

	wanted, predicted []int32 // of the document, sorted
	others            []int32 // wanted classes beside those that can be predicted, sorted; Unknown may be among them
}

// NewAccumulator returns an Accumulator for documents that have one of these labels each, or, if multiLabel, any number
// of them.
//
// Of one label each, scores give ROC AUC and average precision: those of label 1 for two labels, else each label against
// the rest, and the mean. Probabilities give log loss, Brier score and the expected calibration error, which takes the
// confidence in the most probable label in 15 bins. The predicted label need not be the most probable one.
//
// Of any number, accuracy is the share of documents whose set is exactly right, and micro averages are over all pairs of
// document and label. ROC AUC and average precision are means over the labels. Log loss, Brier score and calibration
// error take every pair as an event. These and the Hamming loss leave unknown labels out.
func NewAccumulator(labels []string, multiLabel bool) *Accumulator {
	a := &Accumulator{
		r: &Report{PerClass: make([]ClassReport, len(labels))}, multi: multiLabel,
		right: make([]int64, len(labels)), wrong: map[pair]int64{},
		ranks:   sample{classes: len(labels), limit: mostScores},
		unknown: map[string]int32{},
	}
	for k, label := range labels {
		a.r.PerClass[k].Label = label
	}
	return a
}

// mostUnknown limits the number of unknown labels that are counted by name: a wrong field has one for each document.
const mostUnknown = 10_000

// UnknownClass returns the number of a wanted label that is not among those of the Accumulator. The label gets a row of
// its own in the report. Of more than 10,000 such labels the others are [Unknown] together.
func (a *Accumulator) UnknownClass(label string) int32 {
	k, known := a.unknown[label]
	switch {
	case known:
		return k
	case len(a.unknown) == mostUnknown:
		return Unknown
	}
	if a.unknown == nil { // of an Accumulator that is not from NewAccumulator, which Add refuses
		return Unknown
	}
	k = int32(len(a.r.PerClass))
	a.unknown[label] = k
	a.r.PerClass = append(a.r.PerClass, ClassReport{Label: label})
	return k
}

// Add adds a document: its labels and those that are predicted, as indices into the labels, one each unless the report
// is multi-label. want may also hold numbers from UnknownClass, and [Unknown]. scores and probs are nil, or have a
// value for each label. Nothing of the arguments is kept.
func (a *Accumulator) Add(want, got []int32, scores, probs []float64) error {
	if err := a.check(want, got, scores, probs); err != nil {
		return err
	}
	a.r.N++
	known := a.count(want, got)
	if known && scores != nil {
		a.ranks.add(a.wanted, scores)
	}
	switch {
	case !known || probs == nil:
	case a.multi:
		a.addPairs(a.wanted, probs)
	default:
		a.addTop(want[0], got[0], probs)
	}
	return nil
}

// check refuses a document that can't be counted.
func (a *Accumulator) check(want, got []int32, scores, probs []float64) error {
	if len(a.right) == 0 {
		return errNoLabels
	}
	n, classes := a.r.N, len(a.right)
	if !a.multi && (len(want) != 1 || len(got) != 1) {
		return fmt.Errorf("metrics: document %d: it must have one wanted and one predicted class, got %d and %d",
			n, len(want), len(got))
	}
	for _, k := range want {
		if k < Unknown || int(k) >= len(a.r.PerClass) {
			return fmt.Errorf("metrics: document %d: a wanted class must be from 0 to %d, or Unknown, got %d",
				n, classes-1, k)
		}
	}
	for _, k := range got {
		if k < 0 || int(k) >= classes {
			return fmt.Errorf("metrics: document %d: a predicted class must be from 0 to %d, got %d", n, classes-1, k)
		}
	}
	if err := checkRow("scores", scores, n, classes); err != nil {
		return err
	}
	if err := checkRow("probs", probs, n, classes); err != nil {
		return err
	}
	for k, p := range probs {
		if p < 0 || p > 1 {
			return fmt.Errorf("metrics: document %d, class %d: the probability must be from 0 to 1, got %v", n, k, p)
		}
	}
	return nil
}

// checkRow checks that a document's values are nil, or one for each class and without NaN.
func checkRow(what string, row []float64, document, classes int) error {
	if row != nil && len(row) != classes {
		return fmt.Errorf("metrics: document %d: %s must have %d elements, one for each class, got %d",
			document, what, classes, len(row))
	}
	for k, v := range row {
		if math.IsNaN(v) {
			return fmt.Errorf("metrics: document %d, class %d: %s must not be NaN", document, k, what)
		}
	}
	return nil
}

// count counts a document, and says whether scores and probabilities can be measured by its labels.
func (a *Accumulator) count(want, got []int32) (known bool) {
	a.wanted, a.predicted, a.others = set(a.wanted[:0], want), set(a.predicted[:0], got), a.others[:0]
	for _, k := range a.wanted {
		if k == Unknown || int(k) >= len(a.right) {
			a.others = append(a.others, k)
		}
	}
	a.wanted = slices.DeleteFunc(a.wanted, func(k int32) bool { return slices.Contains(a.others, k) })
	for _, k := range want {
		if k == Unknown {
			a.r.Unknown++
		}
	}
	hits := 0
	for _, k := range a.wanted {
		a.r.PerClass[k].Support++
	}
	for _, k := range a.others {
		if k != Unknown {
			a.r.Unknown++
			a.r.PerClass[k].Support++
		}
	}
	for _, k := range a.predicted {
		a.r.PerClass[k].Predicted++
		if slices.Contains(a.wanted, k) {
			a.right[k]++
			hits++
		}
	}
	if hits == len(a.wanted) && hits == len(a.predicted) && len(a.others) == 0 {
		a.exact++
	}
	a.misses += int64(len(a.wanted) + len(a.predicted) - 2*hits)
	if a.multi {
		return true
	}
	if w, g := want[0], got[0]; w != g && w != Unknown {
		a.wrong[pair{w, g}]++
	}
	return len(a.others) == 0
}

// set appends the classes of a list to dst, ascending, each once.
func set(dst, list []int32) []int32 {
	dst = append(dst, list...)
	slices.Sort(dst)
	return slices.Compact(dst)
}

// confusion returns the matrix of confusions; nil if there are too many classes, or documents have any number.
func (a *Accumulator) confusion() [][]int64 {
	n := len(a.r.PerClass)
	if a.multi || n > maxConfusion {
		return nil
	}
	matrix := make([][]int64, n)
	for k := range matrix {
		if matrix[k] = make([]int64, n); k < len(a.right) {
			matrix[k][k] = a.right[k]
		}
	}
	for p, documents := range a.wrong {
		matrix[p.want][p.got] = documents
	}
	return matrix
}

// Report returns the report of the documents, which must not be added to any more.
func (a *Accumulator) Report() (*Report, error) {
	r := a.r
	switch {
	case len(a.right) == 0:
		return nil, errNoLabels
	case r.N == 0:
		return nil, errNoDocuments
	}
	a.sortUnknown()
	r.Confusion = a.confusion()
	r.fill(a.right)
	r.Accuracy = ratio(a.exact, int64(r.N))
	if a.multi {
		hamming := ratio(a.misses, int64(r.N)*int64(len(a.right)))
		r.HammingLoss = &hamming
	} else {
		r.confuse(a.wrong)
	}
	r.rank(&a.ranks, !a.multi && len(a.right) == 2)
	r.LogLoss, r.Brier, r.ECE = a.measured()
	return r, nil
}

// sortUnknown puts unknown labels in bytewise order, whatever order documents came in.
func (a *Accumulator) sortUnknown() {
	first := len(a.right)
	unknown := a.r.PerClass[first:]
	slices.SortFunc(unknown, func(x, y ClassReport) int { return cmp.Compare(x.Label, y.Label) })
	to := make(map[int32]int32, len(unknown))
	for i, class := range unknown {
		to[a.unknown[class.Label]] = int32(first + i)
	}
	wrong := make(map[pair]int64, len(a.wrong))
	for p, documents := range a.wrong {
		if k, is := to[p.want]; is {
			p.want = k
		}
		wrong[p] = documents
	}
	a.wrong = wrong
}
