package metrics

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

const (
	matrixClasses = 12 // the most labels for which a text shows the whole matrix
	tableClasses  = 50 // the most labels for which a text shows them all
	worstClasses  = 20 // that it shows of more
	shownConfused = 12 // most frequent confusions
	labelWidth    = 32 // characters of a label that are shown
	columnWidth   = 12 // of a label at the head of a column
)

// WriteText writes the report as text: a summary, a table of the labels, and the confusion matrix. Of more than 50
// labels the table has the 20 with the lowest F1. If there are more than 12 labels, the most frequent confusions take
// the place of the matrix. The text ends with a line feed.
func (r *Report) WriteText(w io.Writer) error {
	if r.Regression != nil {
		return r.Regression.WriteText(w)
	}
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
	writeMetrics(b, r.N, r.Unknown, r.Bad, r.BadReasons, r.Values())
	if r.Sampled > 0 {
		fmt.Fprintf(b, "  roc auc and pr auc are of %d documents, chosen at random\n", r.Sampled)
	}
}

// writeMetrics writes what a report is of, and its metrics that are defined.
func writeMetrics(
	b *bytes.Buffer, n int, unknown, bad int64, badReasons map[string]int64, values iter.Seq2[string, *float64],
) {
	rows := [][]string{{"documents", strconv.Itoa(n)}}
	if unknown > 0 {
		rows = append(rows, []string{"unknown labels", strconv.FormatInt(unknown, 10)})
	}
	if bad > 0 {
		rows = append(rows, []string{"bad records", strconv.FormatInt(bad, 10)})
	}
	for key, v := range values {
		if v != nil {
			rows = append(rows, []string{strings.ReplaceAll(key, "_", " "), decimal(v)})
		}
	}
	writeTable(b, rows, 1)
	if len(badReasons) > 0 {
		fmt.Fprintf(b, "  bad records: %s\n", display.Counts(badReasons))
	}
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
	ranked := slices.ContainsFunc(r.PerClass, func(c ClassReport) bool { return c.ROCAUC != nil || c.PRAUC != nil })
	shown, title, rest := r.PerClass, "label", ""
	if len(shown) > tableClasses {
		title = "worst labels"
		shown, rest = worst(shown)
	}
	head := []string{title, "support", "predicted", "precision", "recall", "f1"}
	if ranked {
		head = append(head, "roc auc", "pr auc")
	}
	rows := [][]string{head}
	for _, c := range shown {
		row := []string{
			display.Short(c.Label, labelWidth), strconv.FormatInt(c.Support, 10), strconv.FormatInt(c.Predicted, 10),
			decimal(&c.Precision), decimal(&c.Recall), decimal(&c.F1),
		}
		if ranked {
			row = append(row, decimal(c.ROCAUC), decimal(c.PRAUC))
		}
		rows = append(rows, row)
	}
	b.WriteByte('\n')
	writeTable(b, rows, 1)
	b.WriteString(rest)
}

// worst returns the labels with the lowest F1, the more frequent first, and what to say of the others. Labels that
// neither occur nor are predicted have none.
func worst(classes []ClassReport) (shown []ClassReport, rest string) {
	shown = slices.DeleteFunc(slices.Clone(classes),
		func(c ClassReport) bool { return c.Support == 0 && c.Predicted == 0 })
	slices.SortStableFunc(shown, func(a, b ClassReport) int {
		return cmp.Or(cmp.Compare(a.F1, b.F1), cmp.Compare(b.Support, a.Support))
	})
	var others []string
	if more := len(shown) - worstClasses; more > 0 {
		others = append(others, fmt.Sprintf("%d more labels, whose median f1 is %s",
			more, decimal(&shown[worstClasses+more/2].F1)))
	}
	if absent := len(classes) - len(shown); absent > 0 {
		others = append(others, fmt.Sprintf("%d labels that neither occur nor are predicted", absent))
	}
	if len(others) > 0 {
		rest = "  … and " + strings.Join(others, ", and ") + "\n"
	}
	shown = shown[:min(len(shown), worstClasses)]
	return shown, rest
}

func (r *Report) writeMatrix(b *bytes.Buffer) {
	b.WriteString("\nconfusion matrix: rows are true labels, columns are predicted labels\n")
	head := []string{""}
	for _, c := range r.PerClass {
		head = append(head, display.Short(c.Label, columnWidth))
	}
	rows := [][]string{head}
	for k, cells := range r.Confusion {
		row := []string{display.Short(r.PerClass[k].Label, labelWidth)}
		for _, n := range cells {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rows = append(rows, row)
	}
	writeTable(b, rows, 1)
}

func (r *Report) writeConfused(b *bytes.Buffer) {
	b.WriteString("\nmost frequent confusions\n")
	rows := [][]string{{"true label", "predicted", "documents", "share of label"}}
	shown := r.confused[:min(len(r.confused), shownConfused)]
	documents := int64(0)
	for _, c := range shown {
		rows = append(rows, []string{
			display.Short(c.Label, labelWidth), display.Short(c.Predicted, labelWidth),
			strconv.FormatInt(c.Documents, 10), decimal(&c.Share),
		})
		documents += c.Documents
	}
	writeTable(b, rows, 2)
	if more := r.confusedPairs - len(shown); more > 0 {
		fmt.Fprintf(b, "  … and %d documents in %d other pairs of labels\n", r.confusedDocuments-documents, more)
	}
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
	return display.Decimal(*v)
}

// shownUnknown is the maximum number of unknown labels that are named.
const shownUnknown = 5

// DescribeUnknown names the labels in UnknownLabels, the most frequent first, with the number of documents that want
// each. If such a label looks like one of the model's, it says so. It returns "" if there are none.
func (r *Report) DescribeUnknown() string {
	labels := slices.SortedFunc(maps.Keys(r.UnknownLabels), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.UnknownLabels[b], r.UnknownLabels[a]), cmp.Compare(a, b))
	})
	var shown []string
	for _, label := range labels[:min(len(labels), shownUnknown)] {
		shown = append(shown, fmt.Sprintf("%s (%d)", display.Name(label), r.UnknownLabels[label]))
	}
	text := strings.Join(shown, ", ")
	if more := len(labels) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	for _, label := range labels[:len(shown)] {
		for _, c := range r.PerClass {
			if label != c.Label && plain(label) == plain(c.Label) {
				return fmt.Sprintf("%s; %s looks like the model's %s", text, display.Name(label), display.Name(c.Label))
			}
		}
	}
	return text
}

// plain returns a label without what labels that are meant for one may differ by: fastText's prefix, and all that
// [display.Alike] leaves out.
func plain(label string) string {
	return strings.ReplaceAll(display.Alike(strings.TrimPrefix(label, "__label__")), " ", "")
}
