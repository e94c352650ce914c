package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// shownNodes is how many nodes of a tree are listed.
const shownNodes = 100

// writeTree lists the nodes of labels that are paths: their depth, training documents of the very label, and of all
// that is below, too.
func writeTree(tw *tabwriter.Writer, c *score.Classifier, documents []corpus.ClassCount) {
	tree, labels := c.Paths(), c.Labels()
	if tree == nil || len(documents) != len(labels) {
		return
	}
	below := make([]uint64, len(labels))
	for k := len(labels) - 1; k >= 0; k-- {
		below[k] += documents[k].Documents
		if parent := tree.Parents[k]; parent >= 0 {
			below[parent] += below[k]
		}
	}
	fmt.Fprint(tw, "\nnode\tdepth\tdocuments\tand below\n")
	for k, label := range labels[:min(len(labels), shownNodes)] {
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\n", printable.Label(label), tree.Depths[k], wording.Count(int64(documents[k].Documents)), wording.Count(int64(below[k])))
	}
	if more := len(labels) - shownNodes; more > 0 {
		fmt.Fprintf(tw, "… and %s more; --json has all\t\t\t\n", wording.Count(int64(more)))
	}
}
