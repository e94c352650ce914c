package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// input is a file of documents or sentences, and the flags that it is trained on with.
type input struct {
	name  string
	data  []byte
	flags []string
}

// outputs is a folder that a command has filled, by the paths of its files in it.
type outputs struct {
	command []string // which fills it
	files   map[string]string
}

// inFolders are the inputs of which folders of outputs are made.
var inFolders = []string{"text.tsv", "several.tsv"}

// prepareInputs makes what is changed besides models and corpora.
func (l *laboratory) prepareInputs() {
	l.t.Helper()
	for _, name := range []string{"bigrams.bin", "subwords.bin", "tree.bin", "words.bin", "pruned.ftz", "whole.ftz"} {
		data, err := os.ReadFile(filepath.Join(tinyModels, name))
		must.OK(l.t, err)
		l.fastTexts = append(l.fastTexts, data)
	}

	chunks := testkit.Chunked(12, 3)
	l.write("good.conll", []byte(chunks))
	l.sentences = []input{
		{name: "bad.conll", data: []byte(chunks)},
		{name: "bad.conllu", data: []byte(strings.Repeat("# text = The word\n1-2\tThew\t_\t_\n1\tThe\tthe\tDET\tDT\tx=y\t2\tdet\t_\t_\n2\tword\tword\tNOUN\tNN\t_\t0\troot\t_\t_\n\n", 3))},
		{name: "bad.slash", data: []byte(strings.Repeat("They/PRP run/VBP ./.\n1\\/2/CD a\\/b/NN\n", 3)), flags: []string{"--format", "slash"}},
		{name: "bad.txt", data: []byte("They run .\nNew Town\n"), flags: []string{"--format", "words"}},
	}
	for _, kind := range []string{"perceptron", "window", "crf"} {
		l.must("tag", "train", "-q", "--model", kind, "-o", "good.nbt", "good.conll")
		l.tagModels = append(l.tagModels, l.read("good.nbt"))
	}

	for _, format := range []string{"tsv", "csv", "jsonl", "fasttext", "svmlight", "lines"} {
		var b bytes.Buffer
		must.OK(l.t, writeDocuments(&b, format, 12, 2))
		l.documents = append(l.documents, input{"bad." + format, b.Bytes(), []string{"--format", format}})
	}
	l.documents = append(l.documents,
		input{"bad.tsv", l.read("several.tsv"), []string{"--label-sep", ","}},
		input{"bad.tsv", l.read("tree.tsv"), []string{"--hierarchy=/"}},
		input{"bad.svm", l.read("features.svm"), nil},
		input{"bad.warc", []byte(strings.Repeat("WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 10\r\n\r\noven broth\r\n\r\n", 3)), []string{"--format", "warc"}},
		input{"bad.jsonl", l.read("weighted.jsonl"), []string{"--text-field", "t", "--label-field", "l", "--weight-field", "w"}},
	)

	for _, command := range [][]string{
		{"score", "-q", "--out-dir", "made.dir", "m0.nbm"},
		{"score", "-q", "--where", "margin > 0", "--out-dir", "made.dir", "--rejects", "no.dir", "m0.nbm"},
		{"pack", "-q", "--min-df", "1", "--ngrams", "1-2", "--out-dir", "made.dir"},
	} {
		command = append(command, inFolders...)
		l.must(command...)
		files := l.takeFolders()
		if len(files) < len(inFolders)+1 {
			l.t.Fatalf("%v makes %v", command, slices.Collect(maps.Keys(files)))
		}
		l.folders = append(l.folders, outputs{command, files})
	}
}

