package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/build"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/learn/boost"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Version of the library and the command; models record which one made them.
const Version = build.Version

type (
	// Progress says how far a stage of the work is.
	Progress = dataset.Progress

	// NeighbourFacts tells of a knn model; see Classifier.Neighbours.
	NeighbourFacts = score.NeighbourFacts
	// Neighbour is a training document that has voted on a text that is explained.
	Neighbour = score.Neighbour

	// Options say how a model is trained. DefaultOptions gives every field its
	// default; zero values are taken as they are.
	Options = train.Options
	// Kind names what is trained.
	Kind = train.Kind
	// Values names what a feature counts for in a document.
	Values = train.Values
	// Similarity names by what a knn model compares documents.
	Similarity = train.Similarity
	// Votes names what the vote of a knn model's neighbour counts.
	Votes = train.Votes
	// ClassWeight multiplies the cost of documents by class.
	ClassWeight = train.ClassWeight
	// Hierarchy says that labels are paths of a tree, and how these are learned; see Options.
	Hierarchy = train.Hierarchy
	// Checkpoint names a file from which a training that was stopped goes on.
	Checkpoint = train.Checkpoint
	// Report tells how a model was made.
	Report = train.Report
	// Epoch tells of a pass over the documents of an online model.
	Epoch = train.Epoch
	// Round tells of a round of a gbdt model.
	Round = boost.Round
	// TreeOptions say how the trees of a gbdt model are trained.
	TreeOptions = boost.Options
	// Review is what is odd about a training set; Options.Review asks for it.
	Review = train.Review
	// CrossValidation holds what cross-validation measured, by fold.
	CrossValidation = train.CrossValidation
	// FoldTimes tell how long a fold's model took to train and to score with.
	FoldTimes = train.FoldTimes

	// Classifier is a trained model. It may be used concurrently. Predict and PredictAll take texts in
	// memory, Score and Evaluate work through whole inputs, Explain lists the strongest features, Quantize and Save make a smaller model and a file of it, and
	// ExportMatrix and ExportLiblinear write for other programs. A classifier that was
	// opened is to be closed.
	Classifier = score.Classifier
	// Scorer scores documents one by one, for one goroutine: Predict takes a text, PredictFeatures takes
	// ready-made features, and ExplainText says what a score is made of. It owns scratch memory, and so
	// allocates nothing for a prediction.
	Scorer = score.Scorer
	// Prediction is what a Scorer says of a document.
	Prediction = score.Prediction
	// ScoreOptions say how a whole input is scored.
	ScoreOptions = score.Options
	// Judgement is a labelled document and what Classifier.Evaluate found it predicted to be.
	Judgement = score.Judgement
	// ScoreOutput is a further output of Classifier.Score.
	ScoreOutput = score.Output
	// ScoreStats count what was scored.
	ScoreStats = score.Stats
	// Render appends a document's output to dst; see Classifier.Score.
	Render = score.Render
	// Feature is a feature of a model and what it says for a class.
	Feature = score.Feature
	// Explanation lists the strongest features that speak for a class.
	Explanation = score.Explanation
	// TextExplanation takes a prediction apart: the margin is the bias and what each
	// feature of the text adds.
	TextExplanation = score.TextExplanation
	// Comparison tells what quantizing has done to predictions.
	Comparison = score.Comparison

	// ModelMeta says what the numbers of a model mean; Classifier.Model has it.
	ModelMeta = model.Meta
	// ModelPaths says how a model predicts labels that are paths of a tree.
	ModelPaths = model.Paths
	// ModelSection is a section of a model file, or its header with the section table.
	ModelSection = model.Section
	// Rounding is what quantizing has done to the numbers of a section.
	Rounding = model.Rounding
	// FastTextRounding is what half precision has done to a model of fastText; see Classifier.RoundFastText.
	FastTextRounding = fasttext.Rounding
)

