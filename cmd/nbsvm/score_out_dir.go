package main

import (
	"errors"
	"io"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
)

// checkFolder finds what contradicts --out-dir.
func (s *scoreCmd) checkFolder() error {
	switch {
	case s.OutDir == "":
		return nil
	case s.Rejects == "-":
		return usageError{errors.New("--rejects takes a folder beside --out-dir, not -")}
	case s.LineBuffered:
		return usageError{errors.New("--line-buffered is for who waits for rows; the files of --out-dir appear when they are whole")}
	}
	return nil
}

// job is what is made of the inputs.
func (s *scoreCmd) job() *outdir.Job {
	output := func(input string) string { return s.OutputName(input, &s.Compress) }
	return &outdir.Job{Command: "score", Folders: outDirs(
		outdir.Folder{Flag: outdir.OutputFlag, Path: s.OutDir, Name: output},
		outdir.Folder{Flag: rejectsFlag, Path: s.Rejects, Name: s.Name, Always: true},
		outdir.Folder{Flag: quarantineFlag, Path: s.OnBad.Quarantine(), Name: s.Name},
	)}
}

// scoreFolder scores the inputs side by side.
func (r *scoreRun) scoreFolder(c *call, in corpus.Input) error {
	folder, err := newFolderRun(c, &r.folderFlags, r.job(), in, r.Shard.Shard, "score", "scored", r.OnBad)
	if err != nil {
		return err
	}
	format := func(path string) corpus.Format {
		if !readAgain(path) {
			return corpus.Auto // it can be read only once
		}
		format, _ := scoring.FormatOf(in, path)
		return format
	}
	if err := r.CheckOthers(r.Format, folder.inputs, format); err != nil {
		return usageError{err}
	}
	options := r.Recorded(&r.inputFlags.Input)
	if r.Rejects != "" {
		options["rejects"] = provenance.Folder
	}
	if err := folder.begin(r.Model, options); err != nil {
		return err
	}
	stats := make([]nbsvm.ScoreStats, len(folder.files))
	result, took := folder.run(in, func(i int, w *outdir.Work, in corpus.Input) error {
		of, err := r.scoreFile(folder, w, i, in)
		if err == nil {
			stats[i] = of
		}
		return err
	})
	var sum nbsvm.ScoreStats
	for _, of := range stats {
		sum.Documents, sum.Bad = sum.Documents+of.Documents, sum.Bad+of.Bad
		sum.Written, sum.Bytes = sum.Written+of.Written, sum.Bytes+of.Bytes
	}
	r.scoring.WarnKept(c.err, sum.Documents)
	return folder.tell(result, took, func() { r.summarise(c.err, sum, took) })
}

// scoreFile scores the i-th file.
func (r *scoreRun) scoreFile(
	folder *folderRun, w *outdir.Work, i int, in corpus.Input,
) (stats nbsvm.ScoreStats, err error) {
	if r.Foreign(w.Input) {
		if _, err := scoring.FormatOf(in, w.Input); err != nil {
			return stats, err // which says more than that its name is not one for an output
		}
	}
	o := nbsvm.ScoreOptions{
		Threads:  folder.threadsOfFile(),
		Progress: func(now corpus.Progress) { folder.progress.show(i, now) },
	}
	to := scoreOutputs{
		output: w.Output(), rejects: w.In(rejectsFlag),
		summed: func(rejects bool, file io.Writer) io.Writer {
			if rejects {
				return w.Summed(rejectsFlag, file)
			}
			return w.Summed(outdir.OutputFlag, file)
		},
		settle: func(stats nbsvm.ScoreStats) error {
			return folder.done(w, in, r.scoring.Counts(stats))
		},
	}
	return r.write(folder.c, in, o, to)
}
