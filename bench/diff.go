package bench

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/aclements/go-moremath/stats"
)

// Change compares the samples of one metric of one case in two reports.
type Change struct {
	Case     string  `json:"case"`
	Metric   string  `json:"metric"`
	Better   Better  `json:"better,omitempty"`
	Old      float64 `json:"old"` // medians
	New      float64 `json:"new"`
	NewToOld float64 `json:"new_to_old"` // 1 where both are 0
	// P is the two-sided p-value of the Mann-Whitney U test that the samples come
	// of the same distribution; 1 where it can't tell, as with fewer than four
	// samples a side.
	P    float64 `json:"p"`
	OldN int     `json:"old_n"`
	NewN int     `json:"new_n"`
}

// Significance is the p-value below which a change counts as one.
const Significance = 0.05

// Significant says whether old and new samples differ by more than chance.
func (c *Change) Significant() bool { return c.P < Significance }

// Comparison is what Diff finds.
type Comparison struct {
	Old, New *Report  `json:"-"`
	Changes  []Change `json:"changes"`
	OnlyOld  []string `json:"only_old,omitempty"` // cases of one report alone
	OnlyNew  []string `json:"only_new,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // why the two may not be comparable
}

// Diff compares two reports of the same workload, case by case and metric by
// metric.
func Diff(old, new *Report) (*Comparison, error) {
	if old.Workload != new.Workload {
		return nil, fmt.Errorf("bench: one report is of %q, the other of %q; only reports of the same workload can be compared", old.Workload, new.Workload)
	}
	d := &Comparison{Old: old, New: new}
	d.warn("CPU", old.Machine.CPU, new.Machine.CPU)
	d.warn("cores", old.Machine.Cores, new.Machine.Cores)
	d.warn("platform", old.Machine.OS+"/"+old.Machine.Arch, new.Machine.OS+"/"+new.Machine.Arch)
	for name, value := range new.Settings {
		if was, ok := old.Settings[name]; ok {
			d.warn("setting "+name, was, value)
		}
	}
	byKey := map[string]*Result{}
	for i := range old.Results {
		byKey[old.Results[i].key()] = &old.Results[i]
	}
	for i := range new.Results {
		now := &new.Results[i]
		was, ok := byKey[now.key()]
		if !ok {
			d.OnlyNew = append(d.OnlyNew, now.key())
			continue
		}
		delete(byKey, now.key())
		for _, m := range now.Metrics {
			if before := was.metric(m.Name); before != nil {
				d.Changes = append(d.Changes, change(now.key(), before, &m))
			}
		}
	}
	for i := range old.Results {
		if key := old.Results[i].key(); byKey[key] != nil {
			d.OnlyOld = append(d.OnlyOld, key)
		}
	}
	return d, nil
}

func (d *Comparison) warn(what string, old, new any) {
	if a, b := fmt.Sprint(old), fmt.Sprint(new); a != b {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s differs: %s, then %s", what, a, b))
	}
}

func change(key string, old, new *Metric) Change {
	c := Change{
		Case: key, Metric: new.Name, Better: new.Better,
		Old: Median(old.Samples), New: Median(new.Samples), NewToOld: 1,
		P: 1, OldN: len(old.Samples), NewN: len(new.Samples),
	}
	if c.Old != c.New {
		c.NewToOld = c.New / c.Old
	}
	if test, err := stats.MannWhitneyUTest(old.Samples, new.Samples, stats.LocationDiffers); err == nil {
		c.P = test.P
	}
	return c
}

// WriteText prints a line for every metric: medians, their ratio, and whether the
// difference is more than chance; "~" says that it is not.
func (d *Comparison) WriteText(w io.Writer) error {
	for _, warning := range d.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "case\tmetric\told\tnew\tchange\tp\tn")
	few := false
	for _, c := range d.Changes {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%.3f\t%d+%d\n", c.Case, c.Metric, number(c.Old), number(c.New), c.verdict(), c.P, c.OldN, c.NewN)
		few = few || min(c.OldN, c.NewN) < 4
	}
	if err := tw.Flush(); err != nil {
		return fmt.Errorf("bench: writing the comparison: %w", err)
	}
	for _, side := range []struct {
		name  string
		cases []string
	}{{"old", d.OnlyOld}, {"new", d.OnlyNew}} {
		for _, key := range side.cases {
			fmt.Fprintf(w, "only in the %s report: %s\n", side.name, key)
		}
	}
	if few {
		fmt.Fprintln(w, "fewer than 4 samples a side can't show a significant change; take more with --runs")
	}
	return nil
}

// verdict is the change in per cent, and whether it is for the better.
func (c *Change) verdict() string {
	if !c.Significant() {
		return "~"
	}
	text := fmt.Sprintf("%+.1f %%", 100*(c.NewToOld-1))
	if c.Better == Neither || c.NewToOld == 1 {
		return text
	}
	if (c.NewToOld < 1) == (c.Better == Lower) {
		return text + " better"
	}
	return text + " worse"
}
