package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/dataset"
)

// packed tells what a packed corpus holds.
func (i *inspectCmd) packed(c *call) error {
	info, err := dataset.Inspect(i.File)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.out, info)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "corpus\tpacked by nbsvm %s; CRC-32C %s\n", info.Version, info.Checksum)
	if t := info.Text; t != nil {
		fmt.Fprintf(tw, "text\t%s tokens, %d-%d-grams; lowercase %s, punctuation %s, strip HTML %s; seed %d; fingerprint %s\n",
			t.Tokenizer, t.NgramLo, t.NgramHi, onOff(t.Lowercase), onOff(t.Punctuation), onOff(t.StripHTML), t.Seed, info.Fingerprint)
		fmt.Fprintf(tw, "values\tcounts %s; min-df %d; names of n-grams %s\n", onOff(info.Counts), info.MinDF, onOff(info.Named))
	} else {
		fmt.Fprintf(tw, "text\tnone: ready-made features (SVMlight)\n")
	}
	writePacked(tw, &info.Report)
	fmt.Fprintf(tw, "labels\tany number a document %s; weights %s\n", onOff(info.MultiLabel), onOff(info.Weighted))
	rows := info.Size
	for _, s := range info.Sections {
		rows = min(rows, s.Offset)
	}
	fmt.Fprintf(tw, "size\t%s, %.2f bytes a non-zero\n", byteSize(info.Size), float64(info.Size)/float64(max(info.NonZeros, 1)))
	fmt.Fprint(tw, "\nsection\tbytes\tCRC-32C\n")
	fmt.Fprintf(tw, "%s blocks of rows\t%s\t\n", count(int64(info.Blocks)), count(rows))
	for _, s := range info.Sections {
		fmt.Fprintf(tw, "%s\t%s\t%08x\n", s.Name, count(s.Length), s.CRC)
	}
	return tw.Flush()
}

// packed checks a packed corpus.
func (v *verifyCmd) packed(c *call) error {
	err := dataset.Verify(c.ctx, v.File)
	if c.JSON {
		return printVerdict(c, err, nil)
	}
	if err != nil || c.Quiet {
		return err
	}
	info, err := dataset.Inspect(v.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s: %s blocks of rows and %d sections are good\n", v.File, count(int64(info.Blocks)), len(info.Sections))
	return nil
}
