// Package corpus turns files into documents. It knows formats, compression and
// positions, and nothing of features.
//
// A [Reader] reads one file after the other and cuts them at record boundaries
// into chunks of about a mebibyte; a [Chunk] parses itself, so that several
// goroutines can parse different chunks while one goroutine reads:
//
//	for {
//		chunk, err := reader.Next() // in one goroutine
//		...
//		docs = chunk.Append(docs[:0]) // in any
//		...
//		chunk.Release() // once docs are done with, if speed matters
//	}
//
// How a file is cut never changes its documents. A document's text and labels
// are views of the chunk wherever the file's bytes can be taken as they are.
//
// # Formats
//
// Each format is a file of this package and a line of its table of formats: [TSV], [CSV],
// [JSONL], [FastText], [Lines], [SVMLight] and [VW].
//
// A record's line ends in LF or CR LF. NUL bytes and invalid UTF-8 are data,
// but a label must be valid UTF-8 where labels are needed. A UTF-8 byte order mark is
// skipped. Blank lines are skipped where labels are
// needed and are documents of empty text where they are not, so that scores and
// input rows stay side by side.
//
// # What is refused, and what is a bad record
//
// A file that became shorter while it was read stops the reader, and so does one that is
// not what it was said to be, if it is the only one: none of its first hundred records
// looks like its format, its header lacks a column, it is binary or UTF-16. A single record
// that cannot be used keeps its place: its document has an Err, a [RecordError]. What a
// file has lost whose compressed data are damaged, or end too early, is one such record, and
// so is one of several files that is not what it was said to be; reading goes on with the
// next file. So it is with a record longer than
// Input.MaxRecord; it is skipped without being held in memory, up to the end of
// its line. A CSV record whose quote is not closed within that length, or within
// the file, is bad as far as the end of its first line; one with text behind a
// closing quote, as far as that line's end.
// [BadRecords] is what commands do about them.
//
// # Memory
//
// Besides the chunks in use a Reader holds the decompressor, whose window may
// have up to 128 MiB (zstd files that ask for more are refused), and at most one
// record with a chunk's worth of input. A chunk holds at most 65536 records. Memory of
// chunks that were released is read into again: as much as was in use at once.
package corpus
