package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// missing are labels that programs write where there is none.
var missing = []string{"nan", "NaN", "<NA>", "None", "null", "NULL"}

// labelCounts are numbers of documents whose labels are not one, and the places of the first.
type labelCounts struct {
	several, none     int
	severalAt, noneAt string
}

// add counts a document of so many labels.
func (l *labelCounts) add(labels int, path string, line int64) {
	switch {
	case labels > 1:
		if l.several++; l.several == 1 {
			l.severalAt = fmt.Sprintf("%s:%d", path, line)
		}
	case labels == 0:
		if l.none++; l.none == 1 {
			l.noneAt = fmt.Sprintf("%s:%d", path, line)
		}
	}
}

// warnings are what is told of the classes of an input.
func (c *Classes) warnings(in corpus.Input, ready bool, counts labelCounts) (warnings []string) {
	for _, label := range missing {
		if k, ok := c.index[label]; ok {
			warnings = append(warnings, fmt.Sprintf("has the label %q, which pandas and others write for a missing one: %d documents; leave them out if it is no class", label, c.Sets[k].GetCardinality()))
		}
	}
	given := in.LabelSep != "" || in.Like.LabelSep != ""
	switch several := counts.several; {
	case several == 0 || given:
	case several*fewSeveral < len(c.ends):
		warnings = append(warnings, fmt.Sprintf("has few documents with several labels, of which there can be any number then: %d of %d, the first is %s", several, len(c.ends), counts.severalAt))
	case ready:
		warnings = append(warnings, fmt.Sprintf("has documents with several labels, joined by commas, so that models predict any number of labels: %d of %d, the first is %s; --label-sep , says that it is meant", several, len(c.ends), counts.severalAt))
	}
	if counts.none > 0 && counts.several == 0 {
		warnings = append(warnings, fmt.Sprintf("has documents without a label, which speak against every class, and the others have one each: %d of %d, the first is %s; to leave them out, take --on-bad skip in place of --label-sep", counts.none, len(c.ends), counts.noneAt))
	}
	if groups := Alike(slices.Sorted(slices.Values(c.Labels))); len(groups) > 0 {
		warnings = append(warnings, fmt.Sprintf("has labels that differ by case or white space alone, and are classes of their own: %s; are they one class?", wording.Excerpts(slices.Concat(groups...))))
	}
	return warnings
}

// Alike are the groups of labels that differ by case or white space alone, in the order of the labels.
func Alike(labels []string) (groups [][]string) {
	folded := map[string][]string{}
	fold := func(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }
	for _, label := range labels {
		folded[fold(label)] = append(folded[fold(label)], label)
	}
	for _, label := range labels {
		if group := folded[fold(label)]; len(group) > 1 && group[0] == label {
			groups = append(groups, group)
		}
	}
	return groups
}

// fewSeveral: if fewer than one document in so many has several labels, they may be a mistake.
const fewSeveral = 20
