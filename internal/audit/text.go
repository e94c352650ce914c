package audit

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

const nameWidth = 32 // characters of a group that are shown

// WriteText writes the report as text.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	r.writeAll(&b)
	for _, line := range r.Sentences() {
		fmt.Fprintln(&b, line)
	}
	for i := range r.By {
		f := &r.By[i]
		fmt.Fprintf(&b, "\nby %s: %s\n", display.Label(f.Field), display.Some(f.Groups, "group"))
		writeTable(&b, f.Table(r))
		for _, line := range f.Sentences() {
			fmt.Fprintln(&b, line)
		}
		if r.Against != nil {
			fmt.Fprintf(&b, "\ndrift by %s\n", display.Label(f.Field))
			writeTable(&b, f.DriftTable(r))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeTable writes columns that end at the same place.
func writeTable(b *bytes.Buffer, rows [][]string) {
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintln(tw, strings.Join(row, "\t")+"\t")
	}
	tw.Flush()
}

// writeAll writes the figures of all documents.
func (r *Report) writeAll(b *bytes.Buffer) { writeTable(b, r.Table()) }

// Table returns the figures of all documents, under a header if there are two sets.
func (r *Report) Table() (rows [][]string) {
	wholes := []*Whole{&r.All}
	if r.Against != nil {
		rows, wholes = append(rows, []string{"", "now", "before"}), append(wholes, r.Against)
	}
	add := func(name string, of func(w *Whole) string) {
		row := []string{name}
		for _, w := range wholes {
			row = append(row, of(w))
		}
		rows = append(rows, row)
	}
	add("documents", func(w *Whole) string { return display.Count(w.Documents) })
	if r.All.Bad > 0 || r.Against != nil && r.Against.Bad > 0 {
		add("bad records", func(w *Whole) string { return display.Count(w.Bad) })
	}
	if r.All.Unscored > 0 || r.Against != nil && r.Against.Unscored > 0 {
		add("without a score", func(w *Whole) string { return display.Count(w.Unscored) })
	}
	add("mean score", func(w *Whole) string { return number(w.Mean) })
	add("median score", func(w *Whole) string { return number(w.Median) })
	add("different scores", func(w *Whole) string { return display.Count(w.Distinct) })
	add("most frequent score", func(w *Whole) string { return number(&w.Mode) })
	add("documents with it", func(w *Whole) string { return display.Count(w.ModeCount) })
	if r.Probabilities {
		share := func(n int64, w *Whole) string { return fmt.Sprintf("%.4f", float64(n)/float64(w.Documents)) }
		add("share at most 0.0001", func(w *Whole) string { return share(w.Saturation.Near0, w) })
		add("share at 0", func(w *Whole) string { return share(w.Saturation.At0, w) })
		add("share at least 0.9999", func(w *Whole) string { return share(w.Saturation.Near1, w) })
		add("share at 1", func(w *Whole) string { return share(w.Saturation.At1, w) })
	}
	if r.Cut != nil {
		add(fmt.Sprintf("kept from %v", *r.Cut), func(w *Whole) string { return display.Count(*w.Kept) })
		add("kept share", func(w *Whole) string { return number(w.KeptShare) })
		add("95 % interval", func(w *Whole) string { return w.interval() })
	}
	return rows
}

// Sentences say what the figures of all documents mean.
func (r *Report) Sentences() (lines []string) {
	if t := r.Threshold; t != nil {
		lines = append(lines, fmt.Sprintf("threshold %v keeps %s of %s", t.Threshold, display.Count(t.Kept),
			display.Some(r.All.Documents, "document")))
		if t.Kept > t.Wanted {
			line := fmt.Sprintf("%s more than asked for, because %s have this very score", display.Count(t.Kept-t.Wanted),
				display.Count(t.Equal))
			if t.Next != nil {
				line += fmt.Sprintf("; the next threshold, %v, keeps %s", *t.Next, display.Count(t.Kept-t.Equal))
			}
			lines = append(lines, line)
		}
	}
	if r.Drift != nil {
		lines = append(lines, "drift of the scores: "+r.Drift.Describe())
	}
	return lines
}

// Describe says how large the drift is.
func (d *Drift) Describe() string {
	text := fmt.Sprintf("PSI %.4f, ", d.PSI)
	switch d.Shift {
	case "none":
		text += fmt.Sprintf("no shift to speak of (below %v)", moderateShift)
	case "chance":
		text += fmt.Sprintf("within chance for so few documents (below %.4f in 95 of 100 cases)", d.Chance)
	case "moderate":
		text += fmt.Sprintf("a moderate shift (%v to %v)", moderateShift, largeShift)
	default:
		text += fmt.Sprintf("a large shift (%v or more)", largeShift)
	}
	if d.KS != nil {
		text += fmt.Sprintf("; Kolmogorov-Smirnov %.4f, p = %.2g", *d.KS, *d.P)
	}
	return text
}

// Sentences say how much the groups of the field explain.
func (f *Field) Sentences() (lines []string) {
	if f.EtaSquared == nil {
		lines = append(lines, "all scores are equal")
	} else {
		lines = append(lines, fmt.Sprintf("the groups explain %.4f of the variance of the scores (eta squared), %.4f beyond chance (epsilon squared)",
			*f.EtaSquared, *f.EpsilonSquared))
	}
	if f.KeptAUC != nil {
		lines = append(lines, fmt.Sprintf("the group alone predicts what is kept with a ROC AUC of %.4f", *f.KeptAUC))
	}
	if 2*f.Single > f.Groups && f.Groups > 1 {
		lines = append(lines, fmt.Sprintf("%s of the %s have one document, and these figures are too high: give a field with fewer values",
			display.Count(f.Single), display.Some(f.Groups, "group")))
	}
	if f.Mix != nil {
		lines = append(lines, "drift of the shares of groups: "+f.Mix.Describe())
	}
	return lines
}

// Table returns the figures of the groups under a header.
func (f *Field) Table(r *Report) (rows [][]string) {
	head := []string{f.Field, "documents", "share", "mean", "median"}
	if r.Cut != nil {
		head = append(head, "kept", "kept share", "95 % interval")
	}
	if r.Threshold != nil {
		head = append(head, "own threshold", "keeps")
	}
	rows = append(rows, head)
	add := func(name string, row *Row, t *Threshold) {
		line := []string{name, display.Count(row.Documents), fmt.Sprintf("%.4f", row.Share), number(row.Mean), number(row.Median)}
		if r.Cut != nil {
			line = append(line, count(row.Kept), number(row.KeptShare), row.interval())
		}
		switch {
		case r.Threshold == nil:
		case t == nil:
			line = append(line, "-", "-")
		default:
			line = append(line, fmt.Sprint(t.Threshold), display.Count(t.Kept))
		}
		rows = append(rows, line)
	}
	for i := range f.Rows {
		add(f.Rows[i].name(), &f.Rows[i].Row, f.Rows[i].Threshold)
	}
	if f.Rest != nil {
		add(f.Rest.name(), &f.Rest.Row, nil)
	}
	return rows
}

// DriftTable returns how the groups changed, under a header.
func (f *Field) DriftTable(r *Report) (rows [][]string) {
	head := []string{f.Field, "before", "share before", "share now", "mean before", "mean now"}
	if r.Cut != nil {
		head = append(head, "kept share before", "kept share now")
	}
	rows = append(rows, append(head, "PSI", "shift", "KS", "p"))
	add := func(name string, old, now *Row, d *Drift) {
		line := []string{
			name, display.Count(old.Documents), fmt.Sprintf("%.4f", old.Share), fmt.Sprintf("%.4f", now.Share),
			number(old.Mean), number(now.Mean),
		}
		if r.Cut != nil {
			line = append(line, number(old.KeptShare), number(now.KeptShare))
		}
		switch {
		case d != nil:
			line = append(line, number(&d.PSI), d.Shift, number(d.KS), fmt.Sprintf("%.2g", *d.P))
		case old.Documents == 0:
			line = append(line, "-", "new", "-", "-")
		case now.Documents == 0:
			line = append(line, "-", "gone", "-", "-")
		default:
			line = append(line, "-", "-", "-", "-")
		}
		rows = append(rows, line)
	}
	for i := range f.Rows {
		g := &f.Rows[i]
		add(g.name(), g.Against, &g.Row, g.Drift)
	}
	if f.Rest != nil {
		add(f.Rest.name(), f.Rest.Against, &f.Rest.Row, nil)
	}
	return rows
}

// name returns the group as it is shown.
func (g *Group) name() string {
	if g.Group == nil {
		return "(none)"
	}
	return display.Short(*g.Group, nameWidth)
}

func (r *Rest) name() string { return "(" + display.Some(r.Groups, "more group") + ")" }

// interval returns the interval of the share that is kept.
func (r *Row) interval() string {
	if r.Interval == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f to %.4f", r.Interval[0], r.Interval[1])
}

func number(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *x)
}

func count(n *int64) string {
	if n == nil {
		return "-"
	}
	return display.Count(*n)
}
