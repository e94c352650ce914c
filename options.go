package nbsvm

import (
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// Kind is a kind of model.
type Kind string

// The kinds of model. docs/reference/models.md describes them.
const (
	// AutoKind is NBSVM for text. For ready-made features, which may be words, indicators or measurements, it is the
	// best of NBSVM (unless a feature is negative), SVM, and SVM without Normalize, by 5-fold cross-validation on at
	// most as many documents as take about a second. Report.Candidates has the result. With fewer than 10 documents per
	// class, it is the first of these. It is NBSVM in any case if Loss, Normalize, Prenormalize, Alpha, AlphaBySize or
	// Beta are not the defaults.
	AutoKind Kind = "auto"
	// NBSVM is a linear SVM on features times the naive-Bayes log-count ratio (Wang and Manning 2012).
	NBSVM             Kind = "nbsvm"
	SVM               Kind = "svm"        // a linear SVM
	Logistic          Kind = "logistic"   // L2-regularized logistic regression
	Multinomial       Kind = "mnb"        // multinomial naive Bayes
	Bernoulli         Kind = "bnb"        // Bernoulli naive Bayes
	Complement        Kind = "cnb"        // complement naive Bayes (Rennie et al. 2003)
	Rocchio           Kind = "rocchio"    // nearest centroid
	KNN               Kind = "knn"        // k nearest neighbours
	GBDT              Kind = "gbdt"       // gradient-boosted decision trees
	Perceptron        Kind = "perceptron" // averaged perceptron
	PassiveAggressive Kind = "pa"         // averaged passive-aggressive, PA-I (Crammer et al. 2006)
	// NBSVR predicts a number, such as a score from 0 to 5: it is a linear support vector regression on features times
	// their naive-Bayes log-count ratio, for which a document with the largest number counts as one of the positive
	// class, one with the least as one of the negative class, and others in part for either.
	NBSVR Kind = "nbsvr"
	SVR   Kind = "svr"   // linear support vector regression (Ho and Lin 2012)
	Ridge Kind = "ridge" // ridge regression, which is SVR with the squared loss and an Epsilon of 0
	// Ordinal predicts the expectation of levels, such as 0, 1, …, 5: it is a logistic regression of whether the level is
	// above each threshold, with the same weights for all (Rennie and Srebro 2005), on the features of NBSVR. With hinge
	// loss, it predicts the level itself, whose absolute errors are smaller.
	Ordinal Kind = "ordinal"
)

// Values says how the value of a feature in a document is computed.
type Values string

// The values of features.
const (
	Binary Values = "binary" // 1 if the document has the feature
	// ByWord is Binary but for n-grams of characters within words (hashing.CharWB): their value is how often they occur in
	// the distinct words of the document, each taken once, and their log-count ratio is halved, and divided by the mean of
	// their values in the documents that have them. The square of a document's length is then the sum over n-grams of
	// value times the square of the ratio. So each word adds to the margin, and to the square of the length, what it would
	// by itself. It is for NBSVM, NBSVR and Ordinal. Without such n-grams, it is Binary.
	ByWord   Values = "by-word"
	Count    Values = "count"     // the number of occurrences
	LogCount Values = "log-count" // 1 + log(count)
	TFIDF    Values = "tfidf"     // count times log((1+n)/(1+df)) + 1, for n documents, df of them with the feature
	LogTFIDF Values = "log-tfidf" // the same with 1 + log(count): sublinear tf-idf
)

// ClassWeight multiplies the cost of documents by class. The zero value leaves all costs as they are.
type ClassWeight struct {
	// Balanced gives class k the weight n/(K·n_k), where n is the number of documents, K that of classes and n_k that
	// of documents in the class. The default is false.
	Balanced bool `json:"balanced,omitempty"`
	// Weights maps labels to weights: 0, or from 1e-9 to 1e9. Labels that are not in the map have weight 1. It
	// excludes Balanced.
	Weights map[string]float64 `json:"weights,omitempty"`
}

// Tree says whether a tree is grown over the classes.
type Tree string

// Whether a tree is grown.
const (
	// AutoTree grows a tree from 4096 classes on; for one label a document from 64 classes and 2^26 documents times
	// classes on, if no class has a quarter of the documents or more, and there are 512 a class or the kind is NBSVM.
	// It grows none if options do not go with it: a hierarchy, models other than NBSVM, SVM and Logistic, weights of
	// single classes, or a limit of memory.
	AutoTree   Tree = "auto"
	AlwaysTree Tree = "always"
	NeverTree  Tree = "never"
)

// TreeOptions say how the trees of a GBDT model are trained. [DefaultOptions] sets the defaults.
type TreeOptions struct {
	// Rounds is the number of trees per class, from 1 to 100,000; the default is 300. On held-out documents, training
	// stops when the log loss has not fallen for 20 rounds.
	Rounds int `json:"rounds"`
	// Depth is the largest number of splits from the root to a leaf, from 1 to 32; the default is 6.
	Depth int `json:"depth"`
	// Rate is the learning rate η, by which the value of every leaf is multiplied, from 1e-4 to 1; the default is 0.3.
	Rate float64 `json:"rate"`
}

// Options say how a model is trained. Start from [DefaultOptions] or a [Preset] and change fields: zero values are not
// replaced by defaults, and the zero Options are not valid.
//
// Many options concern some kinds of model only, and have no effect on the others: [Kind.Ignores] lists these. Loss,
// Range, MaxModel, Hierarchy and AlwaysTree are refused where they have no effect.
type Options struct {
	// Kind of model; the default is AutoKind.
	Kind Kind `json:"model"`
	// Text says how text becomes n-grams. Those whose hashes have the same top Text.Bits bits, 8 to 40 and by default
	// 40, are one feature. The default is words in lower case. Text.Seed has no effect; see Seed.
	//
	// Families without NgramHi, as by default, get orders. N-grams have one to three words if the training set has at
	// least 3 MB of text per class, and otherwise one to two; if it has 10 kB to 4 MB of text in all and there is no
	// other family, n-grams of 2 to 5 characters within words are taken as well. (A KNN model takes single words, unless
	// the corpus is packed.) N-grams of characters have 1 to 5 of them, and beside another family 2 to 5; others have 1
	// to 2 tokens.
	Text hashing.Options `json:"text"`
	// MinDF drops n-grams that occur in fewer documents, 1 or more. The default, 0, stands for 2 or more:
	// √(documents / 65,536), from 589,824 documents on. Where trigrams were chosen for a model that is solved for,
	// it is √(bytes of text per class / 640,000) if that is more. It takes no more than a 64th of the documents of a
	// small class, one that nine tenths of the classes are larger than. For n-grams of characters it takes
	// documents / 8,192, from 24,576 documents on, up to 256 and to a 32nd of a small class.
	MinDF int `json:"min_df"`
	// MaxDF drops n-grams that occur in more documents: in a larger share of them if MaxDF is at most 1, and in a
	// larger number if it is above 1. The default is 1, which drops none.
	MaxDF float64 `json:"max_df"`
	// Values says how the value of a feature is computed; the default, "", stands for what suits the kind of model:
	// LogTFIDF for Rocchio and KNN, ByWord for NBSVM, NBSVR and Ordinal without Prenormalize, and Binary for others.
	Values Values `json:"values"`
	// Prenormalize scales each document to unit L2 norm before the log-count ratio is computed and applied. The
	// default is false.
	Prenormalize bool `json:"prenormalize"`
	// Normalize scales each document to unit L2 norm after the ratio is applied, just before the solver. The default
	// is true.
	Normalize bool `json:"normalize"`
	// Alpha is α of the paper, which smooths the counts of naive Bayes and of the log-count ratio, from 1e-12 to 1e9;
	// the default is 1.
	Alpha float64 `json:"alpha"`
	// AlphaBySize smooths the smaller of the two sides of a log-count ratio less: by Alpha times the square root of the
	// quotient of the smaller and the larger total of counts. The paper does not. The default is true.
	AlphaBySize bool `json:"alpha_by_size"`
	// Beta is β of the paper, which interpolates between naive Bayes and the SVM: the weights of an NBSVM model of two
	// classes become (1−β)·w̄ + β·w, where w̄ is their mean magnitude, and the bias becomes β·b. From 1e-12 to 1; the
	// default, 0, stands for 0.75. With more classes, which have no ratio of their own, it is 1.
	Beta float64 `json:"beta"`
	// Neighbours is k of a KNN model, the number of documents that vote, from 1 to 1,048,576; the default is 30.
	Neighbours int `json:"neighbours,omitempty"`
	// Trees are the options of GBDT models.
	Trees TreeOptions `json:"trees,omitzero"`
	// Loss is "hinge", "squared-hinge" or "logistic" (-s 3, -s 1 and -s 7 of LIBLINEAR). The default, "", stands for
	// logistic if Kind is Logistic, NBSVR or Ordinal, and for squared-hinge otherwise. With logistic loss, scores are
	// probabilities. Models of numbers have "epsilon-insensitive" (-s 13) and "squared-epsilon-insensitive" (-s 11 and
	// 12), the default of SVR and Ridge. With logistic loss, a document is of the largest number by its share of the way
	// from the least to the largest, and of the least by the rest: a soft label.
	Loss string `json:"loss"`
	// Epsilon is how far a prediction is from the number of a document without loss, in the unit of the numbers, from
	// 0 to 1e30; LIBLINEAR's -p. The default is 0. It is for models of numbers.
	Epsilon float64 `json:"epsilon,omitempty"`
	// Clip moves predictions beyond the range of the numbers to its ends. The default is true. It is for models of
	// numbers.
	Clip bool `json:"clip,omitempty"`
	// Range is the least and the largest number that a document can have, from -1e30 to 1e30. Numbers beyond it are an
	// error. Soft labels, the log-count ratio of numbers and Clip go by it. The default, two zeros, stands for the least
	// and the largest number of the documents trained on. It is for models of numbers.
	Range [2]float64 `json:"range,omitzero"`
	// C is the cost of the loss against the regularization, as in LIBLINEAR: the solver minimizes ½‖w‖² + C·Σ loss.
	// From 1e-12 to 1e12; the default, 0, stands for 16 with logistic loss, which is never 0 and so weighs less, and
	// for 1 with the others. Of numbers it stands for 0.5, with logistic loss for 4, of Ordinal for 1, with hinge loss
	// for 0.25; and the loss is that in units of their standard deviation.
	C float64 `json:"C"`
	// Tol is the relative duality gap at which the solver stops, from 0 to less than 1; the default is 0.001.
	Tol float64 `json:"tol"`
	// MaxEpochs is the largest number of passes over the documents; the default, 0, stands for 10 of online models and
	// 1000 of others.
	MaxEpochs int `json:"max_epochs"`
	// HoldOut is the share of the documents on which the best number of epochs of an online model, or of rounds of a
	// GBDT model, is found; the model is then trained on all documents. From 0.001 to 0.5; with 0, the default, the
	// number is MaxEpochs or Trees.Rounds.
	HoldOut float64 `json:"hold_out,omitempty"`
	// Bias is the value of the constant feature, whose weight is regularized as in LIBLINEAR, from 1e-6 to 1e6; 0
	// stands for no bias. The default is 1.
	Bias float64 `json:"bias"`
	// ClassWeight multiplies the cost of documents by class; by default, all classes have weight 1.
	ClassWeight ClassWeight `json:"class_weight"`
	// Calibrate turns margins into probabilities, which are fitted to held-out documents: by a sigmoid (Platt scaling)
	// for two classes or for documents with any number of labels, and by a temperature for several classes. The
	// default is false.
	Calibrate bool `json:"calibrate"`
	// MaxModel is the largest size of the model's file in bytes, 1024 or more; 0, the default, stands for no limit. The
	// weights of a larger model are rounded to 8 bits. If it is still too large, it is trained again on the n-grams
	// that matter most, as many as fit: by the squares of their weights times the root of their document frequency.
	MaxModel int64 `json:"max_model,omitempty"`
	// Hierarchy is what stands between the parts of labels that are paths in a tree, such as sport/football/uefa. The
	// model then predicts a path to its end. With "", the default, labels are no paths.
	Hierarchy string `json:"hierarchy,omitempty"`
	// Tree says whether a tree is grown over the classes, with similar ones below a node; the default is AutoTree. Each
	// node learns which of its children a document belongs to, from the documents below it alone, which takes far less
	// time for thousands of classes. Scores are probabilities, which multiply along the way down. The options of a
	// model have AlwaysTree, or "" where no tree was grown.
	Tree Tree `json:"tree,omitempty"`
	// Seed of the hash function, of the order in which documents are visited, and of the folds; the default is 1.
	Seed uint64 `json:"seed"`
	// NamesLimit is the largest number of n-grams whose text the model stores for [Classifier.Explain], 0 or more; the
	// default is 2000.
	NamesLimit int `json:"names_limit"`
	// Memory is about how many bytes training may use; 0, the default, stands for no limit. If rows do not fit, they are
	// mapped from files in Temp, which are read in every epoch, and the model is slightly another one. Trees over
	// classes, MaxModel, and models other than those with a solver and of naive Bayes take more besides.
	Memory int64 `json:"memory,omitempty"`

	// The fields below do not change the model.

	// Temp is the folder for temporary files; "", the default, stands for that of the system.
	Temp string `json:"-"`
	// From is a classifier to update; nil for none. Without its documents, training corrects it: it minimizes half the
	// squared distance of the weights from those of From, plus C times the losses of the new documents. Take the other
	// options from From's Report. N-grams that From knows keep their log-count ratios. New n-grams and new labels are
	// added, and labels of which there are no new documents stay. It is for NBSVM, SVM and Logistic, without a
	// Hierarchy or a Tree. Train must have returned before From is closed.
	From *Classifier `json:"-"`
	// PlainFolds makes the folds of [CrossValidate] and [Tune] plain, as in most publications: near-duplicates may be
	// in several folds. By default, they are in one, because a model that remembers one of them is no better on new
	// documents.
	PlainFolds bool `json:"-"`
	// Valid has labelled documents, on which training evaluates an online model after every epoch, and a GBDT model
	// after every ten rounds. Training keeps the best epoch or round. HoldOut takes precedence. The default is nil,
	// for none.
	Valid *corpus.Input `json:"-"`
	// Review, if not nil, receives what looks wrong in the training set.
	Review *Review `json:"-"`
	// Threads is the number of threads; 0, the default, stands for one per processor.
	Threads int `json:"-"`
	// Progress, if not nil, is called as the work proceeds: by one goroutine at a time, but not always the same one.
	Progress func(corpus.Progress) `json:"-"`

	sample int // takes one in so many documents, if it is more than 1; Tune begins so
}

// convert applies f to all.
func convert[From, To any](all []From, f func(From) To) []To {
	if all == nil {
		return nil
	}
	converted := make([]To, len(all))
	for i, one := range all {
		converted[i] = f(one)
	}
	return converted
}
