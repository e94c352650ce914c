package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/tag"
)

// isTagModel tells whether a file begins as models of tags do.
func isTagModel(path string) bool { return tag.Is(head(path, 8)) }

// inspectTags tells what a model of tags holds.
func inspectTags(c *call, path string) error {
	m, err := tag.OpenModel(path)
	if err != nil {
		return err
	}
	defer m.Close()
	if c.JSON {
		return printJSON(c.out, m.Meta)
	}
	tags := make([]string, len(m.Tags))
	for k, name := range m.Tags {
		tags[k] = printable.Label(name)
	}
	list := func(tw *tabwriter.Writer, what, text string) {
		for k, line := range fold(text, 100) {
			if k > 0 {
				what = ""
			}
			fmt.Fprintf(tw, "%s\t%s\n", what, line)
		}
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "model\t%s of tags, scheme %s\n", m.Kind, m.Scheme)
	fmt.Fprintf(tw, "input\tformat %s; words in column %d, tags in column %d\n", m.Input.Format, m.Input.WordColumn, m.Input.Column)
	t := m.Training
	fmt.Fprintf(tw, "training\t%s of %s; %s\n", wording.Some(t.Sentences, "sentence"), wording.Some(t.Words, "word"), trainingOf(t))
	fmt.Fprintf(tw, "features\t%s in at least %s\n", wording.Count(int64(m.Features)), wording.Some(t.MinCount, "word"))
	list(tw, "templates", m.Templates)
	list(tw, fmt.Sprintf("%d tags", len(tags)), strings.Join(tags, " "))
	return tw.Flush()
}

// trainingOf says with what a model of tags was trained.
func trainingOf(t tag.Training) string {
	var parts []string
	if t.Learner != "" {
		parts = append(parts, "learner "+string(t.Learner))
	}
	if t.C > 0 {
		parts = append(parts, fmt.Sprintf("C %g", t.C))
	}
	if t.L2 > 0 {
		parts = append(parts, fmt.Sprintf("l2 %g", t.L2))
	}
	if t.Epochs > 0 {
		parts = append(parts, wording.Some(t.Epochs, "epoch"))
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", t.Seed)), ", ")
}

// tags checks a model of tags.
func (v *verifyCmd) tags(c *call) error {
	m, err := tag.OpenModel(v.File)
	if err == nil {
		err = m.Close()
	}
	if c.JSON {
		return printVerdict(c, err, nil)
	}
	if err != nil || c.Quiet {
		return err
	}
	if info, statErr := os.Stat(v.File); statErr == nil {
		fmt.Fprintf(c.out, "%s is good: %s\n", printable.Label(v.File), wording.Bytes(info.Size()))
	}
	return nil
}
