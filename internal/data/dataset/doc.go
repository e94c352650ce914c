// Package dataset makes of labelled documents what models are trained on: rows of counted,
// numbered features, in memory or in a packed corpus.
//
// Texts are read twice. The first pass counts in how many documents each n-gram is; the
// second looks up the columns of those that are in enough documents and writes the rows. No
// n-gram is stored in between. Rows in memory and rows in a file have the same columns, so
// that whatever is trained on them has the same bytes.
package dataset
