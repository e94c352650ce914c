package plan

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/jsonstring"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/compressed"
)

// sample is some of the documents, in uncompressed files of their own, over which they are spread evenly.
type sample struct {
	in               corpus.Input
	documents, bytes int64 // bytes are those of the records in their files, decompressed
	// Of all files: documents and bytes as far as the sample tells, and bytes as they are stored.
	allDocuments, allBytes, stored float64
}

// sampleFiles is how many files a sample has: n-grams are counted in one, in four and in all of them.
const sampleFiles = 16

// generate makes a sample of generated documents.
func generate(ctx context.Context, folder string, c bench.Corpus, threads int) (*sample, error) {
	s := &sample{documents: int64(c.Documents)}
	for i := range sampleFiles {
		part := c
		part.Documents = c.Documents*(i+1)/sampleFiles - c.Documents*i/sampleFiles
		part.Seed += uint64(i)
		path := filepath.Join(folder, fmt.Sprintf("sample-%d.tsv", i))
		size, err := writeFile(path, func(w io.Writer) error { return part.WriteTSV(ctx, w, threads) })
		if err != nil {
			return nil, err
		}
		s.bytes += size
		s.in.Paths = append(s.in.Paths, path)
	}
	s.allDocuments, s.allBytes, s.stored = float64(s.documents), float64(s.bytes), float64(s.bytes)
	return s, nil
}

// take takes about so many bytes of records, or all if there are fewer: chunks of records at equal distances, as
// documents may be sorted. Whatever the format of the files is, the sample is JSON lines, unless their features are not
// those of a text: then it is of their own format.
func take(ctx context.Context, folder string, in corpus.Input, want int64) (*sample, error) {
	s := &sample{in: in.Again()}
	for _, path := range in.Paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("nbsvm: %s is not a regular file: a plan needs the sizes of files", path)
		}
		s.stored += float64(info.Size())
	}
	s.in.Paths, s.in.Header = nil, nil
	s.in.TextField, s.in.LabelField = "", ""
	if in.WeightField != "" {
		s.in.WeightField = "weight"
	}
	var writers [sampleFiles]*bufio.Writer
	for i := range writers {
		path := filepath.Join(folder, fmt.Sprintf("sample-%d", i))
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		writers[i] = bufio.NewWriter(f)
		s.in.Paths = append(s.in.Paths, path)
	}
	const usualRatio = 3 // of compressed text
	every := int64(s.stored) / want
	if compressed.Of(in.Paths[0]) != compressed.None {
		every = usualRatio * int64(s.stored) / want
	}
	reader, err := corpus.Open(in)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	chunks, taken := int64(0), int64(0)
	var line []byte
	for ; ; chunks++ {
		chunk, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if chunks < taken*every {
			chunk.Release()
			continue
		}
		taken++
		format := corpus.JSONL
		if f := chunk.Format(); f == corpus.SVMLight || f == corpus.VW {
			format = f
		}
		if s.documents > 0 && format != s.in.Format {
			return nil, errKinds
		}
		s.in.Format = format
		for _, d := range chunk.Append(nil) {
			if d.Err != nil {
				if err := in.Bad.Report(d); err != nil {
					return nil, err
				}
				continue
			}
			switch {
			case format == corpus.JSONL:
				line = appendLine(line[:0], &d, in.LabelSep)
			case format == corpus.SVMLight: // which the record of another format need not be
				line = append(append(append(append(line[:0], bytes.Join(d.Labels, []byte{','})...), ' '), d.Text...), '\n')
				if len(d.Labels) == 0 {
					s.in.LabelSep = cmp.Or(s.in.LabelSep, ",")
				}
			default:
				line = append(append(line[:0], d.Record...), '\n')
			}
			writers[s.documents%sampleFiles].Write(line) // Flush tells of errors
			s.documents++
			if s.bytes += int64(len(d.Record) + 1); chunk.Format() == corpus.Parquet { // which has no records of text
				s.bytes += int64(len(line) - len(d.Record) - 1)
			}
		}
		chunk.Release()
	}
	for _, w := range writers {
		if err := w.Flush(); err != nil {
			return nil, err
		}
	}
	if s.documents == 0 {
		return nil, errors.New("nbsvm: no documents in " + in.Describe() + ": is that the right input?")
	}
	s.in.Paths = s.in.Paths[:min(s.documents, sampleFiles)]
	share := float64(taken) / float64(chunks)
	s.allDocuments, s.allBytes = float64(s.documents)/share, float64(s.bytes)/share
	return s, nil
}

var errKinds = errors.New("nbsvm: some files have text and others have ready-made features or the format vw: plan for " +
	"files of one kind")

// appendLine appends a document as JSON, whose fields have their usual names.
func appendLine(dst []byte, d *corpus.Document, labelSep string) []byte {
	dst = append(dst, `{"label":`...)
	if labelSep != "" || len(d.Labels) == 1 {
		dst = jsonstring.Append(dst, bytes.Join(d.Labels, []byte(labelSep)))
	} else {
		for i, label := range d.Labels {
			dst = jsonstring.Append(append(dst, "[,"[min(i, 1)]), label)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"weight":`...)
	dst = strconv.AppendFloat(dst, float64(d.Weight), 'g', -1, 32)
	dst = jsonstring.Append(append(dst, `,"text":`...), d.Text)
	return append(dst, "}\n"...)
}

// writeFile writes a file to the disk, as commands do, and returns its size.
func writeFile(path string, write func(w io.Writer) error) (size int64, err error) {
	if err := atomicfile.WriteFile(path, write); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
