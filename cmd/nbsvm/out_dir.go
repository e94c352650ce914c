package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// ownPrefix is what the names of hidden files in the folder begin with; those of temporary ones have it in them.
const ownPrefix = ".nbsvm-"

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

// paths are where what is made of the input goes.
func (f *folderFile) paths() []string { return []string{f.output, f.rejects, f.quarantine} }

// folderFiles are the inputs of this run or shard, by name. What is wrong with any is known
// before the work begins.
func (s *scoreCmd) folderFiles() ([]folderFile, error) {
	files, from := make([]folderFile, 0, len(s.Input)), map[string]string{}
	infos := make([]fs.FileInfo, 0, len(s.Input))
	for _, input := range s.Input {
		f := s.fileOf(input)
		info, err := os.Stat(input)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, fmt.Errorf("%s is a folder: name the files in it, such as '%s'", input, filepath.Join(input, "*"))
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
		files, infos = append(files, f), append(infos, info)
	}
	if err := keepInputs(files, infos); err != nil {
		return nil, err
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

// keepInputs makes sure that no input is replaced, given what is known of each.
func keepInputs(files []folderFile, infos []fs.FileInfo) error {
	for _, f := range files {
		if exists(f.output) {
			continue // nothing is written
		}
		for _, of := range []usedFile{{role: "--rejects", path: f.rejects}, {role: "--on-bad quarantine", path: f.quarantine}} {
			there, err := os.Stat(of.path)
			if err != nil {
				continue
			}
			for i, info := range infos {
				if os.SameFile(there, info) {
					return usageError{clash(&of, &usedFile{role: "input", path: files[i].input})}
				}
			}
		}
	}
	return nil
}

// outFolder is a folder in which outputs have the names of their inputs.
type outFolder struct{ flag, path string }

// outFolders are those of the command.
func (s *scoreCmd) outFolders() []outFolder {
	all := []outFolder{{"--out-dir", s.OutDir}, {"--rejects", s.Rejects}, {"--on-bad quarantine", s.OnBad.Quarantine()}}
	return slices.DeleteFunc(all, func(of outFolder) bool { return of.path == "" })
}

// makeFolders makes the folders of the outputs, which must be different ones.
func (s *scoreCmd) makeFolders() error {
	var made []fs.FileInfo
	folders := s.outFolders()
	for _, folder := range folders {
		if err := os.MkdirAll(folder.path, 0o777); err != nil {
			return fmt.Errorf("%s: %w", folder.flag, err)
		}
		info, err := os.Stat(folder.path)
		if err != nil {
			return err
		}
		for i := range made {
			if os.SameFile(made[i], info) {
				return usageError{fmt.Errorf("%s and %s are the same folder %s: their files would have the same names", folders[i].flag, folder.flag, folder.path)}
			}
		}
		if err := atomicfile.Check(filepath.Join(folder.path, "file")); err != nil {
			return fmt.Errorf("%s: no files can be made in %s: %w", folder.flag, folder.path, errors.Unwrap(err))
		}
		made = append(made, info)
	}
	return nil
}
