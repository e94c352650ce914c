package train

import (
	"github.com/seed-167f963f/nbsvm/solver"
)

// SVM is a linear classifier on the features themselves.
const SVM Kind = "svm"

var svm = linear{traits{
	Kind:   SVM,
	Losses: []solver.Loss{solver.SquaredHinge, solver.Hinge, solver.Logistic},
}}

// Logistic is logistic regression on the features themselves.
const Logistic Kind = "logistic"

var logistic = linear{traits{
	Kind:   Logistic,
	Losses: []solver.Loss{solver.Logistic},
}}
