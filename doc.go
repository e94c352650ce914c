// Package nbsvm trains and runs text classifiers: NBSVM (Wang and Manning, "Baselines and Bigrams: Simple, Good
// Sentiment and Topic Classification", ACL 2012), linear SVM, logistic regression, naive Bayes and others over hashed
// n-grams.
//
// [Train] reads labelled documents, from files or from memory, and returns a [Classifier], which Save writes and [Open]
// maps. [OpenFS] and [OpenBytes] take a model from elsewhere.
//
//	in := corpus.Input{Paths: []string{"train.tsv"}}
//	classifier, report, err := nbsvm.Train(ctx, in, nbsvm.DefaultOptions())
//	...
//	p, err := classifier.Predict([]byte("not bad at all"))
//	fmt.Println(classifier.Labels()[p.Labels[0]], p.Scores)
//
// Predict and PredictAll classify texts in memory; Score and Evaluate work through whole inputs on all processors; a
// [Scorer] classifies text after text in one goroutine. Explain and ExplainText say what speaks for a class and what a
// score is made of. [CrossValidate] measures how good options are, and [Tune] searches for the best. [Options] has all
// that can be chosen; [DefaultOptions] and [Presets] are where to start.
//
// These packages stand beside this one:
//
//	corpus    the input: files and documents, and their formats
//	packed    packed corpora: documents that are hashed once and read many times
//	explain   the types of explanations
//	metrics   predictions compared with labels
//	tag       taggers: a label for every word of a sentence
//
// The engine's parts can be used by themselves:
//
//	hashing   text to n-gram hashes
//	sparse    sparse rows
//	kernels   the inner loops
//	bayes     log-count ratios and naive Bayes
//	solver    weights, by dual coordinate descent
//
// The same input, options and version give the same model, byte for byte, on any number of threads and any CPU.
// docs/reference/stability.md says what stays the same from version to version.
package nbsvm
