package nbsvm

import (
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/learn/boost"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Kind names what is trained.
type Kind string

// The kinds of model. docs/explanation/models.md compares them.
const (
	NBSVM             Kind = "nbsvm"      // a linear SVM on features times the naive-Bayes log-count ratio (Wang and Manning 2012)
	SVM               Kind = "svm"        // a linear SVM
	Logistic          Kind = "logistic"   // L2-regularised logistic regression
	Multinomial       Kind = "mnb"        // multinomial naive Bayes
	Bernoulli         Kind = "bnb"        // Bernoulli naive Bayes
	Complement        Kind = "cnb"        // complement naive Bayes (Rennie et al. 2003)
	Rocchio           Kind = "rocchio"    // nearest centroid
	KNN               Kind = "knn"        // k nearest neighbours
	GBDT              Kind = "gbdt"       // gradient-boosted decision trees
	Perceptron        Kind = "perceptron" // averaged perceptron
	PassiveAggressive Kind = "pa"         // averaged passive-aggressive, PA-I (Crammer et al. 2006)
)

// Kinds lists the kinds of model.
func Kinds() []Kind {
	return convert(train.Kinds(), func(k train.Kind) Kind { return Kind(k) })
}

// Solved reports whether a solver minimises a loss to train models of the kind. C, Loss, Tol, ClassWeight and
// Checkpoint have an effect on these kinds.
func (k Kind) Solved() bool { return train.Kind(k).Solved() }

// Online reports whether models of the kind are trained document by document in a few epochs.
func (k Kind) Online() bool { return train.Kind(k).Online() }

// Judged reports whether models of the kind are evaluated during training, on Valid or HoldOut, and may stop early.
func (k Kind) Judged() bool { return train.Kind(k).Judged() }

// Ignores lists the options that have no effect on models of the kind, by the names of nbsvm train's flags.
func (k Kind) Ignores() []string { return train.Kind(k).Ignores() }

// Values names what a feature counts for in a document.
type Values string

// The values of features.
const (
	Binary Values = "binary" // 1 if the document has the feature
	Count  Values = "count"  // the number of occurrences
	TFIDF  Values = "tfidf"  // the number of occurrences times log((1+n)/(1+df)) + 1, for n documents, df with the feature
)

// Similarity names how a knn model compares documents.
type Similarity string

// The similarities of documents.
const (
	Cosine Similarity = "cosine" // of the angle between the documents' values
	BM25   Similarity = "bm25"   // Okapi BM25 with k1 = 1.2 and b = 0.75
)

// Votes names what the vote of a neighbour counts in a knn model.
type Votes string

// The votes of neighbours.
const (
	VoteByCount      Votes = "count"      // 1
	VoteBySimilarity Votes = "similarity" // the neighbour's similarity
)

// ClassWeight multiplies the cost of documents by class.
type ClassWeight struct {
	// Balanced gives each class the weight n/(K·n_k), for n documents in K classes, n_k of them in this one.
	Balanced bool `json:"balanced,omitempty"`
	// Weights maps names of classes to factors: 0, or a number from 1e-9 to 1e9. Classes that it lacks have 1.
	Weights map[string]float64 `json:"weights,omitempty"`
}

// ParseClassWeight reads "balanced" or "LABEL=WEIGHT,LABEL=WEIGHT,…". A label may contain "=": the last one counts.
func ParseClassWeight(text string) (ClassWeight, error) {
	w, err := train.ParseClassWeight(text)
	return ClassWeight(w), err
}

// Hierarchy says that labels are paths of a tree, such as sport/football/uefa, and how they are learned.
type Hierarchy struct {
	// Separator stands between the parts of a path; "" means that labels are no paths.
	Separator string `json:"separator"`
	// Method is "sum", the default, or "top-down". With sum, each node's documents are trained against all others, and
	// the score of a path is the sum along it. With top-down, they are trained against those of its siblings, and the
	// probability of a path is the product along it.
	Method string `json:"method,omitempty"`
	// Beam is the number of nodes of each depth that the search for the best path keeps; 0 keeps all.
	Beam int `json:"beam,omitempty"`
	// Stop, from 0 to 1, ends a path above a child whose share of its parent's probability is smaller. 0 follows paths
	// to where documents of the training set end.
	Stop float64 `json:"stop,omitempty"`
}

// TreeOptions say how the trees of a gbdt model are trained. The names are those of XGBoost's parameters.
type TreeOptions struct {
	// Rounds is the number of trees of every class, from 1 to 100,000; the default is 300.
	Rounds int `json:"rounds"`
	// Depth is the largest number of splits between the root and a leaf, from 1 to 32; the default is 6.
	Depth int `json:"depth"`
	// Rate is the learning rate η: every leaf's value is multiplied by it. From 1e-4 to 1; the default is 0.3.
	Rate float64 `json:"rate"`
	// Lambda is λ, the L2 regularisation of leaves' values, from 0 to 1e9; the default is 1.
	Lambda float64 `json:"lambda"`
	// MinGain is γ, the least reduction of the loss by a split, from 0 to 1e9; the default is 0.
	MinGain float64 `json:"min_gain"`
	// MinChildWeight is the least sum of second derivatives on either side of a split, from 0 to 1e9; the default is 1.
	MinChildWeight float64 `json:"min_child_weight"`
	// Subsample is the share of documents, and ColSample that of features, that each tree is trained on: from 0.01 to 1.
	// The defaults are 1 and 0.3.
	Subsample float64 `json:"subsample"`
	ColSample float64 `json:"colsample"`
	// Bins is the largest number of bins of a feature's values on either side of 0, from 1 to 255, the default.
	Bins int `json:"bins"`
	// Patience is the number of rounds without a lower loss on held-out documents after which training stops, from 1;
	// the default is 20.
	Patience int `json:"patience"`
}

// Checkpoint names a file from which a training that was stopped, in whatever way, continues: Train with the same input
// and options makes the same model from it, byte for byte, as without the stop. If the file does not exist, training
// begins anew; the file of another training is refused.
//
// The file keeps the solver's work on the final model. Text is read again, and folds that are held out for Calibrate or
// thresholds are trained again. Train leaves the file in place: remove it once the model is saved.
type Checkpoint struct {
	// Path of the file; "" means none.
	Path string
	// Every is how often the classes that are being solved are saved; 0 saves after every epoch. Train saves as well
	// when its context is cancelled.
	Every time.Duration
}

// Options say how a model is trained. [DefaultOptions] gives every field its default; start from it, as zero values
// are taken as they are: an Alpha of 0, say, is refused by [Options.Validate].
type Options struct {
	// Kind of model; the default is NBSVM. Each kind ignores some of the other options; see [Kind.Ignores].
	Kind Kind `json:"model"`
	// Text says how text becomes n-grams, and into how many buckets (2^Bits, 2^24 by default) they are hashed.
	Text hashing.Options `json:"text"`
	// AutoNgrams takes n-grams of orders 1 to 3 if the training set has at least 3 MB of text a class, and of orders 1
	// to 2 otherwise. It has an effect with the word tokenizer and orders of 1 to 2 in Text; turn it off to have just
	// these. A knn model takes single words, unless the corpus is packed. The default is true.
	AutoNgrams bool `json:"auto_ngrams"`
	// MinDF leaves out n-grams that occur in fewer documents, from 1; the default is 2.
	MinDF int `json:"min_df"`
	// MaxDF leaves out n-grams that occur in more documents: a share of them if it is at most 1, a number of them
	// above. The default is 1.
	MaxDF float64 `json:"max_df"`
	// Values of features; the default is Binary.
	Values Values `json:"values"`
	// SublinearTF takes 1 + log(count) in place of the count, with Count and TFIDF.
	SublinearTF bool `json:"sublinear_tf"`
	// Prenormalize scales a document's features to unit L2 norm before the ratio is computed and applied.
	Prenormalize bool `json:"prenormalize"`
	// Normalize scales the rows that the solver sees to unit L2 norm, after the ratio was applied. The default is true.
	Normalize bool `json:"normalize"`
	// Alpha is α of the paper: it smooths the counts of naive Bayes and of the log-count ratio. From 1e-12 to 1e9; the
	// default is 1.
	Alpha float64 `json:"alpha"`
	// Beta is β of the paper: w' = (1−β)·w̄ + β·w, for the mean magnitude w̄ of an NBSVM model's weights. The bias is
	// multiplied by it as well. 0, or from 1e-12 to 1; see AutoBeta for the default.
	Beta float64 `json:"beta"`
	// AutoBeta takes a Beta of 0.75 for two classes and of 1 for more, where the weights then stay sparse. It has no
	// effect if Beta is neither; turn it off to have one of the two in any case. The default is true.
	AutoBeta bool `json:"auto_beta"`
	// Gamma, from 0 to 1, is the weight of the mean of all other classes' documents, which is subtracted from the
	// centroid of a rocchio model's class.
	Gamma float64 `json:"gamma,omitempty"`
	// NormalizeWeights divides the weights of a cnb model's class by the sum of their magnitudes.
	NormalizeWeights bool `json:"normalize_weights,omitempty"`
	// Neighbours is k, the number of documents that vote in a knn model; the default is 30.
	Neighbours int `json:"neighbours,omitempty"`
	// Similarity is how a knn model compares documents; the default is Cosine.
	Similarity Similarity `json:"similarity,omitempty"`
	// Votes is what the vote of a knn model's neighbour counts; the default is VoteBySimilarity.
	Votes Votes `json:"votes,omitempty"`
	// Trees are the options of gbdt models.
	Trees TreeOptions `json:"trees,omitzero"`
	// Loss is "hinge" (LIBLINEAR's -s 3), "squared-hinge" (-s 1) or "logistic" (-s 7). The default, "", stands for
	// logistic if Kind is Logistic, and for squared-hinge otherwise.
	Loss string `json:"loss"`
	// C is the cost of a document's loss against the regularisation, as in LIBLINEAR: the solver minimises
	// ½‖w‖² + C·Σ loss. From 1e-12 to 1e12; the default is 1. [Options.DefaultC] suits the loss.
	C float64 `json:"C"`
	// Tol is the relative duality gap at which the solver stops, from 0 to less than 1; the default is 1e-3.
	Tol float64 `json:"tol"`
	// MaxEpochs is the largest number of passes over the documents, from 1; the default is 1000.
	// [Options.DefaultMaxEpochs] suits the kind.
	MaxEpochs int `json:"max_epochs"`
	// HoldOut is the share of documents on which the number of epochs of an online model, or of rounds of a gbdt model,
	// is chosen. The model is then trained on all documents. 0, or from 0.001 to 0.5; 0 takes MaxEpochs, or all rounds.
	HoldOut float64 `json:"hold_out,omitempty"`
	// Bias is the value of the constant feature, whose weight is regularised as LIBLINEAR's is; 0 for none. 0, or from
	// 1e-6 to 1e6; the default is 1.
	Bias float64 `json:"bias"`
	// ClassWeight multiplies the cost of documents by class.
	ClassWeight ClassWeight `json:"class_weight"`
	// Calibrate fits probabilities to the margins of held-out documents: a sigmoid (Platt scaling) for two classes, or
	// for any number of labels a document; a temperature if one of several classes is predicted.
	Calibrate bool `json:"calibrate"`
	// Hierarchy says that labels are paths of a tree.
	Hierarchy Hierarchy `json:"hierarchy,omitzero"`
	// Seed of the hash function, of the solver's permutations and of folds; the default is 1.
	Seed uint64 `json:"seed"`
	// KeepRatio stores the log-count ratio in the model, which scoring does not need but [Classifier.ExportMatrix] does.
	KeepRatio bool `json:"keep_ratio"`
	// NamesLimit is the largest number of n-grams whose texts the model stores, for explanations; the default is 2000.
	NamesLimit int `json:"names_limit"`
	// Memory is about how many bytes training may take; 0 means no limit. Rows that do not fit are read from a file in
	// Temp in every epoch; the model then depends on how many fit. The file takes about as much space as the corpus.
	Memory int64 `json:"memory,omitempty"`

	// The fields below do not change the model.

	// Temp is the folder for temporary files; "" is the system's.
	Temp string `json:"-"`
	// Valid, if not nil, are labelled documents on which an online model is evaluated after every epoch, and a gbdt
	// model after every ten rounds. Training keeps the weights of the best one, or the trees up to it. HoldOut has
	// precedence.
	Valid *corpus.Input `json:"-"`
	// Review, if not nil, is filled with what is odd about the training set.
	Review *Review `json:"-"`
	// Threads is the number of threads; 0 stands for all processors.
	Threads int `json:"-"`
	// Progress, if not nil, is told how far the work is. Calls come one at a time, from changing goroutines.
	Progress func(corpus.Progress) `json:"-"`
	// Checkpoint lets [Train] continue where it was stopped; cross-validation and search ignore it.
	Checkpoint Checkpoint `json:"-"`
}

// DefaultOptions returns options with every field at its default.
func DefaultOptions() Options { return optionsOf(train.DefaultOptions()) }

// Validate reports the first option that is out of its range or contradicts another.
func (o Options) Validate() error {
	in := o.internal()
	return in.Validate()
}

// DefaultC returns the C that suits the loss: 16 for logistic loss, which is never 0, and 1 for the others.
func (o Options) DefaultC() float64 {
	in := o.internal()
	return in.DefaultC()
}

// DefaultMaxEpochs returns the MaxEpochs that suits the kind of model: 10 for online models, 1000 for others.
func (o Options) DefaultMaxEpochs() int {
	in := o.internal()
	return in.DefaultMaxEpochs()
}

// DefaultValues returns the Values and the SublinearTF that suit the kind of model: sublinear tf-idf for rocchio and
// knn, binary for others.
func (o Options) DefaultValues() (values Values, sublinear bool) {
	in := o.internal()
	v, sublinear := in.DefaultValues()
	return Values(v), sublinear
}

// Settings describes the options that decide the training of the kind of model, in words.
func (o Options) Settings() string {
	in := o.internal()
	return in.Settings()
}

// SolverLoss returns the loss that the solver minimises: Loss, or what its zero value stands for.
func (o Options) SolverLoss() solver.Loss {
	in := o.internal()
	return in.SolverLoss()
}

// Pack returns the options with which to pack a corpus, so that it can be trained on with o.
func (o Options) Pack() packed.Options {
	in := o.internal()
	p := in.Pack()
	return packed.Options{Text: p.Text, AutoNgrams: p.AutoNgrams, MinDF: p.MinDF, Counts: p.Counts, Threads: p.Threads}
}

// FollowPacked returns the options with those of the packed corpora of an input that o must share: how text becomes
// n-grams. Of an input that is not packed, it returns o.
func (o Options) FollowPacked(in corpus.Input) (Options, error) {
	followed, err := o.internal().FollowPacked(in)
	if err != nil {
		return o, err
	}
	all := optionsOf(followed)
	all.Valid, all.Review, all.Progress = o.Valid, o.Review, o.Progress
	return all, nil
}

// internal returns the options as the learners have them, but for Review.
func (o *Options) internal() train.Options {
	return train.Options{
		Kind: train.Kind(o.Kind), Text: o.Text, AutoNgrams: o.AutoNgrams, MinDF: o.MinDF, MaxDF: o.MaxDF,
		Values: train.Values(o.Values), SublinearTF: o.SublinearTF, Prenormalize: o.Prenormalize, Normalize: o.Normalize,
		Alpha: o.Alpha, Beta: o.Beta, AutoBeta: o.AutoBeta, Gamma: o.Gamma, NormalizeWeights: o.NormalizeWeights,
		Neighbours: o.Neighbours, Similarity: train.Similarity(o.Similarity), Votes: train.Votes(o.Votes),
		Trees: boost.Options(o.Trees), Loss: o.Loss, C: o.C, Tol: o.Tol, MaxEpochs: o.MaxEpochs, HoldOut: o.HoldOut,
		Bias: o.Bias, ClassWeight: train.ClassWeight(o.ClassWeight), Calibrate: o.Calibrate,
		Hierarchy: train.Hierarchy(o.Hierarchy), Seed: o.Seed, KeepRatio: o.KeepRatio, NamesLimit: o.NamesLimit,
		Memory: o.Memory, Temp: o.Temp, Valid: o.Valid, Threads: o.Threads, Progress: o.Progress,
		Checkpoint: train.Checkpoint(o.Checkpoint),
	}
}

// optionsOf returns options of the learners, but for Review.
func optionsOf(o train.Options) Options {
	return Options{
		Kind: Kind(o.Kind), Text: o.Text, AutoNgrams: o.AutoNgrams, MinDF: o.MinDF, MaxDF: o.MaxDF,
		Values: Values(o.Values), SublinearTF: o.SublinearTF, Prenormalize: o.Prenormalize, Normalize: o.Normalize,
		Alpha: o.Alpha, Beta: o.Beta, AutoBeta: o.AutoBeta, Gamma: o.Gamma, NormalizeWeights: o.NormalizeWeights,
		Neighbours: o.Neighbours, Similarity: Similarity(o.Similarity), Votes: Votes(o.Votes),
		Trees: TreeOptions(o.Trees), Loss: o.Loss, C: o.C, Tol: o.Tol, MaxEpochs: o.MaxEpochs, HoldOut: o.HoldOut,
		Bias: o.Bias, ClassWeight: ClassWeight(o.ClassWeight), Calibrate: o.Calibrate,
		Hierarchy: Hierarchy(o.Hierarchy), Seed: o.Seed, KeepRatio: o.KeepRatio, NamesLimit: o.NamesLimit,
		Memory: o.Memory, Temp: o.Temp, Valid: o.Valid, Threads: o.Threads, Progress: o.Progress,
		Checkpoint: Checkpoint(o.Checkpoint),
	}
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
