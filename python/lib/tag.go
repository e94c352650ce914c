package main

// #include "nbsvm.h"
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/cgo"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/tag"
)

// tagging says what a job does with sentences.
type tagging struct {
	facts.Tag             // of training; Threads is also that of the others
	Paths      []string   `json:"paths"`
	Text       string     `json:"text"` // of sentences in CoNLL columns, if there are no paths
	Format     tag.Format `json:"format"`
	Column     int        `json:"column"`
	WordColumn int        `json:"word_column"`
	Marginals  bool       `json:"marginals"`
	Output     string     `json:"output"` // the file to write tagged sentences to
}

func (tagging) does(job string) bool { return strings.HasPrefix(job, "tag ") }

// open opens the sentences. They are read like those of a model unless the request says otherwise.
func (t *tagging) open(like tag.Reading, tagged bool) (*tag.Reader, error) {
	asked := tag.Reading{Format: t.Format, Column: t.Column, WordColumn: t.WordColumn}
	in := tag.Input{Paths: t.Paths, Like: like, Untagged: !tagged, Reading: asked}
	if len(t.Paths) == 0 {
		in.Stdin = strings.NewReader(t.Text)
	}
	return tag.NewReader(in)
}

// tag does a job with sentences.
func (j *job) tag(ctx context.Context, r *request) error {
	t := &r.Tagging
	if r.Do == "tag train" {
		return j.trainTagger(ctx, t)
	}
	m, ok := cgo.Handle(r.Model).Value().(*tag.Model)
	if !ok {
		return fmt.Errorf("nbsvm: %s needs a model of tags", r.Do)
	}
	reader, err := t.open(m.Input, r.Do == "tag evaluate")
	if err != nil {
		return err
	}
	defer reader.Close()
	switch r.Do {
	case "tag evaluate":
		j.result, err = m.Evaluate(ctx, reader, t.Threads)
		return err
	case "tag score":
		return osfile.WriteFile(t.Output, func(w io.Writer) error { return m.Score(ctx, reader, w, t.Threads) })
	case "tag describe":
		var lines bytes.Buffer
		if err := m.Describe(ctx, reader, &lines, t.Threads, t.Marginals); err != nil {
			return err
		}
		list := bytes.Split(bytes.TrimSuffix(lines.Bytes(), []byte("\n")), []byte("\n"))
		j.result = json.RawMessage("[" + string(bytes.Join(list, []byte(","))) + "]")
		return nil
	}
	return fmt.Errorf("nbsvm: unknown job %q", r.Do)
}

func (j *job) trainTagger(ctx context.Context, t *tagging) error {
	o, err := t.Options()
	if err != nil {
		return err
	}
	reader, err := t.open(tag.Reading{}, true)
	if err != nil {
		return err
	}
	defer reader.Close()
	o.Progress = func(e tag.Epoch) {
		j.show(corpus.Progress{Stage: "train", Done: int64(e.Number), Total: int64(o.Epochs), Unit: "epochs"})
	}
	o.Solved = func(tags, of int) {
		j.show(corpus.Progress{Stage: "train", Done: int64(tags), Total: int64(of), Unit: "tags"})
	}
	m, err := tag.Train(ctx, reader, o)
	if err == nil {
		j.model = m
	}
	return err
}
