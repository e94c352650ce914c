// Package tag labels sequences: it gives every word of a sentence a tag, such as its part of speech or its place in a
// chunk (BIO).
//
// A [Reader] takes sentences from files: columns as of CoNLL's shared tasks, CoNLL-U, or lines of word/TAG. Templates
// make features of every word, which are hashed; the feature's row of the model has a weight for each tag, so that the
// rows of a word are added up for all tags side by side. Models are of three kinds: a classifier of each word by itself
// ([Window]), a structured averaged perceptron ([Perceptron], Collins 2002), and a linear-chain conditional random
// field ([CRF], Lafferty et al. 2001). The last two have weights for two tags that follow each other, and are decoded
// with the algorithm of Viterbi.
//
// # Model file
//
// Numbers are little-endian. What follows the header begins at multiples of 64 bytes, with zeros before it, so that a
// mapped file is taken as it is.
//
//	magic      8 bytes, "nbsvmtag"
//	version    uint32, 2
//	header     uint32 length, then as many bytes of JSON: Meta
//	first      uint32 for each value that the first bits of a key may have, of which there are as many as the number of
//	           features needs: the first feature with this value or a later one; then the number of features
//	keys       uint64 for each feature, rising: its hash
//	weights    float32 for each feature and tag; rows are filled up with zeros to a multiple of 8 numbers
//	chain      float32 for each tag: that it begins a sentence; for each: that it ends one; then for each pair of
//	           tags, in rows of the first: that the second follows it
//	checksum   uint32, CRC-32C of all bytes before it
package tag
