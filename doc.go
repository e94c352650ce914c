// Package nbsvm trains and runs text classifiers: NBSVM (Wang and Manning, "Baselines and Bigrams: Simple, Good
// Sentiment and Topic Classification", ACL 2012), linear SVM, logistic regression, naive Bayes and others, on hashed
// n-grams.
//
// [Train] learns a [Classifier] from labelled documents:
//
//	in := corpus.Input{Paths: []string{"train.tsv"}} // a label, a tab and a text per line
//	classifier, report, err := nbsvm.Train(ctx, in, nbsvm.DefaultOptions())
//	...
//	label, score, err := classifier.Classify("not bad at all")
//
// # Where to start
//
//   - Options: [DefaultOptions] and [Presets] are starting points; [Options] documents every field. [CrossValidate]
//     measures how good options are, and [Tune] searches for the best.
//   - Input: [corpus.Input] names files, or has documents from a loop over memory or a database.
//   - Model files: [Classifier.Save] writes one; [Open], [OpenFS] and [OpenBytes] open it, also from an [embed.FS].
//   - Predictions: [Classifier.Classify] returns the label of a text, [Classifier.Top] the best ones, and
//     [Classifier.Predict] all that the model says. [Classifier.Each] classifies many documents on all processors, and
//     [Classifier.Score] writes a line for each. [Classifier.Evaluate] compares predictions with labels. A [Scorer] gives
//     full predictions without allocating memory.
//   - Explanations: [Classifier.Explain] lists the features that favour each class, and [Scorer.ExplainText] takes one score
//     apart.
//
// A classifier may be used by any number of goroutines at once. Functions that take a context stop when it is
// cancelled.
//
// # Errors
//
// Errors say what is wrong, where, and what to do. They name options by their fields, such as Options.MinDF and
// Input.LabelField. Test them with [errors.Is]: for [ErrNotModel] and the like, [corpus.ErrNoDocuments],
// [context.Canceled] and [fs.ErrNotExist]; and with [errors.As] for a [corpus.RecordError], which has the position of a
// bad record.
//
// # Other packages
//
//	corpus    input: files, documents and formats
//	packed    packed corpora: documents that are hashed once and read many times
//	explain   the types of explanations
//	metrics   accuracy, F1 and other comparisons of predictions with labels
//	tag       taggers: a label for every word of a sentence
//
// The parts of the engine can be used by themselves:
//
//	hashing   text to n-gram hashes
//	sparse    sparse matrices
//	kernels   the inner loops
//	bayes     log-count ratios and naive Bayes
//	solver    linear models, by dual coordinate descent
//
// # Stability
//
// The same input, options and version give the same model, byte for byte, with any number of threads and on any CPU.
// docs/reference/stability.md says what stays the same from version to version.
package nbsvm

// Version of nbsvm, such as "1.0.0". Model files record the version that made them.
const Version = "1.0.0"
