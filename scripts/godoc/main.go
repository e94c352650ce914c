// Command godoc makes a small labelled corpus of the doc comments in Go's own
// source tree, which every machine with Go has: the label is the top-level folder
// of the standard library, a document the comment of one declaration. Of every
// label, some packages are held out for testing, so that nothing of them is
// trained on.
//
// Usage: godoc FOLDER
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	minWords    = 8   // shorter comments say too little
	minComments = 250 // of a label
	minFiles    = 10  // of a label, so that some are held out
	holdOut     = 5   // every so many files of a label is for testing
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: godoc FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "godoc:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	files, err := comments(filepath.Join(strings.TrimSpace(string(root)), "src"))
	if err != nil {
		return err
	}
	labels := map[string][]string{}
	size := map[string]int{}
	for path, texts := range files {
		label, _, _ := strings.Cut(path, "/")
		labels[label] = append(labels[label], path)
		size[label] += len(texts)
	}
	var train, test []string
	for label, paths := range labels {
		if size[label] < minComments || len(paths) < minFiles {
			continue
		}
		slices.Sort(paths)
		for i, path := range paths {
			for _, text := range files[path] {
				line := label + "\t" + text
				if i%holdOut == holdOut-1 {
					test = append(test, line)
				} else {
					train = append(train, line)
				}
			}
		}
	}
	if err := write(filepath.Join(folder, "train.tsv"), train); err != nil {
		return err
	}
	return write(filepath.Join(folder, "test.tsv"), test)
}

// comments collects, by file, the doc comments below src.
func comments(src string) (map[string][]string, error) {
	files := map[string][]string{}
	err := filepath.WalkDir(src, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(src, path)
		rel = filepath.ToSlash(rel)
		if entry.IsDir() {
			if name := entry.Name(); rel == "cmd" || name == "internal" || name == "vendor" || name == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || !strings.Contains(rel, "/") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil // not every file of the tree is meant to parse
		}
		add := func(doc *ast.CommentGroup) {
			if words := strings.Fields(doc.Text()); len(words) >= minWords {
				files[rel] = append(files[rel], strings.Join(words, " "))
			}
		}
		add(file.Doc)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(d.Doc)
			case *ast.GenDecl:
				add(d.Doc)
			}
		}
		return nil
	})
	return files, err
}

// write writes lines, sorted and each once.
func write(path string, lines []string) error {
	slices.Sort(lines)
	return os.WriteFile(path, []byte(strings.Join(slices.Compact(lines), "\n")+"\n"), 0o666)
}
