// Package nbsvm trains and runs text classifiers: NBSVM (Wang and Manning,
// "Baselines and Bigrams: Simple, Good Sentiment and Topic Classification", ACL
// 2012), linear SVM, logistic regression and naive Bayes over hashed n-grams.
//
// [Train] reads labelled documents and returns a [Classifier], which Save writes
// and [Open] maps. A [Scorer] predicts single texts, one Scorer per goroutine;
// Score and Evaluate work through whole inputs on all processors. [CrossValidate]
// judges options; Explain and ExplainText say what speaks for a class and what a
// score is made of. [Options] lists all that can be chosen, [DefaultOptions] and
// [Presets] are where to start.
//
// Packages, in the order in which data goes through them:
//
//	corpus             files to documents
//	hashing            text to n-gram hashes; counts and the vocabulary
//	internal/dataset   documents as rows of features, in memory or in a packed corpus
//	internal/matrix    the rows that the solver sees
//	internal/model     the model file
//	internal/score     text to margins, probabilities and labels
//	internal/train     learners, one class against the rest, calibration
//
// They use sparse (rows), kernels (inner loops), bayes (log-count ratios), solver (weights)
// and metrics (predictions against labels).
//
// The same input, options and version give the same model, byte for byte, on any
// number of threads and any CPU.
package nbsvm
