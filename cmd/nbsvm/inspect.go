package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/tag"
)

type inspectCmd struct {
	File string `file:"in" arg:"" help:"A model or a packed corpus."`
}

func (i *inspectCmd) Run(c *call) error {
	corpus, tags, err := corpusOrTags(i.File)
	switch {
	case err != nil:
		return err
	case corpus:
		return inspectPacked(c, i.File)
	case tags:
		return inspectTags(c, i.File)
	}
	return inspectModel(c, i.File)
}

// corpusOrTags reports whether a file is a packed corpus or a model of tags; else it should be a model.
func corpusOrTags(path string) (corpus, tags bool, err error) {
	if corpus, err = packed.Is(path); err == nil && !corpus {
		tags, err = tag.IsModel(path)
	}
	return corpus, tags, err
}

// inspectModel describes a model and how it was made.
func inspectModel(c *call, path string) error {
	classifier, err := score.Open(path)
	if err != nil {
		return err
	}
	defer classifier.Close()
	sections, err := score.Verify(path)
	if err != nil {
		return err
	}
	m, report := classifier.Model(), new(nbsvm.Report)
	if err := json.Unmarshal(m.Meta.Made, report); err != nil {
		return fmt.Errorf("%s: the model's record of its training can't be read: %w", path, err)
	}
	for k, label := range classifier.Labels() { // the record, being JSON, may not have them byte by byte
		if k < len(report.Classes) {
			report.Classes[k].Label = label
		}
	}
	if c.JSON {
		meta := m.Meta
		meta.Made = nil
		return printJSON(c.out, struct {
			model.Meta
			Outputs  int                   `json:"outputs"`
			Universe uint64                `json:"universe"`
			Rows     int                   `json:"rows"`
			Bits     int                   `json:"bits"`
			Names    int                   `json:"names"`
			Voting   *score.NeighbourFacts `json:"voting,omitempty"`
			Made     *nbsvm.Report         `json:"made"`
			Sections []model.Section       `json:"sections"`
		}{meta, m.Outputs, m.Universe, m.Keys.Size(), m.Bits(), len(m.Names), classifier.Neighbours(), report, sections})
	}
	if err := facts.OfModel(classifier, report).WriteText(c.out); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "\nsection\tbytes\tCRC-32C\n")
	for _, s := range sections {
		fmt.Fprintf(tw, "%s\t%s\t%08x\n", s.Name, display.Count(s.Length), s.Stored)
	}
	return tw.Flush()
}

// inspectPacked describes a packed corpus.
func inspectPacked(c *call, path string) error {
	info, err := packed.Inspect(path)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.out, info)
	}
	var known facts.List
	known.Add("corpus", "packed by nbsvm %s; CRC-32C %s", display.Label(info.Version), info.Checksum)
	if t := info.Text; t == nil {
		known.Add("text", "none: ready-made features (SVMlight)")
	} else {
		known.Add("text", "%s; seed %d; fingerprint %s", facts.Text(t), t.Seed, info.Fingerprint)
		known.Add("values", "counts %s; min-df %d; names of n-grams %s", display.OnOff(info.Counts), info.MinDF,
			display.OnOff(info.Named))
	}
	known = append(known, packedFacts(&info.Report)...)
	known.Add("labels", "several per document: %s; weights %s", display.OnOff(info.MultiLabel),
		display.OnOff(info.Weighted))
	rows := info.Size
	for _, s := range info.Sections {
		rows = min(rows, s.Offset)
	}
	known.Add("size", "%s, %.2f bytes per non-zero", display.Bytes(info.Size),
		float64(info.Size)/float64(max(info.NonZeros, 1)))
	if err := known.WriteText(c.out); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "\nsection\tbytes\tCRC-32C\n")
	fmt.Fprintf(tw, "%s of rows\t%s\t\n", display.Some(info.Blocks, "block"), display.Count(rows))
	for _, s := range info.Sections {
		fmt.Fprintf(tw, "%s\t%s\t%08x\n", s.Name, display.Count(s.Length), s.CRC)
	}
	return tw.Flush()
}

// openClassifier opens a model. If the model is of tags, the error names the command that takes these instead.
func openClassifier(path, instead string) (*nbsvm.Classifier, error) {
	c, err := nbsvm.Open(path)
	if errors.Is(err, nbsvm.ErrNotModel) {
		switch tags, unread := tag.IsModel(path); {
		case unread != nil:
			err = unread
		case tags:
			err = fmt.Errorf("nbsvm: %s is a model of tags: use nbsvm %s", path, instead)
		}
	}
	return c, err
}

// inspectTags describes a tagging model.
func inspectTags(c *call, path string) error {
	m, err := tag.Open(path)
	if err != nil {
		return err
	}
	defer m.Close()
	if c.JSON {
		return printJSON(c.out, m.Meta)
	}
	tags := make([]string, len(m.Tags))
	for k, name := range m.Tags {
		tags[k] = display.Label(name)
	}
	var known facts.List
	t := m.Training
	known.Add("model", "tagging %s, scheme %s", m.Kind, m.Scheme)
	known.Add("input", "format %s; words in column %d, tags in column %d", m.Input.Format, m.Input.WordColumn,
		m.Input.Column)
	known.Add("training", "%s of %s; %s", display.Some(t.Sentences, "sentence"), display.Some(t.Words, "word"),
		t.Settings())
	known.Add("features", "%s in at least %s", display.Count(int64(m.Features)), display.Some(t.MinCount, "word"))
	known.Add("templates", "%s", m.Templates)
	known.Add(fmt.Sprintf("%d tags", len(tags)), "%s", strings.Join(tags, " "))
	return known.WriteText(c.out)
}
