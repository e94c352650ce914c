package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// folderRecord stands in the folder of --out-dir, hidden, and tells of which run its files are: a
// later one, which passes over what is there, must be of the same model and options.
const folderRecord = ".nbsvm-score.json"

// rejectsFolder is what the record has for --rejects: not which folder.
const rejectsFolder = "FOLDER"

// rowSuffixes are the ends of the names of files of rows.
var rowSuffixes = map[string]string{"tsv": ".tsv", "jsonl": ".jsonl", "fasttext": ".txt", "fasttext-labels": ".txt"}

// folderFile is an input and where what is made of it goes. The output takes its name last: where
// it is, the others are.
type folderFile struct {
	input, output, rejects, quarantine string
	bytes                              int64
}

// checkFolder finds what contradicts --out-dir.
func (s *scoreCmd) checkFolder() error {
	switch {
	case s.Output != "":
		return usageError{errors.New("-o and --out-dir contradict each other: --out-dir makes an output of every input, -o one of all")}
	case usesStdin(s.Input):
		return usageError{errors.New("--out-dir calls outputs like their inputs, and standard input has no name: name files")}
	case s.Rejects == "-":
		return usageError{errors.New("--rejects takes a folder beside --out-dir, not -")}
	case s.LineBuffered:
		return usageError{errors.New("--line-buffered is for who waits for rows; the files of --out-dir appear when they are whole")}
	}
	return nil
}

// fileOf says where what is made of an input goes.
func (s *scoreCmd) fileOf(input string) folderFile {
	name := filepath.Base(input)
	f := folderFile{input: input, output: filepath.Join(s.OutDir, s.name(corpus.Stem(name)+rowSuffixes[s.OutputFormat]))}
	if s.records() {
		f.output = filepath.Join(s.OutDir, s.name(name))
	}
	if s.Rejects != "" {
		f.rejects = filepath.Join(s.Rejects, s.name(name))
	}
	if folder := s.OnBad.Quarantine(); folder != "" {
		f.quarantine = filepath.Join(folder, s.name(name))
	}
	return f
}

// replaceable lists the files in folders of outputs that a run may replace.
func (s *scoreCmd) replaceable() (files []usedFile) {
	for _, input := range s.Input {
		f := s.fileOf(input)
		for _, file := range []usedFile{
			{role: "--rejects", path: f.rejects, written: true}, {role: "--on-bad quarantine", path: f.quarantine, written: true},
		} {
			if _, err := os.Stat(file.path); err == nil {
				files = append(files, file)
			}
		}
	}
	return files
}

// folderFiles are the inputs of this run or shard, by name. What is wrong with any is known
// before the work begins.
func (s *scoreCmd) folderFiles() ([]folderFile, error) {
	files, from := make([]folderFile, 0, len(s.Input)), map[string]string{}
	for _, input := range s.Input {
		f := s.fileOf(input)
		info, err := os.Stat(input)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("%s is a folder: name the files in it", input)
		}
		for _, path := range []string{f.output, f.quarantine} {
			if first := from[path]; first != "" {
				return nil, usageError{fmt.Errorf("%s and %s would both become %s: score them apart, with folders of their own", first, input, path)}
			}
			if path != "" {
				from[path] = input
			}
		}
		if there, err := os.Stat(f.output); err == nil && os.SameFile(info, there) {
			return nil, usageError{fmt.Errorf("--out-dir %s: the output of %s would be that file itself; name another folder", s.OutDir, input)}
		}
		f.bytes = info.Size()
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b folderFile) int { return strings.Compare(a.output, b.output) })
	if s.Shard.Of == 0 {
		return files, nil
	}
	var own []folderFile
	for i, f := range files {
		if i%s.Shard.Of == s.Shard.Number-1 {
			own = append(own, f)
		}
	}
	return own, nil
}

