// Package fasttext runs supervised models of fastText (".bin", and ".ftz" if they are quantized), format versions 11
// and 12, as its version 0.9.2 does.
//
// # The file
//
// Numbers are little-endian, and nothing is aligned:
//
//	arguments   int32 magic, 793712314; int32 version; twelve int32: dim, ws, epoch, minCount, neg, wordNgrams,
//	            loss, model, bucket, minn, maxn, lrUpdateRate; float64 t
//	dictionary  int32 entries, words, labels; int64 tokens, and n-grams kept, -1 where all are;
//	            of each entry, words first: text, a zero byte, int64 count, int8 type (0 word, 1 label);
//	            of each n-gram that is kept: int32 bucket, int32 its row behind those of words
//	input       byte: 1 if it is quantized; matrix
//	output      byte: 1 if it is quantized where the input is; matrix
//	matrix      int64 rows, int64 columns; float32 numbers, row by row
//	quantized   byte: 1 if there are norms; int64 rows, int64 columns; int32 codes; the codes, a byte each; quantizer;
//	            where there are norms, a byte for each row, and the quantizer of these
//	quantizer   int32 columns, parts, columns of a part, columns of the last part; float32 centroids, 256 for a part
//
// # What it computes
//
// A text is cut at blanks. Its features are the words that the dictionary has, the n-grams of characters (minn to
// maxn) of all words, and the n-grams of words (up to wordNgrams): hashes, modulo the number of buckets. A line ends
// with the word </s>. The mean of the features' rows of the input matrix, times the output matrix, gives a number for
// every label, or for every inner node of a tree of labels; the loss says what probabilities become of these.
//
// # How it is fast
//
// All is linear up to the loss. Where there are no more outputs than dimensions, input times output is one table with
// a number for every feature and output, a single one for two labels: the model is said to be folded. Otherwise the
// rows stay vectors, in the file itself if it is not quantized and has a multiple of eight dimensions. In both cases the
// sum of a word's rows is kept, so that its n-grams are hashed once.
package fasttext
