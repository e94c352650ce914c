// Package model is the model file, ".nbm": everything that scoring needs, with the tree that labels may be in.
//
// # The file
//
// A model is a file of sections: see package container for how they lie in it. Numbers are little-endian; floating
// point is IEEE 754.
//
//	section  length       content
//	SIZE     24           three uint64: the universe U, keys being 0 to U-1, at most 2^40; the rows R, how
//	                      many keys have weights, at most U; and the outputs K, 1 to 2^24
//	META                  JSON object, UTF-8: what Meta holds, without labels; readers
//	                      pass over members that they do not know
//	LABELS                string table (below), tags zero: names of the classes
//	KEYS     8·n          the keys that have a row (below)
//	DENSE*   4·R·K        float32: the weights of row 0, of row 1, ...
//	OUTPUTS               instead of DENSE, these two: which outputs of a row have weights (below)
//	VALUE*   4·n          float32: these n weights, row by row, less BASE
//	TREES                 instead of these, boosted decision trees: what is in it says the
//	                      package that decides by them; there is no ratio, and BASE is zero
//	NEIGHBRS              or documents, of which the nearest decide
//	BIAS     8·K          float64: added to an output
//	BASE     8·K          float64: added to an output per unit of feature value
//	THRESH   8·K          float64: an output above it speaks for its label
//	PLATT    16·K         may be missing: float64 A and B of every output
//	TEMP     8            may be missing: float64, the temperature, from 1e-9 to 1e9, by which
//	                      margins are divided before the softmax, or the scores of paths
//	IDF      4·R          may be missing: float32 scale of every row
//	RATIO*   4·R          may be missing: float32 ratio of every row, which weights include
//	NAMES                 may be missing, may be skipped: string table, a tag
//	                      being a row: names of some features, rows ascending
//
//	string table
//	   0     4  number of strings n
//	   4     4  zero
//	   8   8·n  of every string: tag, 4 bytes; where it ends in the text, 4 bytes
//	 8+8n       text: the strings one after the other, any bytes
//
// # Keys
//
// Row r is that of the r-th key in ascending order. A key of text is the top bits of an n-gram's hash; of ready-made
// features it is their number. KEYS has words of 64 bits (Elias 1974, Fano 1971). With b = ⌊log2(U/R)⌋, or 0 for R = 0,
// it begins with ⌈R·b/64⌉ words that have the low b bits of all keys, one key after the other, the lowest bits first.
// Of the words that follow, ⌊(R + (U-1 div 2^b))/64⌋ + 1, or none for R = 0, bit h+r is set for each key r, h being the
// key without its low b bits. A key takes b+2 bits or fewer, b+1.5 on average: 3 bytes of 300,000 keys of 40 bits.
//
// A list is made of the keys when the file is opened, with the places where keys of the same first bits begin.
//
// # Numbers of fewer bits
//
// Sections whose names are drawn with a star may have numbers of 8 bits, and this digit behind the name. They have as
// many numbers, n.
//
//	section                         length    content
//	DENSE8 VALUE8 RATIO8            1024 + n  numbers of 8 bits
//
//	numbers of 8 bits
//	   0  1024  float32: 256 levels, any order
//	1024     n  of every number: the place of its level
//
// A link may be "share": a margin is by how much the votes for a label are more than those against it, as a share
// of all, and the score is the share of the votes for it, (1 + margin)/2.
//
// # Rows with numbers for some outputs
//
// OUTPUTS has, for each row, how many outputs it has weights for, and of each of these, ascending, how many outputs lie
// between it and the one before, or before the first. These are varints (package encoding/binary): seven bits in a
// byte, the lowest first, with the highest bit set in all bytes of a number but the last. They are unpacked when the
// file is opened.
//
// # Reading
//
// A reader refuses a section that it neither knows nor may skip, and contents that contradict each other or are not
// finite, so that scoring needs no checks. Sections that may be skipped can be added without a new version; anything
// else raises it.
//
// # Quantized numbers
//
// [Model.Quantize] rounds weights and ratios. The levels of 8 bits are 0 and, of either sign, 127 that fall by the same
// factor from the largest number. Their error is about 2 % of the numbers' own size; int8 with a scale, of all or of
// each output, has 4 to 15 %. Those of the weights of several outputs are whole multiples of a power of two, up to
// 32767, so that sums are exact and a table for scoring can have the multiples: see [Model.WholeUnit].
//
// # Untrusted files
//
// A model holds numbers and strings, no code and no paths. Any bytes give a
// model or an error; memory is taken for labels, names and OUTPUTS only, a few
// times their size in the file, and 24 bytes a key. What numbers mean for the scores
// is another matter: whoever made the model chose them.
package model
