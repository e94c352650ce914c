// Package train trains models on labelled documents.
//
// Train works in four steps: Prepare reads the documents and settles what the options leave open, LayOut makes the
// matrix, Fit has the learner of the kind of model train on it, and Fitted.Model assembles the model. Thresholds and
// calibrated probabilities are learned from held-out folds; CrossValidate and Folds evaluate options.
//
// Each kind of model is a learner: one file, one entry in the table learners, and its options in the table takers. What
// a kind can do follows from the interfaces that its learner implements.
package train
