// Package explain has the types of explanations: which features speak for a class, and what each feature of a text
// adds to its score. Explain of nbsvm.Classifier returns a list of [Class], and ExplainText of nbsvm.Scorer a [Text].
// They marshal to the JSON of "nbsvm explain --json".
package explain

// Class lists the features that speak most strongly for a class.
type Class struct {
	// Label of the class.
	Label string `json:"label"`
	// Features are in descending order of weight.
	Features []Feature `json:"features"`
}

// Feature is an n-gram, or a numbered feature of a model that takes features, with its weight in the model.
type Feature struct {
	// Key is the number of the feature: for an n-gram, the top bits of its hash.
	Key uint64 `json:"key"`
	// Name is the n-gram; "" if the model does not store its text.
	Name string `json:"name"`
	// Weight is what one occurrence adds to the margin of the class, before the document is scaled. For boosted trees,
	// it is the gain of the splits that speak for the class minus that of the splits against it.
	Weight float64 `json:"weight"`

	// Gain, Cover and Splits are set for boosted trees only: by how much splits on the feature reduce the loss, the
	// sum of the second derivatives of the documents that reach these splits, and their number.
	Gain   float64 `json:"gain,omitempty"`
	Cover  float64 `json:"cover,omitempty"`
	Splits int     `json:"splits,omitempty"`
}

// Text explains the score of one text: Margin = Bias + the Margin of each contribution + OthersMargin.
type Text struct {
	// Label is the explained class: the predicted one.
	Label string `json:"label"`
	// Score of the class: a probability from 0 to 1, or the margin if the model gives none.
	Score float64 `json:"score"`
	// Margin is the decision value from which the score is computed.
	Margin float64 `json:"margin"`
	// Bias is the part of the margin that does not depend on the text.
	Bias float64 `json:"bias"`
	// Unknown is the number of n-grams in the text that the model does not know.
	Unknown int `json:"unknown"`
	// Contributions are in descending order of magnitude.
	Contributions []Contribution `json:"contributions"`
	// Others is the number of contributions that ExplainTop left out, and OthersMargin what they add to the margin.
	Others       int     `json:"-"`
	OthersMargin float64 `json:"-"`
	// Neighbours of a KNN model are the training documents that voted, nearest first; nil for other models.
	Neighbours []Neighbour `json:"neighbours,omitempty"`
}

// Contribution is the amount that one feature of a text adds to the margin.
type Contribution struct {
	// Name is the n-gram as the text has it.
	Name string `json:"name"`
	// Absent reports that the text does not have the feature. Bernoulli naive Bayes takes absent features into
	// account.
	Absent bool `json:"absent,omitempty"`
	// Value of the feature in the text after all scaling, but before the log-count ratio is applied.
	Value float64 `json:"value"`
	// Weight of the feature for the class.
	Weight float64 `json:"weight"`
	// Margin is what the feature adds to the margin.
	Margin float64 `json:"margin"`
}

// Neighbour is a training document that voted on a text.
type Neighbour struct {
	// Document is its number in the training set, from 1.
	Document int `json:"document"`
	// Labels of the document.
	Labels []string `json:"labels"`
	// Similarity to the text: a cosine from 0 to 1.
	Similarity float64 `json:"similarity"`
	// Vote is the document's share of all votes, from 0 to 1.
	Vote float64 `json:"vote"`
}
