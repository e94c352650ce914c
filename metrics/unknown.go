package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// shownUnknown is how many of the labels that a model does not know are named.
const shownUnknown = 5

// DescribeUnknown names the labels in UnknownLabels, the most frequent first, with the number of documents that want
// each. If such a label is nearly one of the model's, it says how the two differ. It returns "" if there are none.
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
			if by := difference(label, c.Label); by != "" {
				return fmt.Sprintf("%s; %.60q and the model's %.60q differ only in %s", text, label, c.Label, by)
			}
		}
	}
	return text
}

// alike are what labels that are meant for one may differ by, with what makes them the same.
var alike = []struct {
	by    string
	plain func(label string) string
}{
	{"the prefix __label__", func(label string) string { return strings.TrimPrefix(label, "__label__") }},
	{"white space", func(label string) string { return strings.Join(strings.Fields(label), "") }},
	{"case", strings.ToLower},
	{"how a number is written", func(label string) string {
		if x, err := strconv.ParseFloat(label, 64); err == nil {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
		return label
	}},
}

// difference is what two labels differ by that may be meant for one; empty if it is more than that.
func difference(a, b string) string {
	same := func(without int) bool {
		x, y := a, b
		for i, step := range alike {
			if i != without {
				x, y = step.plain(x), step.plain(y)
			}
		}
		return x == y
	}
	if !same(-1) {
		return ""
	}
	var by []string
	for i, step := range alike {
		if !same(i) {
			by = append(by, step.by)
		}
	}
	if by == nil {
		return "how they are written"
	}
	return strings.Join(by, " and ")
}
