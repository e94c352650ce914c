// Package metrics measures predictions against the truth: slices in, numbers out.
// It imports the standard library only.
//
// [MultiClass] and [MultiLabel] make a whole [Report]. Classes are numbers 0 … K-1. A
// wanted class of [Unknown] stands for a label that the model does not know: whatever it
// answers is wrong.
//
// [PathCounts] add up how much of labels that are paths of a tree is right, for [Report.AddPaths].
//
// Definitions are those of scikit-learn where it has the metric. In short:
//
//   - A ratio with nothing in its denominator (the precision of a class that is
//     never predicted) is 0, as in scikit-learn.
//   - Macro averages are over the classes that occur, wanted or predicted.
//   - ROC AUC, average precision, log loss, Brier score and calibration error of
//     a multi-class report are over the documents whose labels are known.
//   - What is undefined (a ROC AUC with only one class present) is nil in a
//     report, null in JSON.
//
// Scores may be of any scale, infinite even, and only rank; probabilities lie
// within 0 and 1. NaN among either is an error.
package metrics
