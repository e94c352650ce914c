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
// The way of the data, each package importing only what stands before it:
//
//	corpus    files to documents
//	hashing   text to n-gram hashes, and which of them count
//	sparse    documents as rows of features
//	bayes     log-count ratios, naive Bayes
//	solver    weights, through the loops of package kernels
//	model     the file
//	score     text to scores and labels
//	metrics   predictions against labels
//
// The same input, options and version give the same model, byte for byte, on any
// number of threads and any CPU.
package nbsvm
