// Package bayes computes the log-count ratio that scales the features of NBSVM, and multinomial and Bernoulli naive
// Bayes classifiers.
//
// Its functions take sums per feature over the documents of a class, as slices of one length V, the number of features.
// A sum is over the documents' values of the feature times the documents' weights. Values and weights must not be
// negative, which is not checked: a logarithm of a negative number is NaN.
//
// Both classifiers are linear: the joint log-likelihood of class k and a document with feature values f is
//
//	multinomial  log P(k) + Σ_j f_j · log P(j|k)
//	Bernoulli    log P(k) + Σ_j log(1-p_kj) + Σ_{j: f_j>0} (log p_kj - log(1-p_kj))
//
// [Posterior] turns the joint log-likelihoods of all classes into probabilities. The numbers agree with scikit-learn's
// MultinomialNB and BernoulliNB.
//
// Everything is computed in float64, and rounded once where results are float32. The same sums give the same bits on
// every CPU. Slices of different lengths, and an alpha that is not a positive number, are programming errors and panic.
package bayes
