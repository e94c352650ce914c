// Package bayes turns sums over documents into class-conditional statistics: the
// log-count ratio that scales the features of NBSVM, and the multinomial and the
// Bernoulli naive Bayes classifiers.
//
// It takes per-feature sums as slices and knows neither matrices nor solvers.
// Sums are in float64, over documents times their weights; a feature's values
// are not negative. V, the number of features, is the length of the slices.
//
// Everything is computed in float64, and rounded once where results are float32.
//
// Both classifiers are linear: the joint log-likelihood of class k and a
// document with feature values f is
//
//	multinomial  log P(k) + Σ_j f_j · log P(j|k)
//	Bernoulli    log P(k) + Σ_j log(1-p_kj) + Σ_{j: f_j>0} (log p_kj - log(1-p_kj))
//
// and [Posterior] turns the joint log-likelihoods of all classes into
// probabilities. Numbers agree with scikit-learn's MultinomialNB and BernoulliNB.
//
// All logarithms and exponentials are those of internal/base/xmath: the same sums give
// the same bits on every CPU. Wrong lengths and an alpha that is not a positive
// number are programming errors and panic.
package bayes