// takeFolders takes away the folders of outputs, and returns the files in them.
func (l *laboratory) takeFolders() map[string]string {
	l.t.Helper()
	files := map[string]string{}
	for _, folder := range outputFolders {
		err := filepath.WalkDir(l.in(folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(l.folder, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			files[filepath.ToSlash(name)] = string(data)
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			l.t.Fatal(err)
		}
		must.OK(l.t, os.RemoveAll(l.in(folder)))
	}
	return files
}

// outputFolders are where commands of the laboratory write an output of each input.
var outputFolders = []string{"made.dir", "no.dir"}

// named wants a command that a file makes fail to name the file.
func (l *laboratory) named(file string, args ...string) (code int) {
	l.t.Helper()
	code, _, said := l.invoke(args...)
	if code == exitFailed && !strings.Contains(said, file) {
		l.fault("%v does not name %s: %s", args, file, said)
	}
	return code
}

// fastText takes a changed model of fastText through the commands that read one. It has no checksum.
func (l *laboratory) fastText(m mutator) (data []byte, accepted bool) {
	l.t.Helper()
	const bad = "bad.ftz"
	data = choice(m, l.fastTexts)
	for range m.times() {
		switch m.IntN(3) {
		case 0: // what it was trained with, and how large it is
			const head = 100
			data = append(m.bytes(data[:min(head, len(data))]), data[min(head, len(data)):]...)
		case 1: // numbers behind words are anywhere
			data = bytes.Clone(data)
			if at := m.IntN(len(data) + 1); at+8 <= len(data) {
				m.numberIn(data[at:], 1<<m.IntN(4))
			}
		default:
			data = m.bytes(data)
		}
	}
	l.write(bad, data)
	l.bounded(len(data), func() {
		if accepted = l.named(bad, "inspect", bad) == exitDone; !accepted {
			return
		}
		l.jsonRows("inspect", "--json", bad)
		l.jsonRows("eval", "--json", bad, "text.tsv")
		l.jsonRows("score", "-q", "--output-format", "jsonl", "--all-scores", bad, "several.tsv")
		l.jsonRows("explain", "--json", bad, "text.tsv")
	})
	return data, accepted
}

// tag takes a changed model of tags through the commands that read one.
func (l *laboratory) tag(m mutator) (data []byte, accepted bool) {
	l.t.Helper()
	const bad = "bad.nbt"
	data = m.container(choice(m, l.tagModels), m.times())
	l.write(bad, data)
	l.bounded(len(data), func() {
		if accepted = l.named(bad, "verify", bad) == exitDone; !accepted {
			return
		}
		l.jsonRows("inspect", "--json", bad)
		l.jsonRows("tag", "eval", "--json", bad, "good.conll")
		l.invoke("tag", "score", "-q", bad, "good.conll")
		l.jsonRows("tag", "score", "--json", bad, "good.conll")
		l.jsonRows("tag", "score", "--json", "--marginals", bad, "good.conll")
	})
	return data, accepted
}

// pressed is an input, as it is or compressed. The changes are made before, so that the checksum is right, or after.
func (m mutator) pressed(of input) (data []byte) {
	change := func(data []byte) []byte {
		for range m.times() {
			data = m.bytes(data)
		}
		return data
	}
	if m.IntN(3) > 0 {
		return change(of.data)
	}
	kind, before := choice(m, []string{"gzip", "zstd"}), m.IntN(2) == 0
	data = of.data
	if before {
		data = change(data)
	}
	data, err := pressed(kind, data)
	if err != nil {
		panic(err)
	}
	if !before {
		data = change(data)
	}
	return data
}

// tagged takes changed sentences through the commands of tags.
func (l *laboratory) tagged(m mutator) (data []byte, accepted bool) {
	l.t.Helper()
	of := choice(m, l.sentences)
	data = m.pressed(of)
	l.write(of.name, data)
	command := func(args ...string) []string { return append(slices.Concat(args, of.flags), of.name) }
	l.bounded(len(data)+len(of.data), func() {
		accepted = l.named(of.name, command("tag", "score", "-q", "good.nbt")...) == exitDone
		l.jsonRows(command("tag", "score", "--json", "good.nbt")...)
		l.jsonRows(command("tag", "eval", "--json", "good.nbt")...)
		kind := choice(m, []string{"perceptron", "window", "crf"})
		l.outputs(command("tag", "train", "-q", "--model", kind, "-o", "out")...)
	})
	return data, accepted
}

// text takes changed documents through commands that train on them, score them, and compare with them.
func (l *laboratory) text(m mutator) (data []byte, accepted bool) {
	l.t.Helper()
	of := choice(m, l.documents)
	data = m.pressed(of)
	name, flags := of.name, of.flags
	if m.IntN(4) == 0 { // their format is found by how they begin
		name, flags = "bad.dat", nil
	}
	l.write(name, data)
	if m.IntN(3) == 0 {
		flags = append(slices.Clone(flags), "--on-bad", "skip")
	}
	command := func(args ...string) []string { return slices.Concat(args, flags) }
	l.bounded(len(data)+len(of.data), func() {
		code := l.named(name, command("train", "-q", "--bits", "10", "-o", "out", name)...)
		accepted = code == exitDone || code == exitBad
		os.Remove(l.in("out"))
		l.outputs(command("pack", "-q", "--min-df", "1", "-o", "out", name)...)
		l.jsonRows(command("eval", "--json", "m0.nbm", name)...)
		l.jsonRows(command("score", "-q", "--output-format", "jsonl", "m0.nbm", name)...)
		l.jsonRows(command("explain", "--json", "m0.nbm", name)...)
		l.jsonRows(command("audit", "-q", "--json", "--by", "label", "--score-field", "id", name)...)
		switch m.IntN(4) { // each option that names documents; some are in another format than those of the laboratory
		case 0:
			l.outputs("train", "-q", "--bits", "10", "--valid", name, "-o", "out", "text.tsv")
		case 1:
		case 2:
			l.jsonRows(command("cv", "--json", "-q", "--bits", "10", "--folds", "2", name)...)
		default:
			l.outputs("tune", "-q", "--trials", "1", "--valid", name, "-o", "out", "text.tsv")
		}
		os.Remove(l.in("out"))
	})
	os.Remove(l.in(name))
	return data, accepted
}

// outputFolder changes a record in folders of outputs, and fills these again. No output changes by it.
func (l *laboratory) outputFolder(m mutator) (data []byte, accepted bool) {
	l.t.Helper()
	of := choice(m, l.folders)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(of.files)), func(name string) bool { return filepath.Base(name) != outdir.RecordName })
	changed := choice(m, names)
	data = m.json([]byte(of.files[changed]))
	files := maps.Clone(of.files)
	files[changed] = string(data)
	for name, data := range files {
		must.OK(l.t, os.MkdirAll(filepath.Dir(l.in(name)), 0o700))
		l.write(name, []byte(data))
	}
	l.bounded(len(data), func() {
		accepted = l.named(".dir", of.command...) == exitDone
	})
	for name, data := range l.takeFolders() {
		if name != changed && filepath.Base(name) != outdir.RecordName && data != of.files[name] {
			l.fault("%s has changed, or is new", name)
		}
		delete(files, name)
	}
	if len(files) > 0 {
		l.fault("gone are %v", slices.Collect(maps.Keys(files)))
	}
	return data, accepted
}
