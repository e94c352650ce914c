// Package packed reads and writes packed corpora: labelled documents as rows of column
// numbers, on disk, mapped instead of read, larger than memory if need be.
//
// A file (".nbc") is little-endian and looks like this, front to back:
//
//	header     64 bytes
//	blocks     of rows, one after the other
//	sections   each beginning at a multiple of 64, zeros before it
//	table      32 bytes a section, beginning at a multiple of 64
//	footer     64 bytes
//
// Header:
//
//	 0   8  magic, 89 'N' 'B' 'S' 'V' 'C' 0D 0A
//	 8   4  format version, 1
//	12   4  what values rows have: 0 none, 1 counts, 2 floating-point numbers
//	16  44  zero
//	60   4  CRC-32C of the first 60 bytes
//
// A block is rows, one after the other. It ends with the row by which it comes to
// [BlockEntries] entries or to [blockRows] rows. A row of n entries is
//
//	uvarint           2n, and 1 more if a gap has 4 bytes
//	(n+3)/4 bytes     two bits an entry, the lowest first: the length of its gap, less one if
//	                  a gap has 4 bytes
//	n gaps            of 0 to 3 bytes, or else 1 to 4: the first column; then, to the next, the
//	                  difference less one
//	n values          as uvarints if they are counts, whole numbers from 1 to 2^32 that a float32
//	                  holds exactly; as float32 if they are numbers
//
// An entry so takes a quarter of a byte or more, 1 1/4 with a count, 4 1/4 with a number.
//
// Columns are numbered by falling frequency, the number of documents that have them, those
// of one frequency by ascending key. A key is what a column stands for: the hash of an
// n-gram, or the number of a ready-made feature. So gaps are short, and a corpus does not
// depend on how it came together.
//
// Sections:
//
//	META     JSON of whoever wrote the corpus
//	LABELS   for every label, ascending: its length as a uvarint, its bytes
//	SETS     for every label: a length of 8 bytes, the set of its documents as a 64-bit
//	         roaring bitmap in the portable format. There are 2^31-1 documents at most, so
//	         that it has one part, of upper bits 0, or none
//	WEIGHTS  float32 a document; absent if all are 1
//	KEYS     for every run of columns of one frequency, 64 columns at a time: a byte, how
//	         many bytes their gaps have; and the gaps: the first key of the run; then, to
//	         the next, the difference less one
//	RUNS     the frequencies: for every run of columns of one frequency, the frequency as a
//	         uvarint, falling, and the number of columns as a uvarint
//	NAMES    for every column: the length of its name as a uvarint, its bytes, which need not
//	         be UTF-8; 0 if it has none. Absent if none has
//	BLOCKS   40 bytes a block: offset, length, number of the first document and number of
//	         entries (8 bytes each), number of rows and CRC-32C (4 bytes each)
//
// A line of the table is the section's name (8 bytes, zero-padded), offset and length (8
// bytes each), CRC-32C (4 bytes), and zero (4 bytes).
//
// Footer:
//
//	 0   8  where the table begins
//	 8   8  length of the file
//	16   8  number of documents
//	24   8  number of entries
//	32   8  number of columns
//	40   8  number of keys that documents had, those included that were too rare for a column
//	48   4  CRC-32C of the table
//	52   4  CRC-32C of the footer's first 52 bytes
//	56   8  magic, 0D 0A 'C' 'V' 'S' 'B' 'N' 89
//
// All that is outside the blocks and NAMES is checked when a file is opened, these whenever
// they are decoded: nothing that a file says is believed before its checksum and its range are right.
package packed
