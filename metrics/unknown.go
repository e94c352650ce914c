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
