package main

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/tag"
)

type verifyCmd struct {
	File string `file:"in" arg:"" help:"Model or packed corpus."`
}

func (v *verifyCmd) Help() string {
	return `Checks every checksum and number.

    nbsvm verify reviews.nbm`
}

func (v *verifyCmd) Run(c *call) error {
	verdict := struct {
		OK       bool             `json:"ok"`
		Error    string           `json:"error,omitempty"`
		Sections *[]model.Section `json:"sections,omitempty"` // of a model
	}{}
	var sections []model.Section
	corpus, tags, err := corpusOrTags(v.File)
	switch {
	case err != nil:
	case corpus:
		err = packed.Verify(c.ctx, v.File)
	case tags:
		var m *tag.Model
		if m, err = tag.Open(v.File); err == nil {
			err = m.Close()
		}
	default:
		sections, err = score.Verify(v.File)
		verdict.Sections = &sections
	}
	if verdict.OK = err == nil; err != nil {
		verdict.Error = facts.Plain(err.Error())
	}
	if c.JSON {
		return errors.Join(printJSON(c.out, &verdict), err)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range sections {
		state := "good"
		if !s.OK {
			state = fmt.Sprintf("DAMAGED: CRC-32C %08x, computed %08x", s.Stored, s.Computed)
		}
		fmt.Fprintf(tw, "%s\t%s bytes at %s\t%s\n", s.Name, display.Count(s.Length), display.Count(s.Offset), state)
	}
	if tw.Flush(); err != nil || c.Quiet {
		return err
	}
	info, err := os.Stat(v.File)
	if err == nil {
		fmt.Fprintf(c.out, "%s is good: %s\n", display.Label(v.File), display.Bytes(info.Size()))
	}
	return err
}
