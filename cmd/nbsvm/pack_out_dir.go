package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/packed"
)

// leastPackMemory is what each of the corpora takes that are packed side by side, at least.
const leastPackMemory = 64 << 20

// checkOutput finds what contradicts -o and --out-dir, or lacks both.
func (p *packCmd) checkOutput() error {
	switch {
	case p.OutDir == "" && p.Output == "":
		return usageError{errors.New("missing -o CORPUS: where to write the corpus; or --out-dir FOLDER, for one of every input")}
	case p.OutDir == "" && p.Shard.Of != 0:
		return usageError{errors.New("--shard takes some of the files of --out-dir: name a folder")}
	case p.OutDir != "" && p.Append:
		return usageError{errors.New("--append adds to the corpus of -o, and --out-dir makes corpora: leave one out")}
	}
	return p.folderFlags.check(p.Output, p.Input)
}

// checkParts finds options by which corpora of --out-dir could not be merged.
func (p *packCmd) checkParts(o *packed.Options) error {
	ready := p.Format == corpus.SVMLight || len(p.Input) > 0 && corpus.FormatOfName(p.Input[0]) == corpus.SVMLight
	switch {
	case p.OutDir == "":
	case o.MinDF != 1:
		return usageError{fmt.Errorf("--out-dir makes parts of one corpus, and what is rare in a part may not be in all: pack with --min-df 1, and merge with --min-df %d", o.MinDF)}
	case o.AutoNgrams && !ready:
		return usageError{errors.New("--out-dir makes parts of one corpus, which need the same n-grams, and --ngrams auto depends on how much text a part has: give the orders, as in --ngrams 1-2")}
	}
	return nil
}

// packFolder packs the inputs side by side, each into a corpus of its own.
func (p *packCmd) packFolder(c *call, o packed.Options) error {
	in, err := p.source(c, p.Input, false)
	if err != nil {
		return err
	}
	in.ManyClasses = true // a part may have few documents of a class
	job := &outdir.Job{Command: "pack", Folders: outDirs(
		outdir.Folder{Flag: outdir.OutputFlag, Path: p.OutDir, Name: func(input string) string { return corpus.Stem(input) + ".nbc" }},
		outdir.Folder{Flag: quarantineFlag, Path: p.OnBad.Quarantine(), Name: func(input string) string { return input }},
	)}
	folder, err := newFolderRun(c, &p.folderFlags, job, in, p.Shard.Shard, "pack", "packed", p.OnBad)
	if err != nil {
		return err
	}
	if err := folder.begin("", p.RecordedPack(&o)); err != nil {
		return err
	}
	if o.Memory == 0 {
		o.Memory = packed.DefaultMemory
	}
	folder.workers = max(1, min(folder.workers, int(o.Memory/leastPackMemory)))
	defer process.KeepHeap(o.Memory / 3)()
	o.Memory /= int64(folder.workers)
	o.Threads = folder.threadsOfFile()
	reports := make([]*packed.Report, len(folder.files))
	result, took := folder.run(in, func(i int, w *outdir.Work, in corpus.Input) error {
		o := o
		o.Progress = func(now corpus.Progress) { folder.progress.packed(i, now) }
		return c.writeOutput(w.Output(), func(to io.Writer) (err error) {
			if reports[i], err = packed.Pack(c.ctx, in, o, w.Summed(outdir.OutputFlag, to)); err != nil {
				return err
			}
			return folder.done(w, in, outdir.PackCounts(reports[i]))
		})
	})
	var documents, bytes, invalid int64
	for i, of := range result.Each {
		if of.State == outdir.Written {
			documents, bytes, invalid = documents+reports[i].Documents, bytes+reports[i].Bytes, invalid+reports[i].Invalid
		}
	}
	if invalid > 0 {
		fmt.Fprintf(c.err, "nbsvm: warning: %s bytes of text are not valid UTF-8; they separate tokens\n", wording.Count(invalid))
	}
	return folder.tell(result, took, func() {
		seconds := max(took.Seconds(), 1e-9)
		fmt.Fprintf(c.err, "%s, %s of text in %.2f s: %s documents/s, %.0f MB/s\n", wording.Some(documents, "document"), wording.Bytes(bytes),
			seconds, wording.Count(int64(float64(documents)/seconds)), float64(bytes)/1e6/seconds)
	})
}
