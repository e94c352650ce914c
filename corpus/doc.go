// Package corpus reads labelled or unlabelled documents from files. It detects formats and compression, keeps the
// position of every record, and reports records that it cannot use.
//
// [Open] begins to read an [Input]. [Reader.Documents] ranges over its documents:
//
//	reader, err := corpus.Open(corpus.Input{Paths: []string{"reviews.tsv.zst", "more.jsonl"}})
//	...
//	defer reader.Close()
//	for document, err := range reader.Documents() {
//		...
//	}
//
// A program that wants to parse on several goroutines reads chunks, which are about a mebibyte of whole records. One
// goroutine reads them with [Reader.Next]; [Chunk.Append] parses a chunk on any goroutine; [Chunk.Release] makes its
// memory available again. The size of chunks never changes the documents. Texts and labels are views of the chunk
// wherever the bytes of the file can be used as they are.
//
// # Formats
//
// The formats are [TSV], [CSV], [JSONL], [FastText], [Lines], [SVMLight], [Parquet] and [WARC]. Files may be
// compressed with gzip or zstd. Lines end in LF or CR LF. A UTF-8 byte order mark is skipped. NUL bytes and invalid
// UTF-8 are data, but labels must be valid UTF-8 unless Input.Unlabelled is set. Blank lines are skipped, or, with
// Input.Unlabelled, are documents of empty text, so that scores and input rows stay side by side.
//
// # Errors
//
// A record that cannot be used keeps its place: its [Document] has an Err, which is a [*RecordError]. Examples are a
// record longer than Input.MaxRecord, a quote of CSV that does not end, a line without a label, and a damaged record of
// WARC. [BadRecords] skips, counts or saves such records.
//
// A bad file is no bad record. [Reader.Next] returns a [*FileError], and the reading ends, if a file cannot be read,
// became shorter while it was read, is damaged, or is not in the format that was expected: none of its first hundred
// records looks like the format, its header lacks a column, or it is binary. Damage is found in compressed data and in
// Parquet files, and where a file ends within an object of JSON. Text of other formats that is cut off can't be told
// from a last line without a line end, nor can a file that is cut off between two lines or compressed frames.
// [IsBadFile] tells damage and wrong formats from failures that another attempt may not meet.
//
// # Memory
//
// A Reader holds the chunks in use, at most one record more, and the decompressor, whose window is at most 128 MiB.
// A chunk holds at most 8192 records. Memory of released chunks is used again.
package corpus