// makeFolders makes the folders of the outputs, which must be different ones.
func (s *scoreCmd) makeFolders() error {
	var flags []string
	var made []fs.FileInfo
	for _, folder := range []struct{ flag, path string }{
		{"--out-dir", s.OutDir}, {"--rejects", s.Rejects}, {"--on-bad quarantine", s.OnBad.Quarantine()},
	} {
		if folder.path == "" {
			continue
		}
		if err := os.MkdirAll(folder.path, 0o777); err != nil {
			return fmt.Errorf("%s: %w", folder.flag, err)
		}
		info, err := os.Stat(folder.path)
		if err != nil {
			return err
		}
		for i := range made {
			if os.SameFile(made[i], info) {
				return usageError{fmt.Errorf("%s and %s are the same folder %s: their files would have the same names", flags[i], folder.flag, folder.path)}
			}
		}
		if err := checkOutput(filepath.Join(folder.path, "file")); err != nil {
			return err
		}
		flags, made = append(flags, folder.flag), append(made, info)
	}
	return nil
}

// claimFolder makes sure that what is in the folder is of this run.
func (s *scoreCmd) claimFolder(files []folderFile) error {
	mine, err := s.describeRun()
	if err != nil {
		return err
	}
	if s.Rejects != "" {
		mine.Options["rejects"] = rejectsFolder
	}
	path := filepath.Join(s.OutDir, folderRecord)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		for _, f := range files {
			if _, err := os.Lstat(f.output); err == nil {
				return fmt.Errorf("%s is there already, but no %s that tells of what run it is: name another folder, or remove the file", f.output, path)
			}
		}
		if err := atomicfile.WriteFile(path, func(w io.Writer) error { return printJSON(w, mine) }); err != nil {
			return err
		}
	}
	// Another run may have been faster.
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var theirs runRecord
	if err := json.Unmarshal(text, &theirs); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	if what := theirs.differs(&mine); what != "" {
		return fmt.Errorf("--out-dir %s holds files of another run: %s; name another folder, or remove that one", s.OutDir, what)
	}
	return nil
}

// folderRun scores files, each by itself.
type folderRun struct {
	*scoreRun
	c        *call
	in       nbsvm.Input        // but for the path
	o        nbsvm.ScoreOptions // but for the progress
	progress *folderProgress
}

// fileDone is what became of a file.
type fileDone struct {
	there bool // it was before
	stats nbsvm.ScoreStats
	err   error
}

// scoreFolder scores the inputs side by side.
func (r *scoreRun) scoreFolder(c *call, in nbsvm.Input) error {
	files, err := r.folderFiles()
	if err != nil {
		return err
	}
	if err := r.makeFolders(); err != nil {
		return err
	}
	if err := r.claimFolder(files); err != nil {
		return err
	}
	show := newProgress(c)
	defer show.clear()
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// Files side by side are read, decompressed and written side by side, too, which threads
	// within one are not.
	workers := max(1, min(threads, len(files)))
	run := &folderRun{
		scoreRun: r, c: c, in: in, o: nbsvm.ScoreOptions{Threads: (threads + workers - 1) / workers},
		progress: newFolderProgress(files, show, c.err),
	}
	start := time.Now()
	done := make([]fileDone, len(files))
	var group errgroup.Group
	group.SetLimit(workers)
	for i, f := range files {
		group.Go(func() error {
			if done[i].err = c.ctx.Err(); done[i].err == nil {
				done[i] = run.score(i, f)
			}
			if done[i].err != nil && c.ctx.Err() == nil {
				run.progress.failed(f, done[i].err)
			}
			return nil
		})
	}
	group.Wait()
	show.clear()
	return run.finish(files, done, time.Since(start))
}

