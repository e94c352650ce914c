package main

import (
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// namedFiles are given as NAME=FILE, or a pattern in place of the file.
type namedFiles []namedFile

// namedFile is a file, or those of a pattern, with the name that it is given.
type namedFile struct {
	name, given string
	paths       []string
}

// UnmarshalText reads NAME=FILE.
func (f *namedFile) UnmarshalText(text []byte) error {
	name, path, is := strings.Cut(string(text), "=")
	*f = namedFile{name, path, []string{path}}
	switch {
	case !is:
		return fmt.Errorf("%q has no =: put a name in front, such as good=%[1]s", text)
	case name == "" || path == "":
		return fmt.Errorf("%q lacks a name or a file: give both, such as good=a.jsonl", text)
	}
	return nil
}

// String returns the text that UnmarshalText has read.
func (f namedFile) String() string { return f.name + "=" + f.given }

// modelFlags name a model, or several.
type modelFlags struct {
	Model  string     `file:"in" arg:"" optional:"" help:"Model file; leave it out with --model."`
	Models namedFiles `name:"model" file:"in" sep:"none" group:"model" placeholder:"NAME=FILE" help:"Use this model, too: give --model for each of several models, instead of MODEL. Conditions, columns, members of JSON and paths of requests have their names."`
}

// files returns the models' names, of which a single one has none, and their files.
func (f *modelFlags) files() (names, paths []string, err error) {
	if names, paths, err = scoring.NameModels(f.Model, f.Models.names(), f.Models.paths()); err != nil {
		return nil, nil, usageError{err}
	}
	return names, paths, nil
}

// names returns the names, in order.
func (f namedFiles) names() (all []string) {
	for _, of := range f {
		all = append(all, of.name)
	}
	return all
}

// paths returns all files.
func (f namedFiles) paths() (all []string) {
	for _, of := range f {
		all = append(all, of.paths...)
	}
	return all
}

// expand puts files in the place of patterns. What several patterns of a name match is there once.
func (f namedFiles) expand() error {
	given, first := map[string][]string{}, map[string]int{}
	for i, of := range f {
		if _, known := first[of.name]; !known {
			first[of.name] = i
		}
		given[of.name] = append(given[of.name], of.given)
		f[i].paths = nil
	}
	for i, of := range f {
		if first[of.name] != i {
			continue
		}
		var err error
		if f[i].paths, err = osfile.Expand(given[of.name]); err != nil {
			return fmt.Errorf("%s: %w", of.name, err)
		}
	}
	return nil
}
