// Package metrics compares predictions of classifiers with the truth.
//
// An [Accumulator] makes a [Report] with all metrics. A [Curve] answers what a threshold keeps, [TopKs] count right labels
// among the best K, and [PathCounts] are for labels that are paths of a tree. If numbers are predicted instead of
// classes, a [Regression] makes a [RegressionReport], and [RaterCeiling] says what any predictor could reach.
//
// Classes are numbers from 0 to K-1. A wanted class of [Unknown] stands for the labels that the model does not know:
// every prediction for it is wrong. [Accumulator.UnknownClass] tells them apart.
//
// Definitions are those of scikit-learn if it has the metric. In short:
//
//   - A ratio whose denominator is 0, such as the precision of a class that is never predicted, is 0.
//   - Macro averages are over the classes that occur, wanted or predicted.
//   - ROC AUC, average precision, log loss, Brier score and calibration error of a multi-class report are over the
//     documents whose labels are known.
//   - A metric that is undefined, such as a ROC AUC with only one class present, is nil in a report, and null in JSON.
//
// Scores may have any scale, and may be infinite: only their order matters. Probabilities are from 0 to 1. NaN is an
// error.
package metrics
