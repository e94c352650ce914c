// Package neighbours finds the documents of a training set that are most similar to a document, and lets them vote: k
// nearest neighbours.
//
// A document is a sparse vector of features. The similarity of a query q and a document d is their product, Σ
// q_j·d_j. With vectors of unit length that is their cosine; with weights of BM25 in the documents and counts in the
// query it is BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, equation
// 3.15).
//
// # Search
//
// Search is exact. A first pass gives every document an upper bound of its similarity, in integers; the second adds up
// the similarity itself of those documents alone whose bound reaches the k-th best similarity so far. As in MaxScore
// (Turtle and Flood, "Query Evaluation: Strategies and Optimizations", Information Processing & Management 1995) what
// can't be among the best is never scored, but bounds are of single documents, not of lists: texts are long queries, of
// which hundreds of lists hold most documents, and skipping in lists saves next to nothing there.
//
// Bounds are of 16 bits. Values are rounded up to 8 bits, of the largest value that the feature has in any document,
// and the query's share of a feature, times that value, to 16. Features of many documents have a byte for every
// document, in columns, which are added with vector instructions; others have lists of documents. Values of each sign
// have their own, so that what makes a similarity smaller does not make its bound larger.
//
// The similarity is added up in the order of the features of the document, ascending, in float64, with every product
// rounded. The same loop over all documents is brute force, so that both have the same bits. Of equal similarities the
// lower document number is the nearer one. Documents without similarity, or with a negative one, are no neighbours.
//
// # Form in a file
//
// Numbers are little-endian, and arrays begin at multiples of 64 bytes; what is between them is zero.
//
//	byte  size
//	   0     4  version of the form: 1
//	   4     4  flags: 1 votes are similarities, 2 similarities are cosines, 4 documents have any number of labels,
//	            8 documents have weights, 16 documents are numbered
//	   8     4  k: how many neighbours vote
//	  12     4  features R: must be the model's rows
//	  16     4  labels K: must be the model's
//	  20     4  documents N
//	  24     8  values n
//	  32     8  labels of all documents l: N, unless there may be any number
//	  40    24  zero
//	  64 8(N+1) where in the next two a document begins
//	       4·n  features of the documents, ascending in each
//	       4·n  float32: the value of each
//	    4(N+1)  where in the next the labels of a document begin; only with flag 4
//	       2·l  labels of the documents, ascending in each
//	       4·N  float32: what the vote of a document counts, more than 0; only with flag 8
//	      16·K  float64: what votes for a label and against it count; only with flag 4
//	       4·N  numbers of the documents in the training set, ascending; only with flag 16
package neighbours
