// Package explain holds what a classifier answers when it is asked why: which features speak for a class, and what
// each feature of a text adds to its score. Classifier.Explain and Scorer.ExplainText of package nbsvm fill these types.
// Their JSON is that of nbsvm explain --json.
package explain

// A Class lists the features that speak most strongly for a class.
type Class struct {
	// Label is the name of the class.
	Label string `json:"label"`
	// Features are sorted by falling weight.
	Features []Feature `json:"features"`
}

// A Feature is an n-gram, or a ready-made feature, with its weight in a model.
type Feature struct {
	// ID is the feature's number: the bucket of an n-gram, or the index of a ready-made feature.
	ID uint32 `json:"id"`
	// Name is the n-gram; empty if the model's dictionary lacks it.
	Name string `json:"name"`
	// Shared reports whether several n-grams of the training set share the bucket.
	Shared bool `json:"shared"`
	// Weight is what one occurrence adds to the margin of the class, before the document's features are scaled. In
	// boosted trees it is the gain of splits that speak for the class, less that of the others.
	Weight float64 `json:"weight"`

	// Gain, Cover and Splits are set for boosted trees only: the loss that splits on the feature save, the sum of
	// second derivatives of the documents that reach them, and their number.
	Gain   float64 `json:"gain,omitempty"`
	Cover  float64 `json:"cover,omitempty"`
	Splits int     `json:"splits,omitempty"`
}

// A Text takes the score of one text apart: Margin = Bias + the sum of all Contributions' margins + OthersMargin.
type Text struct {
	// Label is the predicted class, which the numbers below are about.
	Label string `json:"label"`
	// Score is the class's probability, or its margin if the model gives no probabilities.
	Score float64 `json:"score"`
	// Margin is the decision value, from which the score is computed.
	Margin float64 `json:"margin"`
	// Bias is the part of the margin that does not depend on the text.
	Bias float64 `json:"bias"`
	// Unknown counts the text's n-grams that the model does not know.
	Unknown int `json:"unknown"`
	// Contributions are sorted by falling magnitude.
	Contributions []Contribution `json:"contributions"`
	// Others is the number of further contributions that are not listed, and OthersMargin their sum; see
	// Scorer.ExplainTop.
	Others       int     `json:"-"`
	OthersMargin float64 `json:"-"`
	// Neighbours are the training documents that voted, the nearest first, in a knn model; nil in all others.
	Neighbours []Neighbour `json:"neighbours,omitempty"`
}

// A Contribution is what one feature of a text adds to the margin.
type Contribution struct {
	// Name is the n-gram as the text has it.
	Name string `json:"name"`
	// Shared reports whether other n-grams, of the text or of the training set, fall into the same bucket.
	Shared bool `json:"shared"`
	// Absent reports that the text lacks the feature, which Bernoulli naive Bayes counts as well.
	Absent bool `json:"absent,omitempty"`
	// Value is the feature's value in the text, after all scaling but the ratio's.
	Value float64 `json:"value"`
	// Weight is the feature's weight for the class.
	Weight float64 `json:"weight"`
	// Margin is what the feature adds.
	Margin float64 `json:"margin"`
}

// A Neighbour is a training document that voted on a text.
type Neighbour struct {
	// Document is its number among the training documents, from 1.
	Document int `json:"document"`
	// Labels are those of the document.
	Labels []string `json:"labels"`
	// Similarity to the text: a cosine from 0 to 1, or a BM25 score.
	Similarity float64 `json:"similarity"`
	// Vote is the document's share of all votes, from 0 to 1.
	Vote float64 `json:"vote"`
}
