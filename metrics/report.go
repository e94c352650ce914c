package metrics

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"strings"
)

// Report is the result of an evaluation. An undefined metric is nil, and null in JSON. JSON keys do not change.
type Report struct {
	N       int   `json:"n"`       // documents
	Unknown int64 `json:"unknown"` // wanted labels that the model does not know

	// UnknownLabels has the names of the unknown labels and how many documents want each. The caller sets it.
	UnknownLabels map[string]int64 `json:"-"`

	// Bad is the number of records that were skipped, and BadReasons counts them by what is wrong with them. The caller
	// sets both. They are not among the documents.
	Bad        int64            `json:"bad"`
	BadReasons map[string]int64 `json:"bad_reasons,omitempty"`

	// Accuracy is the share of documents with the right label, or, in a multi-label report, with exactly the right set
	// of labels. Macro averages are means over the labels, micro averages are over all documents.
	Accuracy       float64 `json:"accuracy"`
	MacroF1        float64 `json:"macro_f1"`
	MicroF1        float64 `json:"micro_f1"`
	MacroPrecision float64 `json:"macro_precision"`
	MacroRecall    float64 `json:"macro_recall"`
	MicroPrecision float64 `json:"micro_precision"`
	MicroRecall    float64 `json:"micro_recall"`

	// Weighted averages are means over the labels, weighted by their support. Of recall, it is the micro average.
	WeightedF1        float64 `json:"weighted_f1"`
	WeightedPrecision float64 `json:"weighted_precision"`
	WeightedRecall    float64 `json:"weighted_recall"`

	// HammingLoss is the share of wrong decisions among all pairs of document and label. It is nil unless the report is
	// multi-label.
	HammingLoss *float64 `json:"hamming_loss,omitempty"`

	// HierarchicalPrecision and HierarchicalRecall are for labels that are paths of a tree: the shares of the parts of
	// predicted and of wanted paths that both have in common, over all documents. HierarchicalF1 is their harmonic mean
	// (Kiritchenko, Matwin, Nock and Famili 2006). TreeDistance is the mean number of edges between the wanted and the
	// predicted path. DepthAccuracy[d] is the share of documents whose first d+1 parts are right, among those that want
	// as many. All are nil for other labels.
	HierarchicalPrecision *float64  `json:"hierarchical_precision,omitempty"`
	HierarchicalRecall    *float64  `json:"hierarchical_recall,omitempty"`
	HierarchicalF1        *float64  `json:"hierarchical_f1,omitempty"`
	TreeDistance          *float64  `json:"tree_distance,omitempty"`
	DepthAccuracy         []float64 `json:"depth_accuracy,omitempty"`

	LogLoss *float64 `json:"log_loss"` // in nats: natural logarithms
	ROCAUC  *float64 `json:"roc_auc"`  // area under the receiver operating characteristic
	PRAUC   *float64 `json:"pr_auc"`   // average precision
	Brier   *float64 `json:"brier"`    // from 0 to 1 for two labels or multi-label, else from 0 to 2
	ECE     *float64 `json:"ece"`      // expected calibration error in 15 bins (Guo et al., ICML 2017)

	// PerClass has the labels in their order and, behind these, those that the model does not know, in bytewise order.
	PerClass []ClassReport `json:"per_class"`

	// Confusion counts documents by wanted label (first index) and predicted label (second index), in the order of
	// PerClass. It is nil in multi-label reports and for more than 1000 labels.
	Confusion [][]int64 `json:"confusion"`

	// MostConfused has the 100 most frequent confusions, most frequent first, where Confusion has too many labels. It
	// is nil otherwise.
	MostConfused []Confused `json:"most_confused,omitempty"`

	// Sampled is the number of documents, chosen at random, that ROCAUC and PRAUC are of; 0 for all. Scores of at most
	// 2^26 pairs of document and label are kept. Where those are of fewer than 10,000 documents, as of 6,707 labels,
	// and there are more documents, both are nil.
	Sampled int `json:"sampled,omitempty"`

	// Regression compares numbers, where these are predicted in place of labels. All that is above, but for the numbers
	// of documents and of bad records, is then zero, and JSON has this alone. It is nil of labels.
	Regression *RegressionReport `json:"-"`

	confused          []Confused // the most frequent of all pairs
	confusedPairs     int
	confusedDocuments int64
}

// Unknown is the wanted class of a document whose label the model does not know.
const Unknown = -1

// ClassReport has the metrics of one label of a [Report].
type ClassReport struct {
	Label     string   `json:"label"`
	Support   int64    `json:"support"`   // documents that have the label
	Predicted int64    `json:"predicted"` // documents for which it is predicted
	Precision float64  `json:"precision"`
	Recall    float64  `json:"recall"`
	F1        float64  `json:"f1"`
	ROCAUC    *float64 `json:"roc_auc,omitempty"` // this label against the rest
	PRAUC     *float64 `json:"pr_auc,omitempty"`  // average precision
}

// maxConfusion is the largest number of labels for which a report has a matrix of
// confusions: 8 MB.
const maxConfusion = 1000

