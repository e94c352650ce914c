// Package vocab numbers the n-grams of documents as columns, and reads and writes packed corpora: labelled documents as
// rows of column numbers, on disk, mapped instead of read, larger than memory if need be.
//
// # Counting
//
// A [Counter] counts in how many documents each n-gram is, given by its hash; its [Vocabulary] has those of enough
// documents as columns.
//
//	documents' hashes ── Block.Fill ─────────> blocks, by partition    blocks side by side
//	blocks ───────────── Counter.Count ──────> counts, and numbers     partitions side by side
//	counts ───────────── Counter.Vocabulary ─> columns by numbers      partitions side by side
//	blocks ───────────── Vocabulary.Find ────> columns, by partition   partitions side by side
//	blocks ───────────── Block.Found ────────> rows, by document       blocks side by side
//
// A partition is given by the first bits of a hash, and what has to be known of its n-grams fits into the cache. Counts
// are exact. Columns do not depend on the number of threads, nor on how documents are divided into blocks.
//
// Counting replaces the hashes of a block by numbers, which an n-gram gets where it is first met in its partition. So
// no hash is looked up twice, and a block that waits for its columns can be written to a file in less than half the
// bytes.
//
// # Packed corpora
//
// A file (".nbc") is one of sections: see package container for how they lie in it. Numbers are little-endian. ROWS,
// the first section, has blocks of rows, one after the other.
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
//	BLOCKS   40 bytes a block: offset in the file, length, number of the first document and number of
//	         entries (8 bytes each), number of rows and CRC-32C (4 bytes each)
//	TOTALS   numbers of 8 bytes: documents, entries, columns, and keys that documents had, those included that were
//	         too rare for a column; then, of 4 bytes each, what values rows have (0 none, 1 counts, 2 floating-point
//	         numbers), and zero
//
// All that is outside the blocks and NAMES is checked when a file is opened, these whenever
// they are decoded: nothing that a file says is believed before its checksum and its range are right.
package vocab
