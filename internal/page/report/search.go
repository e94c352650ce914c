package report

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/internal/learn/tune"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// lower are the metrics of which less is better.
var lower = []string{"log_loss", "brier", "ece", "hamming_loss"}

// search is what the page's script draws of a search for settings: those that were tried on all documents and folds.
type search struct {
	Metric string   `json:"metric"`
	Lower  bool     `json:"lower"`   // of the metric, less is better
	Folds  int      `json:"folds"`   // of a split; finalists were tried on those of further splits, too
	GaveUp int      `json:"gave_up"` // settings that were tried on a part of the documents or folds alone
	Flags  []string `json:"flags"`   // in which settings differ
	Trials []trial  `json:"trials"`  // in the order in which they were tried
}

// trial is a setting and what came of it.
type trial struct {
	Number  int      `json:"number"` // from 1, of all settings
	Values  []string `json:"values"` // of the flags
	Mean    float64  `json:"mean"`
	SE      float64  `json:"se"`
	Seconds float64  `json:"seconds"`
	Bytes   int64    `json:"bytes"`
	Chosen  bool     `json:"chosen"`
}

// readSearch reads the log of a search. Settings are compared by a metric, by its JSON key; the chosen one is that which
// the model was trained with.
func readSearch(path, metric string, made *train.Options, multi bool) (*search, error) {
	folds, results, err := tune.ReadLog(path)
	if err != nil {
		return nil, err
	}
	if metric == "" {
		metric = metrics.Main(multi)
	}
	s := &search{Metric: cmp.Or(metricNames[metric], legible(metric, longestName)), Lower: slices.Contains(lower, metric)}
	var order []tune.Setting
	complete := map[tune.Setting][]tune.Result{} // of all documents
	for _, r := range results {
		if _, known := complete[r.Setting]; !known {
			order = append(order, r.Setting)
			complete[r.Setting] = nil
		}
		if _, measured := r.Metrics[metric]; r.Share == 1 && measured {
			complete[r.Setting] = append(complete[r.Setting], r)
			s.Folds = max(s.Folds, min(len(complete[r.Setting]), folds))
		}
	}
	if s.Folds == 0 {
		return nil, fmt.Errorf("nbsvm: %s has no results by the metric %q on all documents", path, metric)
	}
	var settings []tune.Setting // of the trials
	for k, setting := range order {
		of := complete[setting]
		if len(of) < s.Folds {
			s.GaveUp++
			continue
		}
		// Of finalists, the splits count that were tried to the end.
		slices.SortStableFunc(of, func(a, b tune.Result) int { return cmp.Compare(a.Fold, b.Fold) })
		of = of[:len(of)-len(of)%s.Folds]
		t := trial{Number: k + 1, Chosen: same(setting, made)}
		scores := make([]float64, len(of))
		for i, r := range of {
			scores[i] = r.Metrics[metric]
			t.Seconds, t.Bytes = t.Seconds+r.Seconds, max(t.Bytes, r.Bytes)
		}
		mean, sd := metrics.MeanSD(scores)
		t.Mean, t.SE, t.Seconds = finite(mean), finite(sd/math.Sqrt(float64(len(scores)))), rounded(t.Seconds)
		s.Trials, settings = append(s.Trials, t), append(settings, setting)
	}
	s.name(settings)
	return s, nil
}

// name gives trials the values of the flags in which their settings differ, in the order of a setting's fields.
func (s *search) name(settings []tune.Setting) {
	for i, field := range reflect.VisibleFields(reflect.TypeFor[tune.Setting]()) {
		value := func(of tune.Setting) string {
			switch {
			case field.Name == "Beta" && of.AutoBeta:
				return "auto"
			case field.Name == "Loss" && of.Loss == "":
				return "the model's"
			}
			return fmt.Sprintf("%+v", reflect.ValueOf(of).Field(i))
		}
		if field.Name == "AutoBeta" || !slices.ContainsFunc(settings, func(of tune.Setting) bool { return value(of) != value(settings[0]) }) {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		s.Flags = append(s.Flags, strings.ReplaceAll(name, "_", "-"))
		for k, of := range settings {
			s.Trials[k].Values = append(s.Trials[k].Values, legible(value(of), longestName))
		}
	}
}

// same says whether a setting gives options with which a model was trained.
func same(setting tune.Setting, made *train.Options) bool {
	o, err := setting.Options(*made)
	if err != nil {
		return false
	}
	if o.AutoBeta {
		o.Beta = made.Beta // it was found out from the documents
	}
	o.Loss, o.AutoKind = cmp.Or(o.Loss, made.Loss), made.AutoKind
	return reflect.DeepEqual(o, *made)
}

// finite is a number that JSON has: the largest one of its sign for an infinite one, and 0 for NaN.
func finite(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return 0
	case math.IsInf(x, 0):
		return math.Copysign(math.MaxFloat32, x)
	}
	return x
}
