// Package tag labels sequences: it gives every word of a sentence a tag, such as its part of speech or its place in a
// chunk (BIO).
//
// [NewReader] reads sentences from files: columns as in CoNLL's shared tasks, CoNLL-U, or lines of word/TAG. [Train]
// makes a [Model] of them, [Open] opens one. [Model.Score] and [Model.Evaluate] tag files, a [Tagger] tags sentences in
// memory.
//
// Templates make features of every word. A feature is hashed to a row of the model, which has a weight for each tag.
// The score of a tag for a word is the sum over its features. There are three kinds of models: a classifier of each
// word by itself ([Window]), a structured averaged perceptron ([Perceptron]; Collins, "Discriminative training methods
// for hidden Markov models", EMNLP 2002), and a linear-chain conditional random field ([CRF]; Lafferty, McCallum and
// Pereira, ICML 2001). The last two also have weights for pairs of tags that follow each other. The Viterbi algorithm
// finds the best sequence of tags.
//
// # Templates
//
// A template is NAME[OFFSET], or several joined by |, which make one feature of their combination. OFFSET is from -8 to
// 8, relative to the word that is tagged. NAME is one of
//
//	w      the word
//	l      the word in lower case
//	p1-p9  its first 1 to 9 characters, if it has so many
//	s1-s9  its last 1 to 9 characters
//	shape  its kinds of characters: Xx for "Paris", d-d for "3-1"
//	c1-c1000  a column of the file
//
// The template bias is a feature that every word has. [DefaultTemplates] is an example.
//
// # Model file
//
// A model is a file of sections; docs/reference/files.md draws it.
//
//	META     JSON: Meta
//	FIRST    uint32 for each value that the first bits of a key may have, of which there are as many as the number of
//	         features needs: the first feature with this value or a later one; then the number of features
//	KEYS     uint64 for each feature, rising: its hash
//	WEIGHTS  float32 for each feature and tag; rows are filled up with zeros to a multiple of 8 numbers
//	CHAIN    float32 for each tag: that it begins a sentence; for each: that it ends one; then for each pair of tags, in
//	         rows of the first: that the second follows it
package tag