// Values iterates over the metrics of the whole report with their JSON keys, the best known first. A nil metric is
// undefined.
func (r *Report) Values() iter.Seq2[string, *float64] {
	if r.Regression != nil {
		return r.Regression.Values()
	}
	return func(yield func(string, *float64) bool) {
		for _, v := range []struct {
			key   string
			value *float64
		}{
			{"accuracy", &r.Accuracy},
			{"macro_f1", &r.MacroF1},
			{"micro_f1", &r.MicroF1},
			{"weighted_f1", &r.WeightedF1},
			{"macro_precision", &r.MacroPrecision},
			{"macro_recall", &r.MacroRecall},
			{"micro_precision", &r.MicroPrecision},
			{"micro_recall", &r.MicroRecall},
			{"weighted_precision", &r.WeightedPrecision},
			{"weighted_recall", &r.WeightedRecall},
			{"hierarchical_f1", r.HierarchicalF1},
			{"hierarchical_precision", r.HierarchicalPrecision},
			{"hierarchical_recall", r.HierarchicalRecall},
			{"tree_distance", r.TreeDistance},
			{"roc_auc", r.ROCAUC},
			{"pr_auc", r.PRAUC},
			{"log_loss", r.LogLoss},
			{"brier", r.Brier},
			{"ece", r.ECE},
			{"hamming_loss", r.HammingLoss},
		} {
			special := v.key == "hamming_loss" || v.key == "tree_distance" || strings.HasPrefix(v.key, "hierarchical_")
			if v.value == nil && special {
				continue // not a metric of this kind of report
			}
			if !yield(v.key, v.value) {
				return
			}
		}
	}
}

// MarshalJSON writes what is reported of labels or of numbers.
func (r *Report) MarshalJSON() ([]byte, error) {
	if r.Regression != nil {
		return json.Marshal(r.Regression)
	}
	type labels Report
	return json.Marshal((*labels)(r))
}

// Main returns the JSON key of the metric by which models are usually compared: micro_f1 for the task multilabel, r2 for
// regression, else accuracy.
func Main(task string) string {
	switch task {
	case "multilabel":
		return "micro_f1"
	case "regression":
		return "r2"
	}
	return "accuracy"
}

// fill sets the averages, and the metrics of the classes, of which documents are counted
// already, and right predictions in right. Unknown labels are wanted and missed: they
// lower the micro recall, and have a precision, recall and F1 of 0 in macro and weighted averages. Those without a name
// are one class together.
func (r *Report) fill(right []int64) {
	var tp, predicted, named int64
	occurring := 0
	for k := range r.PerClass {
		c := &r.PerClass[k]
		if k < len(right) {
			c.Precision, c.Recall, c.F1 = precisionRecallF1(right[k], c.Predicted, c.Support)
			tp += right[k]
		} else {
			named += c.Support
		}
		predicted += c.Predicted
		if c.Support == 0 && c.Predicted == 0 {
			continue
		}
		occurring++
		r.MacroPrecision += c.Precision
		r.MacroRecall += c.Recall
		r.MacroF1 += c.F1
		r.WeightedPrecision += float64(float64(c.Support) * c.Precision)
		r.WeightedRecall += float64(float64(c.Support) * c.Recall)
		r.WeightedF1 += float64(float64(c.Support) * c.F1)
	}
	if r.Unknown > named {
		occurring++
	}
	if occurring > 0 {
		r.MacroPrecision /= float64(occurring)
		r.MacroRecall /= float64(occurring)
		r.MacroF1 /= float64(occurring)
	}
	support := r.Unknown - named // of all
	for k := range r.PerClass {
		support += r.PerClass[k].Support
	}
	if support > 0 {
		r.WeightedPrecision /= float64(support)
		r.WeightedRecall /= float64(support)
		r.WeightedF1 /= float64(support)
	}
	r.MicroPrecision, r.MicroRecall, r.MicroF1 = precisionRecallF1(tp, predicted, support)
}

// precisionRecallF1 returns the precision, the recall and their harmonic mean of so many
// true positives among the predicted and the wanted documents.
func precisionRecallF1(tp, predicted, support int64) (precision, recall, f1 float64) {
	return ratio(tp, predicted), ratio(tp, support), ratio(2*tp, predicted+support)
}

// ratio returns num/den; a ratio of nothing is 0.
func ratio(num, den int64) float64 {
	if den == 0 {
		return 0
	}
	return float64(num) / float64(den)
}

// rank sets the areas under the curves of every label, and of the report: those of label 1 where there are two classes,
// else the means over the labels for which they are defined.
func (r *Report) rank(s *sample, binary bool) {
	areas := s.rank()
	if areas == nil {
		return
	}
	r.Sampled = s.sampled()
	var roc, pr float64
	rocs, prs := 0, 0
	for k := range areas {
		c := &r.PerClass[k]
		c.ROCAUC, c.PRAUC = defined(areas[k].rocAUC()), defined(areas[k].averagePrecision())
		if c.ROCAUC != nil {
			roc, rocs = roc+*c.ROCAUC, rocs+1
		}
		if c.PRAUC != nil {
			pr, prs = pr+*c.PRAUC, prs+1
		}
	}
	if binary {
		r.ROCAUC, r.PRAUC = r.PerClass[1].ROCAUC, r.PerClass[1].PRAUC
		return
	}
	r.ROCAUC, r.PRAUC = defined(mean(roc, rocs)), defined(mean(pr, prs))
}

// defined returns nil for NaN and infinities, which JSON does not have.
func defined(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Errors of reports of nothing.
var (
	errNoLabels    = errors.New("metrics: labels must have 1 element or more")
	errNoDocuments = errors.New("metrics: there are no documents to measure")
)
