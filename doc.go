// Package nbsvm trains and runs text classifiers: NBSVM (Wang and Manning,
// "Baselines and Bigrams: Simple, Good Sentiment and Topic Classification", ACL
// 2012), linear SVM, logistic regression and naive Bayes over hashed n-grams.
//
// [Train] reads labelled documents, from files or in memory, and returns a [Classifier], which
// Save writes and [Open] maps; [OpenFS] and [OpenBytes] take one from elsewhere. Predict and
// PredictAll take texts in memory, Score and Evaluate work through whole inputs on all
// processors; a [Scorer] predicts text after text in one goroutine. [CrossValidate]
// judges options; Explain and ExplainText say what speaks for a class and what a
// score is made of. [Options] lists all that can be chosen, [DefaultOptions] and
// [Presets] are where to start.
//
// [Pack] hashes documents once into a packed corpus, a file that can stand for them
// wherever labelled documents are read.
//
// Most programs import this package and corpus, which has the formats of input and the
// documents. These can be used by themselves, too:
//
//	corpus    files to documents
//	hashing   text to n-gram hashes
//	sparse    sparse rows
//	kernels   the inner loops
//	bayes     log-count ratios and naive Bayes
//	solver    weights, by dual coordinate descent
//	metrics   predictions against labels
//	tag       words of sentences to tags
//
// What stands between is internal and may change at any time. Data goes through it in
// this order:
//
//	internal/data/ngrams    how many documents have each n-gram, and the vocabulary
//	internal/data/dataset   documents as rows of features, in memory or in a packed corpus
//	internal/data/matrix    the rows that the solver sees
//	internal/model     the model file
//	internal/model/score     text to margins, probabilities and labels
//	internal/learn/train     learners, one class against the rest, calibration
//	internal/learn/tune      the search for settings
//	internal/page/report    a page about a model
//
// Types such as [Classifier] and [Options] are names of types in there. To see their
// fields and methods, ask for the type itself:
//
//	go doc github.com/seed-167f963f/nbsvm/internal/model/score.Classifier
//	go doc github.com/seed-167f963f/nbsvm/internal/learn/train.Options
//
// Which type a name stands for, its own documentation tells: that of [Input] is
// corpus.Input, so it is in internal/data/dataset, as are those of packing. ScoreOptions are
// in internal/model/score, TuneOptions in internal/learn/tune, PageOptions in internal/page/report.
//
// The same input, options and version give the same model, byte for byte, on any
// number of threads and any CPU.
package nbsvm
