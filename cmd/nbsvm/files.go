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
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Flags and arguments that name files have a tag that says what happens to them:
//
//	file:"in"      read
//	file:"out"     written
//	file:"binary"  written, and mapped later: it can't be compressed, and is not for a terminal
//	file:"folder"  a folder, which the command checks itself, but for --temp
const (
	readFile    = "in"
	writtenFile = "out"
	binaryFile  = "binary"
)

// usedFile is a file that a command reads or writes.
type usedFile struct {
	role    string // how the command line calls it; empty for a standard stream
	path    string
	written bool
	binary  bool
	stream  bool // a standard stream, by whatever name

	// info identifies the file, whatever it is called. If it does not exist yet, that is of its folder, and name the
	// name in it. Devices, which may be used twice, have none.
	info fs.FileInfo
	name string
}

// String returns how messages call the file.
func (f *usedFile) String() string { return strings.TrimSpace(f.role + " " + f.path) }

func (f *usedFile) same(g *usedFile) bool {
	return f.info != nil && g.info != nil && f.name == g.name && os.SameFile(f.info, g.info)
}

// neverStandardOutput are flags that name files to write which can't be standard output: they are read again, or would
// be mixed with what commands print there.
var neverStandardOutput = []string{"log", "on-bad", "cpuprofile", "memprofile"}

// nameStandardOutput has outputs that lead to standard output be called -, by whatever name they were given, such as
// /dev/stdout or a pipe: what is printed beside a result must not get into it. There can be only one.
func nameStandardOutput(p *parsed, s streams) error {
	first := ""
	for _, field := range p.fields() {
		for _, f := range filesOf(field) {
			if field.Argument || !f.written || !leadsTo(f.path, s.out) {
				continue
			}
			path, is := field.Value.Addr().Interface().(*string)
			if !is || slices.Contains(neverStandardOutput, field.Name) {
				return usageError{fmt.Errorf("%s can't be standard output: name a file", f.role)}
			}
			*path = "-"
			if first != "" {
				return usageError{fmt.Errorf("%s and %s would both go to standard output: name a file for one of them",
					first, f.role)}
			}
			first = f.role
		}
	}
	return nil
}

// leadsTo reports whether a name is that of a standard stream.
func leadsTo(path string, stream any) bool {
	if path == "-" {
		return true
	}
	of := streamFile(stream)
	named, err := os.Stat(path)
	return of != nil && err == nil && os.SameFile(of, named)
}

