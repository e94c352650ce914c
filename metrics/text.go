package metrics

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/base/printable"
)

const (
	matrixClasses = 12  // the most labels for which a text shows the whole matrix
	tableClasses  = 100 // the most labels in a text's table: the most frequent
	labelWidth    = 32  // characters of a label that are shown
	columnWidth   = 12  // of a label at the head of a column
)

// WriteText writes the report as text: a summary, a table of the 100 most frequent labels, and the confusion matrix. If
// there are more than 12 labels, the most frequent confusions take the place of the matrix. The text ends with a line
// feed.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	r.writeSummary(&b)
	r.writeDepths(&b)
	r.writeClasses(&b)
	if len(r.Confusion) > 0 && len(r.Confusion) <= matrixClasses {
		r.writeMatrix(&b)
	} else if len(r.confused) > 0 {
		r.writeConfused(&b)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("metrics: writing the report: %w", err)
	}
	return nil
}

func (r *Report) writeSummary(b *bytes.Buffer) {
	rows := [][]string{{"documents", strconv.Itoa(r.N)}}
	if r.Unknown > 0 {
		rows = append(rows, []string{"unknown labels", strconv.FormatInt(r.Unknown, 10)})
	}
	for key, v := range r.Values() {
		if v != nil {
			rows = append(rows, []string{strings.ReplaceAll(key, "_", " "), decimal(v)})
		}
	}
	writeTable(b, rows, 1)
}

// writeDepths writes how many paths are right up to each depth.
func (r *Report) writeDepths(b *bytes.Buffer) {
	if len(r.DepthAccuracy) < 2 {
		return
	}
	rows := [][]string{{"depth", "accuracy"}}
	for depth, accuracy := range r.DepthAccuracy[:min(len(r.DepthAccuracy), tableClasses)] {
		rows = append(rows, []string{strconv.Itoa(depth + 1), decimal(&accuracy)})
	}
	b.WriteByte('\n')
	writeTable(b, rows, 1)
}

func (r *Report) writeClasses(b *bytes.Buffer) {
	order := make([]int, len(r.PerClass))
	ranked := false
	for k, c := range r.PerClass {
		order[k] = k
		ranked = ranked || c.ROCAUC != nil || c.PRAUC != nil
	}
	if len(order) > tableClasses {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.PerClass[j].Support, r.PerClass[i].Support) })
		order = order[:tableClasses]
	}
	head := []string{"label", "support", "predicted", "precision", "recall", "f1"}
	if ranked {
		head = append(head, "roc auc", "pr auc")
	}
	rows := [][]string{head}
	for _, k := range order {
		c := r.PerClass[k]
		row := []string{
			showLabel(c.Label, labelWidth), strconv.FormatInt(c.Support, 10), strconv.FormatInt(c.Predicted, 10),
			decimal(&c.Precision), decimal(&c.Recall), decimal(&c.F1),
		}
		if ranked {
			row = append(row, decimal(c.ROCAUC), decimal(c.PRAUC))
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	writeTable(b, rows, 1)
	if more := len(r.PerClass) - len(order); more > 0 {
		fmt.Fprintf(b, "  … and %d rarer labels\n", more)
	}
}

func (r *Report) writeMatrix(b *bytes.Buffer) {
	b.WriteString("\nconfusion matrix: rows are true labels, columns are predicted labels\n")
	head := []string{""}
	for _, c := range r.PerClass {
		head = append(head, showLabel(c.Label, columnWidth))
	}
	rows := [][]string{head}
	for k, cells := range r.Confusion {
		row := []string{showLabel(r.PerClass[k].Label, labelWidth)}
		for _, n := range cells {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rows = append(rows, row)
	}
	writeTable(b, rows, 1)
}

func (r *Report) writeConfused(b *bytes.Buffer) {
	b.WriteString("\nmost frequent confusions\n")
	rows := [][]string{{"true label", "predicted", "documents"}}
	for _, p := range r.confused {
		rows = append(rows, []string{
			showLabel(r.PerClass[p.want].Label, labelWidth), showLabel(r.PerClass[p.got].Label, labelWidth),
			strconv.FormatInt(p.documents, 10),
		})
	}
	writeTable(b, rows, 2)
}

// writeTable aligns the first `left` columns to the left and the others to the
// right. A tabwriter aligns all or none to the right, so the left ones are padded
// beforehand.
func writeTable(b *bytes.Buffer, rows [][]string, left int) {
	for col := range left {
		width := 0
		for _, row := range rows {
			width = max(width, utf8.RuneCountInString(row[col]))
		}
		for _, row := range rows {
			row[col] += strings.Repeat(" ", width-utf8.RuneCountInString(row[col]))
		}
	}
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(tw, "%s\t\n", strings.Join(row, "\t"))
	}
	tw.Flush() // a bytes.Buffer takes everything
}

func decimal(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', 4, 64)
}

// showLabel makes a label fit for a terminal, and cuts a long one.
func showLabel(label string, width int) string {
	label = printable.Label(label)
	if utf8.RuneCountInString(label) <= width {
		return label
	}
	return string([]rune(label)[:width-1]) + "…"
}

// shownUnknown is how many of the labels that a model does not know are named.
const shownUnknown = 5

// DescribeUnknown names the labels in UnknownLabels, the most frequent first, with the number of documents that want
// each. If such a label looks like one of the model's, it says so. It returns "" if there are none.
func (r *Report) DescribeUnknown() string {
	labels := slices.SortedFunc(maps.Keys(r.UnknownLabels), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.UnknownLabels[b], r.UnknownLabels[a]), cmp.Compare(a, b))
	})
	var shown []string
	for _, label := range labels[:min(len(labels), shownUnknown)] {
		shown = append(shown, fmt.Sprintf("%.60q (%d)", label, r.UnknownLabels[label]))
	}
	text := strings.Join(shown, ", ")
	if more := len(labels) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	for _, label := range labels[:len(shown)] {
		for _, c := range r.PerClass {
			if label != c.Label && plain(label) == plain(c.Label) {
				return fmt.Sprintf("%s; %.60q looks like the model's %.60q", text, label, c.Label)
			}
		}
	}
	return text
}

// plain is a label without what labels that are meant for one may differ by: fastText's prefix, white space, case, and
// how a number is written.
func plain(label string) string {
	label = strings.ToLower(strings.Join(strings.Fields(strings.TrimPrefix(label, "__label__")), ""))
	if x, err := strconv.ParseFloat(label, 64); err == nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return label
}
