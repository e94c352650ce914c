// Package score predicts: from a text, or from ready-made features, to margins, scores and labels,
// with a model that is in memory or mapped from its file.
//
// A [Scorer] predicts one document after the other. [Classifier.Score] works through a whole input
// and writes what comes of it, [Classifier.Evaluate] compares with labels, and
// [PredictRows] takes the rows of a dataset instead of texts. A document has the same
// scores, bit for bit, on all these ways.
//
// What a model's features are, and how a text comes to have them, is said by its source: hashed
// n-grams and ready-made features are the two there are.
package score
