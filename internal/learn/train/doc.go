// Package train makes models of labelled documents. Train prepares a dataset, fits a learner on its matrix, and
// assembles the model; held-out folds give thresholds and probabilities, CrossValidate judges options.
//
// Each kind of model is a learner: one file and one entry of the table learners, which says what the kind takes and
// how it is fitted.
package train
