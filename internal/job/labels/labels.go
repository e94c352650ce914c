// Package labels finds a class by the label that a user has typed.
package labels

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/base/printable"
)

// Find is the place of a name among the labels of a model, which are sorted. Where it is none, the error offers those
// that may have been meant.
func Find(labels []string, name string) (int, error) {
	if k, ok := slices.BinarySearch(labels, name); ok {
		return k, nil
	}
	offer, names := "did you mean", similar(labels, name)
	if len(names) == 0 {
		const most = 12
		offer, names = "it has", slices.Clone(labels)
		if len(names) > most {
			offer, names = fmt.Sprintf("its %d are", len(names)), append(names[:most], "…")
		}
	}
	for i, label := range names {
		names[i] = printable.Label(label)
	}
	return 0, fmt.Errorf("the model has no label %s; %s %s", printable.Label(name), offer, strings.Join(names, ", "))
}

// similar lists the labels, at most three, that a name may be meant for: those that
// begin with it or are few typing errors away, apart from case.
func similar(labels []string, name string) []string {
	type candidate struct {
		label string
		edits int
	}
	var found []candidate
	name = strings.ToLower(name)
	for _, label := range labels {
		low := strings.ToLower(label)
		switch n := edits(low, name); {
		case n <= 1+len(name)/4:
			found = append(found, candidate{label, n})
		case name != "" && strings.HasPrefix(low, name):
			found = append(found, candidate{label, len(low)})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var names []string
	for _, c := range found[:min(3, len(found))] {
		names = append(names, c.label)
	}
	return names
}

// edits is how many bytes must be put in, taken out or changed to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
