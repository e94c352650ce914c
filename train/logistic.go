package train

import (
	"github.com/seed-167f963f/nbsvm/solver"
)

// Logistic is logistic regression on the features themselves.
const Logistic Kind = "logistic"

var logistic = linear{traits{
	Kind:   Logistic,
	Losses: []solver.Loss{solver.Logistic},
}}
