// Package model is the model file, ".nbm": everything that scoring needs.
//
// # The file, format versions 1 to 6
//
// Numbers are little-endian; floating point is IEEE 754. The header and every
// section begin at a multiple of 64 bytes, sections lie one after the other in
// the order of the table, and the bytes that fill the gaps are zero, as is
// whatever is drawn as zero below. The file ends where the last section's
// filling ends.
//
//	byte  size
//	   0     8  magic: 0x89 'N' 'B' 'S' 'V' 'M' 0x0D 0x0A
//	   8     4  format version: 1, or that of the newest section; 6 where K is above 65535
//	  12     4  length of header and table: 64 + 32·sections
//	  16     4  sections: 0 to 1024
//	  20     4  outputs K: 1 to 2^24
//	  24     8  length of the file
//	  32     8  universe U: feature ids are 0 to U-1; at most 2^31
//	  40     8  rows R: how many ids have weights; at most U
//	  48    12  zero
//	  60     4  CRC-32C of bytes 0 to 59 and of the table
//	  64    32  first entry of the section table, then the others
//
//	entry of the section table
//	   0     8  name, ASCII, filled up with zeros
//	   8     8  offset of the section from the beginning of the file
//	  16     8  length of the section, without filling
//	  24     4  CRC-32C of the section, without filling
//	  28     4  flags: bit 0 says that a reader who does not know the section
//	            may skip it; the others are zero
//
//	section  length       content
//	META                  JSON object, UTF-8: what Meta holds, without labels; readers
//	                      pass over members that they do not know
//	LABELS                string table (below), tags zero: names of the classes
//	BITMAP   8·⌈U/64⌉     bit i%64 of word i/64 is set if id i has a row
//	RANK     4·⌈U/64⌉     number of set bits before every word
//	IDGAP*                instead of BITMAP and RANK: codes of ids (version 8, below)
//	DENSE    4·R·K        float32: the weights of row 0, of row 1, ...
//	ROWPTR*               instead of DENSE, these three: where in the next two a row begins
//	GAP*                  codes of outputs that weights are for (version 6, below)
//	VALUE    4·n          float32: of every code, the weight, less BASE
//	BIAS     8·K          float64: added to an output
//	BASE     8·K          float64: added to an output per unit of feature value
//	THRESH   8·K          float64: an output above it speaks for its label
//	PLATT    16·K         may be missing: float64 A and B of every output
//	TAGS     2·R          may be missing: the low 16 bits, or 1 instead of 0, of the hash of
//	                      the only n-gram a row is for; 0 if there are several
//	IDF      4·R          may be missing: float32 scale of every row
//	RATIO    4·R·K        may be missing: float32 scale of every weight
//	RROW     4·R          instead of RATIO, these five: where the next ones hold
//	                      nothing, a scale is this float32 of its row, plus
//	ROUT     8·K          this float64 of its output
//	RPTR*                 where in the next two a row begins
//	RGAP*                 codes of outputs that scales are for
//	RVAL     4·p          float32: of every code, the scale, whole
//	NAMES                 may be missing, may be skipped: string table, a tag
//	                      being an id, plus 2^31 where others share the bucket:
//	                      names of some features, ids ascending
//
//	string table
//	   0     4  number of strings n
//	   4     4  zero
//	   8   8·n  of every string: tag, 4 bytes; where it ends in the text, 4 bytes
//	 8+8n       text: the strings one after the other, any bytes
//
// Sections of version 2 are for numbers of 8 bits. Each stands instead of that of version 1 whose name it has but for
// the digit, and has as many numbers, n.
//
//	section                         length    content
//	DENSE8 VALUE8 RATIO8            1024 + n  numbers of 8 bits
//	RROW8 RVAL8
//
//	numbers of 8 bits
//	   0  1024  float32: 256 levels, any order
//	1024     n  of every number: the place of its level
//
// A section of version 3 is for models whose link is "temperature": the scores of a document's
// labels are the softmax of its margins, each divided by the temperature. Where the link is "paths" it divides
// the scores of paths, and may be missing.
//
//	section  length  content
//	TEMP     8       float64: the temperature, from 1e-9 to 1e9
//
// A section of version 4 is for models that fastText has trained. Such a file has META, LABELS and this section alone,
// one output, and no rows in a universe of one id; the source of features is "fasttext".
//
//	section   length  content
//	FASTTEXT  any     the model in the form that package fasttext describes
//
// Sections of version 5 are for models that are not linear. One of them stands instead of DENSE, OUTPUT and the like;
// there is no ratio, and BASE is zero. What is in it says the package that decides by it.
//
//	section   length  content
//	TREES     any     boosted decision trees
//	NEIGHBRS  any     documents, of which the nearest decide
//
// Their link may be "share": a margin is by how much the votes for a label are more than those against it, as a share
// of all, and the score is the share of the votes for it, (1 + margin)/2.
//
// Sections of version 6 are for rows that have numbers for some outputs only. A row is a run of codes, each with a
// number in VALUE or RVAL. A code less than 2^bits-1 is an entry, and says how many outputs lie between it and the
// entry before it in the row, or before the first. The code 2^bits-1 is no entry: it passes over as many outputs, and
// its number is 0; a row does not end with it. Row r begins at code starts[⌊r/32⌋] + places[r] and ends where row r+1
// begins. Places at which a block of 32 rows begins are 0. Codes have 8 bits, or 16 where a writer finds these to take
// less in all; places have 16 bits, or 32 where a block has more codes.
//
//	section            length                content
//	ROWPTR16 RPTR16    8·(⌊R/32⌋+1)+2·(R+1)  uint64: starts; uint16: places
//	ROWPTR32 RPTR32    8·(⌊R/32⌋+1)+4·(R+1)  the same, but uint32: places
//	GAP8 RGAP8         n                     codes of 8 bits
//	GAP16 RGAP16       2·n                   codes of 16 bits
//
// Versions 1 to 5 have these instead, without codes that are no entries. A reader makes those of version 6 of them.
//
//	section      length   content
//	ROWPTR RPTR  8·(R+1)  uint64: where in the next two a row begins
//	OUTPUT RIDX  2·n      uint16: output that a number is for, ascending within the row
//
// The weights of id i are those of row rank(i), the number of set bits below i.
//
// A reader refuses, in this order: what has another magic; a newer version; a
// header whose checksum is wrong; a length that is not the file's; a section
// that is not where the one before it ends; a wrong checksum; a section that it
// neither knows nor may skip; contents that contradict each other or are not
// finite. Thus every single flipped bit is noticed, in the filling too, and
// scoring needs no checks. Sections that may be skipped can be added without a
// new version; anything else raises it. A writer gives a file the lowest version
// that has its sections, so programs that know version 1 read all dense models of 32 bits,
// and of others say that they need to be updated.
//
// # Sparse rows
//
// An entry takes a byte besides its number, and a row 2¼ bytes, where versions 1 to 5 took 2 and 8: a pruned model of
// 20 Newsgroups of 8 bits has two thirds of the size. Nothing is unpacked to score with it: as codes and numbers are
// parallel, a row is found by two places, and read from two arrays.
//
// # Ids
//
// Where few ids have a row, BITMAP and RANK would be most of the file. Then the ids are codes like those of a row: how
// many ids lie between two. A model of TREC, with 8,564 features of 2^24, has 0.4 MB instead of 3.5. A list is made of
// them when the file is opened, with the places where ids of the same first bits begin.
//
// # Quantized numbers
//
// [Model.Quantize] rounds weights and ratios. Halves have a relative error of 2^-12; the
// scale makes the largest 2^14 to 2^15, so that weights of any size have the precision.
// The 256 levels of 8 bits are those with the least squared error, about 1 % of the
// numbers' own size; int8 with a scale, of all or of each output, has 4 to 15 %. Those of the weights of several outputs
// are whole multiples of a power of two, up to 32767, so that sums are exact and a table for scoring can have the
// multiples: see [Model.WholeUnit].
//
// # Untrusted files
//
// A model holds numbers and strings, no code and no paths. Any bytes give a
// model or an error; memory is taken for labels and names only, a few times
// their size in the file, and for rows of versions 1 to 5, less than they have there. What numbers mean for the scores
// is another matter: whoever made the model chose them.
package model
