package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/tag"
)

// kind is what a file is, as its first bytes tell.
type kind string

const (
	unknownFile  kind = ""
	modelFile    kind = "a model"
	tagModelFile kind = "a tagging model"
	packedFile   kind = "a packed corpus"
	textFile     kind = "text"
)

// kindOf finds out what a file is.
func kindOf(path string) kind {
	control := func(c byte) bool { return c < ' ' && (c < '\t' || c > '\r') || c == 0x7f }
	first := head(path, 512)
	switch {
	case len(first) == 0:
		return unknownFile
	case nbsvm.IsModel(path):
		return modelFile
	case packed.Is(path):
		return packedFile
	case tag.Is(first):
		return tagModelFile
	case !slices.ContainsFunc(first, control):
		return textFile
	}
	return unknownFile
}

// head reads the first bytes of a regular file. It returns fewer if there are no more, or the file can't be read.
func head(path string, size int) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	bytes := make([]byte, size)
	n, _ := io.ReadFull(f, bytes)
	return bytes[:n]
}

// checkKinds refuses a model, a packed corpus or text where another of them belongs.
func checkKinds(parsed *kong.Context, _ streams) error {
	command := parsed.Selected()
	wanted, train := modelFile, "nbsvm train"
	if command.Parent != nil && command.Parent.Name == "tag" {
		wanted, train = tagModelFile, "nbsvm tag train"
	}
	var documents []string
	for _, argument := range command.Positional {
		switch value := argument.Target.Interface().(type) {
		case string:
			if argument.Name == "model" {
				if err := checkModel(command.Name, value, wanted, train); err != nil {
					return err
				}
			}
		case []string:
			if argument.Name == "input" {
				documents = value
			}
		}
	}
	// A pattern may stand for very many inputs. What is wrong with the others is found when they are read.
	documents = documents[:min(len(documents), 100)]
	for _, flag := range command.Flags {
		if flag.Name == "valid" {
			documents = append(slices.Clone(documents), validPaths(flag)...)
		}
	}
	for _, path := range documents {
		if found := kindOf(path); found == modelFile || found == tagModelFile {
			return usageError{fmt.Errorf("%s is %s, but %s takes documents here", path, found, command.Name)}
		}
	}
	return nil
}

// checkModel refuses an argument that is not a model of the wanted kind.
func checkModel(command, path string, wanted kind, train string) error {
	if path == "-" {
		return usageError{errors.New("a model can't come from standard input, because it is mapped into memory: name a file")}
	}
	switch found := kindOf(path); {
	case found == unknownFile || found == wanted || found == packedFile && command == "export":
		return nil
	case found == tagModelFile:
		return usageError{fmt.Errorf("%s is a tagging model; to tag sentences with it: nbsvm tag score %[1]s FILE", path)}
	case found == modelFile:
		return usageError{fmt.Errorf("%s is a classifier, not a tagging model; to classify text with it: nbsvm score %[1]s FILE", path)}
	default:
		return usageError{fmt.Errorf("%s is %s, but %s takes a model as its first argument; to train one: %s %[1]s -o MODEL",
			path, found, command, train)}
	}
}
