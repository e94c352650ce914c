// Package neighbours finds the documents of a training set that are most similar to a document, and lets them vote: k
// nearest neighbours.
//
// A document is a sparse vector of features. The similarity of a query q and a document d is their product, Σ
// q_j·d_j. Documents have unit length, so that it is their cosine times the length of the query.
//
// # Search
//
// Search is exact. Features that few documents have are in an inverted index, from which the first pass adds up that
// part of all similarities. The part of the other features, most of the entries of a text but little of its length, is
// at most the product of the lengths of that part of the query and of the document, by Cauchy and Schwarz. The second
// pass computes the similarity of those documents alone whose sum of the two reaches the k-th best so far.
//
// That similarity is added up in the order of the features of the document, ascending, in float64, with every product
// rounded. The same loop over all documents is brute force, so that both have the same bits. Of equal similarities the
// lower document number is the nearer one. Documents without similarity, or with a negative one, are no neighbours.
//
// # Form in a file
//
// Numbers are little-endian. Arrays have their length before them, as 8 bytes, and zeros behind them up to a multiple
// of 8 bytes.
//
//	uint64   k: how many neighbours vote
//	uint32   features R: must be the model's rows
//	uint32   labels K: must be the model's
//	uint64s  N+1: where a document begins in the next two
//	uint32s  features of the documents, ascending in each
//	float32s the value of each
//	uint32s  N+1: where the labels of a document begin in the next; empty if each has one
//	uint16s  labels of the documents, ascending in each
//	float32s N: what the vote of a document counts, more than 0; empty if each counts 1
//	float64s 2·K: what votes for a label and against it count; empty if each counts 1
//	uint32s  N: numbers of the documents in the training set, ascending; empty if they count from 0
package neighbours