// The kinds of model.
const (
	NBSVM             = train.NBSVM
	SVM               = train.SVM
	Logistic          = train.Logistic
	Multinomial       = train.Multinomial
	Bernoulli         = train.Bernoulli
	Complement        = train.Complement
	Rocchio           = train.Rocchio
	GBDT              = train.GBDT
	KNN               = train.KNN
	Perceptron        = train.Perceptron
	PassiveAggressive = train.PassiveAggressive
)

// The values that a feature can have in a document.
const (
	Binary = train.Binary
	Count  = train.Count
	TFIDF  = train.TFIDF
)

// The similarities of a knn model.
const (
	Cosine = train.Cosine
	BM25   = train.BM25
)

// The votes of a knn model.
const (
	VoteByCount      = train.VoteByCount
	VoteBySimilarity = train.VoteBySimilarity
)

// DefaultOptions returns the options that hold where nothing else is said.
func DefaultOptions() Options { return train.DefaultOptions() }

// Kinds lists the kinds of model.
func Kinds() []Kind { return train.Kinds() }

// ParseClassWeight reads "balanced" or "LABEL=W,LABEL=W,…"; a label may itself
// contain "=", as the last one counts.
func ParseClassWeight(text string) (ClassWeight, error) { return train.ParseClassWeight(text) }

// Train reads labelled documents and trains a classifier on them. The classifier
// depends on the input and the options alone, not on Threads or the CPU, nor on whether
// it goes on from a Checkpoint.
func Train(ctx context.Context, in corpus.Input, o Options) (*Classifier, *Report, error) {
	return train.Train(ctx, in, o)
}

// CrossValidate trains on all folds but one and evaluates on that one, in turn.
// Folds are stratified: each has its share of every class (of every combination
// of labels, where documents have several). Text is read and hashed once; all
// that is learned from documents (which n-grams count, ratios, weights,
// thresholds) is learned without the held-out fold.
func CrossValidate(ctx context.Context, in corpus.Input, o Options, folds int) (*CrossValidation, error) {
	all, err := CrossValidateAll(ctx, in, []Options{o}, folds)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// CrossValidateAll cross-validates each of several options on the same folds. Texts are read and hashed once for
// those options that take the same n-grams from them, and those that have the same matrix share it.
func CrossValidateAll(ctx context.Context, in corpus.Input, settings []Options, folds int) ([]*CrossValidation, error) {
	return train.CrossValidate(ctx, in, settings, folds)
}

// What can be wrong with a model file, for errors.Is.
var (
	ErrNotModel     = model.ErrNotModel
	ErrNewerVersion = model.ErrNewerVersion
	ErrTruncated    = model.ErrTruncated
	ErrChecksum     = model.ErrChecksum
	ErrCorrupt      = model.ErrCorrupt
)

// Open maps a model file and checks all of it. Files of fastText's classifiers, .bin and .ftz, are read, too. The file must not be changed in place
// while it is in use; to replace it by renaming is good.
func Open(path string) (*Classifier, error) { return score.Open(path) }

// OpenBytes takes a model from the bytes of its file, as go:embed and object stores have
// them, and checks all of it. The bytes must not change while the classifier is in use.
func OpenBytes(data []byte) (*Classifier, error) { return score.OpenBytes(data) }

// OpenFS reads a model file of a file system, such as an embed.FS, and checks all of it.
func OpenFS(files fs.FS, name string) (*Classifier, error) { return score.OpenFS(files, name) }

// VerifyModel checks a model file as Open does, and lists its header and sections with
// their checksums. These are returned also with an error, as far as they can be told.
func VerifyModel(path string) ([]ModelSection, error) { return score.Verify(path) }

// ReportOf tells how a classifier was made, as recorded in its model.
func ReportOf(c *Classifier) (*Report, error) {
	var r Report
	if err := json.Unmarshal(c.Model().Meta.Made, &r); err != nil {
		return nil, fmt.Errorf("nbsvm: the model's record of how it was made can't be read: %w", err)
	}
	return &r, nil
}
