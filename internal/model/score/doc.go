// Package score predicts: from a text, or from ready-made features, to margins, scores and labels, with a model that is
// in memory or mapped from its file.
//
// A [Scorer] predicts one document after the other, and [PredictRows] takes the rows of a dataset instead of texts. A
// document has the same scores, bit for bit, in both ways. Package nbsvm works through whole inputs.
//
// # How a document is scored
//
// What differs between models is behind interfaces:
//
//	predictor  for one goroutine: documents in, predictions out; by a rule, or by fastText, which finds features and
//	           scores by itself
//	features   of a text: ngrams, or readyMade ones; by the source that the model's file names
//	rule       from rows of features to margins: linear, trees or nearest
//
// Naive Bayes and perceptrons are linear, too: their weights come from counts or from updates.
//
// The sections of a model's file are storage: a model is laid out as a [table] when its first scorer is made, in which
// n-grams are found and from which weights are added up.
package score
