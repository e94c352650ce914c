package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// Trial is one setting that a search has tried, and what came of it.
type Trial struct {
	Flags   map[string]string `json:"flags"`  // of nbsvm train, by name without dashes: {"C": "0.3", "features": "word:1-2"}
	Metric  string            `json:"metric"` // what the scores are
	Scores  []float64         `json:"scores"` // by fold
	Mean    float64           `json:"mean"`
	SE      float64           `json:"standard_error"`
	Seconds float64           `json:"seconds"`
	Bytes   int64             `json:"bytes"`            // of the model; 0 where it is not known
	Share   float64           `json:"share,omitempty"`  // of the documents that the trial was on; 0 for all
	Chosen  bool              `json:"chosen,omitempty"` // it is what the model was trained with
}

// mostTrials bounds what a page shows.
const mostTrials = 2000

// ReadTrials reads trials in JSON, one a line.
func ReadTrials(r io.Reader) ([]Trial, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var trials []Trial
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var t Trial
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("line %d is no trial of a search: %w", n, err)
		}
		trials = append(trials, t)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(trials) == 0 {
		return nil, errors.New("there are no trials of a search")
	}
	return trials, nil
}

// search is what the page's script draws of trials: the best ones, ascending in their order.
type search struct {
	Metric string        `json:"metric"`
	Left   int           `json:"left"`  // trials that are not shown
	Flags  []string      `json:"flags"` // in which trials differ
	Trials []searchTrial `json:"trials"`
}

type searchTrial struct {
	Number  int      `json:"number"` // from 1, as tried
	Values  []string `json:"values"` // of the flags; empty where a trial is without
	Mean    float64  `json:"mean"`
	SE      float64  `json:"se"`
	Seconds float64  `json:"seconds"`
	Bytes   int64    `json:"bytes"`
	Share   float64  `json:"share"`
	Chosen  bool     `json:"chosen"`
}

// newSearch prepares trials to be shown; nil without any.
func newSearch(trials []Trial) *search {
	if len(trials) == 0 {
		return nil
	}
	values := map[string]map[string]bool{}
	for _, t := range trials {
		for flag := range t.Flags {
			values[flag] = map[string]bool{}
		}
	}
	for _, t := range trials {
		for flag, seen := range values {
			seen[t.Flags[flag]] = true
		}
	}
	s := &search{Metric: legible(trials[0].Metric, longestName)}
	var flags []string
	for _, flag := range slices.Sorted(maps.Keys(values)) {
		if len(values[flag]) > 1 {
			flags = append(flags, flag)
			s.Flags = append(s.Flags, legible(flag, longestName))
		}
	}
	for i, t := range trials {
		shown := searchTrial{
			Number: i + 1, Mean: finite(t.Mean), SE: finite(t.SE), Seconds: finite(t.Seconds), Bytes: t.Bytes,
			Share: cmp.Or(finite(t.Share), 1), Chosen: t.Chosen, Values: []string{},
		}
		for _, flag := range flags {
			shown.Values = append(shown.Values, legible(t.Flags[flag], longestName))
		}
		s.Trials = append(s.Trials, shown)
	}
	if s.Left = len(trials) - mostTrials; s.Left <= 0 {
		s.Left = 0
		return s
	}
	slices.SortStableFunc(s.Trials, func(a, b searchTrial) int { return cmp.Compare(b.Mean, a.Mean) })
	s.Trials = s.Trials[:mostTrials]
	slices.SortFunc(s.Trials, func(a, b searchTrial) int { return cmp.Compare(a.Number, b.Number) })
	return s
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
