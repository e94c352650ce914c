package display

import (
	"fmt"
	"slices"
	"strings"
)

// FindLabel returns the place of a name among the labels of a model, which are sorted. Where it is none, the error
// offers those that may have been meant.
func FindLabel(labels []string, name string) (int, error) {
	if k, ok := slices.BinarySearch(labels, name); ok {
		return k, nil
	}
	offer, end, names := "did you mean", "?", similar(labels, name)
	if len(names) == 0 {
		const most = 12
		offer, end, names = "it has", "", slices.Clone(labels)
		if len(names) > most {
			offer, names = fmt.Sprintf("its %d are", len(names)), append(names[:most], "…")
		}
	}
	for i, label := range names {
		names[i] = Short(label, LabelWidth)
	}
	return 0, fmt.Errorf("the model has no label %s; %s %s%s",
		Short(name, LabelWidth), offer, strings.Join(names, ", "), end)
}

// similar lists the labels, at most three, that a name may be meant for: those that begin with it, or that differ from
// it in one place at most, apart from case.
func similar(labels []string, name string) (names []string) {
	name = strings.ToLower(name)
	for _, label := range labels {
		low := strings.ToLower(label)
		if name != "" && (strings.HasPrefix(low, name) || oneTypo(low, name)) {
			names = append(names, label)
		}
	}
	return names[:min(3, len(names))]
}

// oneTypo reports whether the bytes that two texts have in common at their beginning and their end are most of both.
func oneTypo(a, b string) bool {
	shorter, start, end := min(len(a), len(b)), 0, 0
	for start < shorter && a[start] == b[start] {
		start++
	}
	for end < shorter-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return 5*(start+end) >= 3*max(len(a), len(b))
}