// score scores a file, unless its output is there.
func (r *folderRun) score(i int, f folderFile) (d fileDone) {
	switch info, err := os.Stat(f.output); {
	case err == nil && info.Mode().IsRegular() && f.rejects != "" && !exists(f.rejects):
		return fileDone{err: fmt.Errorf("%s is there, but not %s: name the folder of --rejects that it was made with, or remove the output to have both made again", f.output, f.rejects)}
	case err == nil && info.Mode().IsRegular():
		r.progress.show(i, nbsvm.Progress{Done: f.bytes})
		return fileDone{there: true}
	case err == nil:
		return fileDone{err: fmt.Errorf("%s is there, and is no regular file", f.output)}
	}
	on := r.OnBad
	if f.quarantine != "" {
		on = corpus.OnBad("quarantine=" + f.quarantine)
	}
	in, o := r.in, r.o
	in.Paths = []string{f.input}
	if in.Bad, d.err = corpus.NewBadRecords(on, r.progress); d.err != nil {
		return d
	}
	defer in.Bad.Close(false)
	in.Bad.Whole = true
	o.Progress = func(now nbsvm.Progress) { r.progress.show(i, now) }
	d.stats, d.err = r.write(r.c, in, o, f.output, f.rejects, nil, func() error { return in.Bad.Close(true) })
	return d
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// finish tells what became of the files.
func (r *folderRun) finish(files []folderFile, done []fileDone, took time.Duration) error {
	var stats nbsvm.ScoreStats
	var there, written int
	var failed []string
	for i, d := range done {
		switch {
		case d.err != nil:
			failed = append(failed, files[i].input)
			continue
		case d.there:
			there++
		default:
			written++
		}
		stats.Documents, stats.Bad = stats.Documents+d.stats.Documents, stats.Bad+d.stats.Bad
		stats.Written, stats.Bytes = stats.Written+d.stats.Written, stats.Bytes+d.stats.Bytes
	}
	if r.c.ctx.Err() != nil {
		return fmt.Errorf("interrupted; of %d files %d are whole in %s, and the same command goes on with the others", len(files), there+written, r.OutDir)
	}
	if !r.c.Quiet {
		fmt.Fprintf(r.c.err, "%d files: %d written, %d there already, %d failed\n", len(files), written, there, len(failed))
		if written > 0 {
			r.summarise(r.c.err, stats, took)
		}
	}
	if stats.Bad > 0 {
		fate := "skipped"
		if folder := r.OnBad.Quarantine(); folder != "" {
			fate = "quarantined in " + folder
		}
		fmt.Fprintf(r.c.err, "nbsvm: %d bad records %s\n", stats.Bad, fate)
	}
	if len(failed) > 0 {
		const most = 10
		names := strings.Join(failed[:min(most, len(failed))], ", ")
		if len(failed) > most {
			names += ", …"
		}
		return fmt.Errorf("%d of %d files could not be scored: %s; the others are done, and the same command tries again", len(failed), len(files), names)
	}
	if stats.Bad > 0 {
		return badRecords{stats.Bad}
	}
	return nil
}

// folderProgress adds up how far files are, and passes on what there is to say of them.
type folderProgress struct {
	mutex  sync.Mutex
	files  []nbsvm.Progress
	sum    nbsvm.Progress
	to     *progress
	err    io.Writer
	bad    int // bad records told of
	faults int // files, likewise
}

func newFolderProgress(files []folderFile, to *progress, err io.Writer) *folderProgress {
	p := &folderProgress{files: make([]nbsvm.Progress, len(files)), to: to, err: err}
	p.sum = nbsvm.Progress{Stage: "score", Unit: "bytes"}
	for _, f := range files {
		p.sum.Total += f.bytes
	}
	return p
}

// show takes how far the i-th file is.
func (p *folderProgress) show(i int, now nbsvm.Progress) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sum.Done += now.Done - p.files[i].Done
	p.sum.Documents += now.Documents - p.files[i].Documents
	p.files[i] = now
	p.to.show(p.sum)
}

// most is how many messages of a kind are shown.
const most = 20

// Write takes the messages about bad records. Those that count the records of one file are left out.
func (p *folderProgress) Write(line []byte) (int, error) {
	if text, bad := strings.CutPrefix(string(line), "bad record: "); bad {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.bad++
		p.say(p.bad, "bad record: "+strings.TrimSuffix(text, "\n"), "more bad records follow; they are only counted")
	}
	return len(line), nil
}

// failed tells of a file that could not be scored.
func (p *folderProgress) failed(f folderFile, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.faults++
	text := plain(err.Error())
	if !strings.Contains(text, f.input) {
		text = f.input + ": " + text
	}
	p.say(p.faults, text, "more files could not be scored")
}

// say says the n-th message of a kind, with the mutex held.
func (p *folderProgress) say(n int, line, more string) {
	switch {
	case n <= most:
		p.to.say(p.err, plain(line))
	case n == most+1:
		p.to.say(p.err, more)
	}
}