// streamFile returns the file, pipe or terminal that a standard stream leads to; nil for other devices, such as
// /dev/null, in which nothing is mixed up.
func streamFile(stream any) fs.FileInfo {
	file, is := underlying(stream).(*os.File)
	if !is {
		return nil
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&fs.ModeCharDevice != 0 && !terminal(stream) {
		return nil
	}
	return info
}

// checkFiles refuses a command that would write to a file that it reads, or write two
// things to one file. Nothing is opened for writing before.
func checkFiles(p *parsed, s streams) error {
	files := usedFiles(p, s)
	if err := checkNames(files); err != nil { // those that patterns stand for
		return err
	}
	for i := range files {
		f := &files[i]
		if f.binary {
			if err := notCompressed(f.role, f.path); err != nil {
				return err
			}
		}
		files[i].find()
	}
	if err := findClash(files); err != nil {
		return err
	}
	for _, f := range files {
		if f.binary {
			if err := checkBinary(f.role, f.path, s); err != nil {
				return err
			}
		}
	}
	return checkTemp(p)
}

// checkNames refuses names of files with an end of line.
func checkNames(files []usedFile) error {
	for _, f := range files {
		if strings.ContainsAny(f.path, "\n\r") {
			return usageError{fmt.Errorf("the file name %q has an end of line, so messages and records of runs can't tell it "+
				"from others: rename the file", f.path)}
		}
	}
	return nil
}

// checkTemp makes sure that --temp is a folder.
func checkTemp(p *parsed) error {
	for _, field := range p.own {
		if folder := field.Value.String(); field.Name == "temp" && folder != "" && !osfile.IsFolder(folder) {
			return fmt.Errorf("--temp: %s is not a folder: name one that exists", folder)
		}
	}
	return nil
}

// checkBinary finds out whether what is not for a terminal could be written, and nothing else would be, between.
func checkBinary(role, path string, s streams) error {
	out, messages := streamFile(s.out), streamFile(s.err)
	switch {
	case path == "-" && terminal(s.out):
		return usageError{fmt.Errorf("%s: this output can't be written to a terminal; redirect standard output, or name a file", role)}
	case path == "-" && out != nil && messages != nil && os.SameFile(out, messages), path != "-" &&
		leadsTo(path, s.err):
		return usageError{fmt.Errorf("%s and standard error go to the same place, so messages would get into the output: redirect standard error to another file, or name one", role)}
	case path != "-":
		return osfile.CheckWritable(path)
	}
	return nil
}

// findClash finds a file that is written and has another use, which it does not bear.
func findClash(files []usedFile) error {
	for i := range files {
		written := &files[i]
		if !written.written {
			continue
		}
		for j := range files {
			other := &files[j]
			// What is printed beside a result may go to the same stream.
			shared := written.stream && other.stream && (written.role == "" || other.role == "")
			if i == j || !written.same(other) || other.written && (j < i || shared) {
				continue
			}
			return usageError{clash(written, other)}
		}
	}
	return nil
}

// notCompressed refuses the name of a compressed file for what is not.
func notCompressed(role, path string) error {
	if kind := osfile.CompressionOf(path); kind != osfile.Uncompressed {
		return usageError{fmt.Errorf("%s %s: models, corpora and pages can't be compressed with %s: name it %s",
			role, path, kind, strings.TrimSuffix(path, kind.Suffix()))}
	}
	return nil
}

// clash returns the error that a file is written that another use of it does not bear.
func clash(written, other *usedFile) error {
	what := "the input would be lost"
	if other.written {
		what = "one would overwrite the other"
	}
	remedy := "name another file to write to"
	if written.role == "" {
		remedy = "send standard output to another file"
	}
	return fmt.Errorf("%s and %s are the same file: %s; %s", written, other, what, remedy)
}

// usedFiles lists the files of a command line. Standard output and standard error are among them: commands
// print there even where their results go elsewhere.
func usedFiles(p *parsed, s streams) (files []usedFile) {
	for _, field := range p.fields() {
		files = append(files, filesOf(field)...)
	}
	files = append(files,
		usedFile{path: "standard output", written: true, stream: true, info: regular(s.out)},
		usedFile{path: "standard error", written: true, stream: true, info: regular(s.err)})
	for i := range files {
		if f := &files[i]; !f.written && f.path == "-" {
			files[i] = usedFile{path: "standard input", stream: true, info: regular(s.in)}
		}
	}
	return files
}

// filesOf returns the files that a flag or an argument names. Arguments that are left out stand for standard input.
func filesOf(field *flags.Field) (files []usedFile) {
	kind, role := field.Tag("file"), field.Typed()
	if kind != readFile && kind != writtenFile && kind != binaryFile {
		return nil
	}
	if field.Argument {
		role = field.Name
	}
	var paths []string
	switch value := field.Value.Interface().(type) {
	case string:
		paths = []string{value}
	case []string:
		if paths = value; len(paths) == 0 && field.Argument {
			paths = []string{"-"}
		}
	case namedFiles:
		paths = value.paths()
	case corpus.OnBad:
		role, paths = role+" quarantine", []string{value.Quarantine()}
	}
	for _, path := range paths {
		if path != "" {
			files = append(files, usedFile{
				role: role, path: path, written: kind != readFile,
				binary: kind == binaryFile,
			})
		}
	}
	return files
}

// find finds out where the file is. What can't be found out is said by who opens the file.
func (f *usedFile) find() {
	if f.stream || f.written && f.path == "-" {
		return
	}
	info, err := os.Stat(f.path)
	switch {
	case err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeNamedPipe != 0):
		f.info = info
		f.stream = f.written && osfile.IsDescriptor(f.path)
	case errors.Is(err, fs.ErrNotExist):
		if target, err := osfile.Target(f.path); err == nil {
			if folder, err := os.Stat(filepath.Dir(target)); err == nil {
				f.info, f.name = folder, filepath.Base(target)
			}
		}
	}
}

// regular returns the file that a standard stream leads to, nil for others.
func regular(stream any) fs.FileInfo {
	if info := streamFile(stream); info != nil && info.Mode().IsRegular() {
		return info
	}
	return nil
}

// expandPatterns puts files in the place of patterns, in arguments and flags that take any number of files to read:
// shells take only so many, and containers may have no shell.
func expandPatterns(p *parsed) error {
	for _, field := range p.own {
		if named, is := field.Value.Interface().(namedFiles); is {
			if err := named.expand(); err != nil {
				return fmt.Errorf("%s %w", field.Typed(), err)
			}
		}
		given, many := field.Value.Addr().Interface().(*[]string)
		if !many || field.Tag("file") != readFile {
			continue
		}
		var err error
		if *given, err = osfile.Expand(*given); err != nil && !field.Argument {
			err = fmt.Errorf("%s: %w", field.Typed(), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
