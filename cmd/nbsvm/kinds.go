package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/packed"
)

// checkKinds refuses a model, a packed corpus or text where another of them belongs, which their first bytes tell.
func checkKinds(parsed *kong.Context) error {
	command := parsed.Selected()
	if command == nil {
		return nil
	}
	model, takesModel, train := "", false, "nbsvm train"
	tags := command.Parent != nil && command.Parent.Name == "tag"
	if tags {
		train = "nbsvm tag train"
	}
	var inputs []string
	for _, argument := range command.Positional {
		switch value := argument.Target.Interface().(type) {
		case string:
			if argument.Name == "model" {
				model, takesModel = value, true
			}
		case []string:
			switch {
			case argument.Name == "input":
				inputs = value
			case command.Name == "inspect":
				if k := slices.IndexFunc(value, isText); k >= 0 {
					return usageError{fmt.Errorf("%[1]s is text, and inspect takes a model or a packed corpus; to make one of it: nbsvm train %[1]s -o MODEL, or nbsvm pack %[1]s -o CORPUS", value[k])}
				}
			}
		}
	}
	if takesModel && model == "-" {
		return usageError{errors.New("a model can't come from standard input, for it is mapped from its file: name the file")}
	}
	switch {
	case takesModel && !tags && isTagModel(model):
		return usageError{fmt.Errorf("%s is a model of tags; to tag sentences with it: nbsvm tag score %s FILE", model, model)}
	case takesModel && tags && nbsvm.IsModel(model):
		return usageError{fmt.Errorf("%s is a classifier of texts, no model of tags; to label texts with it: nbsvm score %s FILE", model, model)}
	}
	// Of very many inputs, as of a pattern, not all are opened only for this: what is wrong is told when they are read.
	for _, input := range inputs[:min(len(inputs), 100)] {
		switch {
		case takesModel && isNumber(input):
			return usageError{fmt.Errorf("there is no file %s; if it is fastText's number of labels, or least probability: nbsvm score --top 2 --threshold 0.3 MODEL FILE", input)}
		case !nbsvm.IsModel(input):
		case !takesModel:
			return usageError{fmt.Errorf("%s is a model, and %s takes documents; to label documents with it: nbsvm score %s FILE; to judge it: nbsvm eval %s FILE",
				input, command.Name, input, input)}
		case !nbsvm.IsModel(model):
			return usageError{fmt.Errorf("%s is no model, but %s is; the model comes first: nbsvm %s %s %s", model, input, command.Name, input, model)}
		}
	}
	switch {
	case takesModel && command.Name != "export" && packed.Is(model):
		return usageError{fmt.Errorf("%s is a packed corpus, no model; to train one on it: nbsvm train %s -o MODEL", model, model)}
	case takesModel && isText(model):
		return usageError{fmt.Errorf("%s is text, no model; to train one on it: %s %s -o MODEL", model, train, model)}
	}
	return checkValid(parsed, command.Name)
}

// checkValid refuses what --valid can't take.
func checkValid(parsed *kong.Context, command string) error {
	for _, part := range parsed.Path {
		if part.Flag == nil || part.Flag.Name != "valid" {
			continue
		}
		for _, path := range validPaths(part.Flag) {
			switch {
			case nbsvm.IsModel(path):
				return usageError{fmt.Errorf("--valid %s is a model; --valid takes labelled documents", path)}
			case command == "quantize" && packed.Is(path):
				return usageError{fmt.Errorf("--valid %s is a packed corpus; quantize compares models on the texts themselves: give these", path)}
			}
		}
	}
	return nil
}

// isNumber tells whether an argument is a number, and no file.
func isNumber(argument string) bool {
	_, err := strconv.ParseFloat(argument, 64)
	if err == nil {
		_, err = os.Stat(argument)
		return errors.Is(err, fs.ErrNotExist)
	}
	return false
}

// isText tells whether a file begins like text: without control characters that texts don't have.
func isText(path string) bool {
	first := head(path, 512)
	binary := func(c byte) bool { return c < ' ' && (c < '\t' || c > '\r') || c == 0x7f }
	return len(first) > 0 && !nbsvm.IsModel(path) && !packed.Is(path) && !slices.ContainsFunc(first, binary)
}

// head is the first bytes of a regular file; fewer if there are no more, or it can't be read.
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
