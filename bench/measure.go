package bench

import (
	"context"
	"fmt"
)

// Case is one thing to measure.
type Case struct {
	Labels []Label
	// Sample does it once and gives one value for each of its metrics, the same
	// metrics in the same order every time.
	Sample func(ctx context.Context) ([]Value, error)
}

// Value is one sample of one metric.
type Value struct {
	Name   string
	Better Better
	Value  float64
}

// Measure takes runs samples of every case, in turns: each case once, then each
// case again. progress, where not nil, is called after every sample.
func Measure(ctx context.Context, runs int, cases []Case, progress func(done, total int)) ([]Result, error) {
	results := make([]Result, len(cases))
	for run := range runs {
		for i, c := range cases {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			values, err := c.Sample(ctx)
			if err != nil {
				return nil, err
			}
			if err := results[i].add(c.Labels, values); err != nil {
				return nil, err
			}
			if progress != nil {
				progress(run*len(cases)+i+1, runs*len(cases))
			}
		}
	}
	return results, nil
}

func (r *Result) add(labels []Label, values []Value) error {
	if r.Metrics == nil {
		r.Case = labels
		r.Metrics = make([]Metric, len(values))
		for k, v := range values {
			r.Metrics[k] = Metric{Name: v.Name, Better: v.Better}
		}
	}
	if len(values) != len(r.Metrics) {
		return fmt.Errorf("bench: case %s gave %d values after %d", r.key(), len(values), len(r.Metrics))
	}
	for k, v := range values {
		m := &r.Metrics[k]
		if m.Name != v.Name {
			return fmt.Errorf("bench: case %s gave %s after %s", r.key(), v.Name, m.Name)
		}
		m.Samples = append(m.Samples, v.Value)
	}
	return nil
}

// ConfigError says what is wrong with a configuration, before anything is measured.
type ConfigError struct{ Err error }

func (e ConfigError) Error() string { return e.Err.Error() }

// validRuns refuses to take no samples.
func validRuns(runs int) error {
	if runs < 1 {
		return fmt.Errorf("bench: %d runs, want at least 1", runs)
	}
	return nil
}
