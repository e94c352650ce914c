package metrics

// MultiLabel reports on documents that have any number of labels each, or none. want and got have a set for each
// document: indices into labels in any order, and [Unknown] in want, which makes the document wrong and lowers the
// micro recall. scores and probs are nil, or have len(labels) values for each document, row by row.
//
// Accuracy is the share of documents whose set is exactly right. Micro averages are over all pairs of document and
// label. ROC AUC and average precision are means over the labels. Log loss, Brier score and calibration error take
// every pair as an event: they are the mean binary cross-entropy, the mean of (p-y)², and the calibration of p in 15
// bins. These and the Hamming loss leave unknown labels out.
func MultiLabel(labels []string, want, got [][]int32, scores, probs []float64) (*Report, error) {
	return report(NewAccumulator(labels, true), len(want), len(got), scores, probs,
		func(i int) (_, _ []int32) { return want[i], got[i] })
}
