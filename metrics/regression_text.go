package metrics

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// shownLevels is the most levels for which a text shows a table.
const shownLevels = 20

// WriteText writes the report as text: its metrics, the ranges of the numbers, a table of the wanted numbers if there are
// at most 20 different ones, a table of the cuts, and the ceiling. The text ends with a line feed.
func (r *RegressionReport) WriteText(w io.Writer) error {
	var b bytes.Buffer
	writeMetrics(&b, r.N, 0, r.Bad, r.BadReasons, r.Values())
	if r.Sampled > 0 {
		fmt.Fprintf(&b, "  all metrics are of %d documents, chosen at random\n", r.Sampled)
	}
	rows := [][]string{{"numbers", "mean", "min", "max"}}
	for _, side := range []struct {
		name string
		of   NumberRange
	}{{"wanted", r.Wanted}, {"predicted", r.Predicted}} {
		rows = append(rows, []string{side.name, decimal(&side.of.Mean), decimal(&side.of.Min), decimal(&side.of.Max)})
	}
	b.WriteByte('\n')
	writeTable(&b, rows, 1)
	if 0 < len(r.Levels) && len(r.Levels) <= shownLevels {
		rows = [][]string{{"wanted", "documents", "mean predicted", "mae", "nearest"}}
		for _, l := range r.Levels {
			rows = append(rows, []string{
				number(l.Wanted), strconv.Itoa(l.N), decimal(&l.MeanPredicted), decimal(&l.MAE), decimal(&l.Nearest),
			})
		}
		b.WriteByte('\n')
		writeTable(&b, rows, 0)
	}
	if len(r.Cuts) > 0 {
		rows = [][]string{{"cut", "positives", "kept", "share", "precision", "recall", "f1", "roc auc", "pr auc"}}
		for _, c := range r.Cuts {
			rows = append(rows, []string{
				number(c.Threshold), strconv.FormatInt(c.Positives, 10), strconv.FormatInt(c.Kept, 10), decimal(&c.Share),
				decimal(c.Precision), decimal(c.Recall), decimal(&c.F1), decimal(c.ROCAUC), decimal(c.PRAUC),
			})
		}
		b.WriteByte('\n')
		writeTable(&b, rows, 0)
	}
	if r.Ceiling != nil {
		r.Ceiling.writeText(&b)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("metrics: writing the report: %w", err)
	}
	return nil
}

// writeText writes what any predictor could reach, and what each rating reaches beside the others.
func (c *Ceiling) writeText(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%d documents have several ratings, %d in all. The best of predictions would reach:\n",
		c.Documents, c.Ratings)
	one := c.LeaveOneOut
	writeTable(b, [][]string{
		{"ratings", "rmse", "r2", "pearson", "mae", "spearman", "quadratic kappa"},
		{"expected, for their mean", decimal(c.RMSE), decimal(c.R2), decimal(c.Pearson), "", "", ""},
		{
			"mean of the others, for one", decimal(&one.RMSE), decimal(one.R2), decimal(one.Pearson), decimal(&one.MAE),
			decimal(one.Spearman), decimal(one.QuadraticKappa),
		},
	}, 1)
}

// number writes all digits of a number.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
