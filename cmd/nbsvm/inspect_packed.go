package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/packed"
)

// inspectPacked tells what a packed corpus holds.
func inspectPacked(c *call, path string) error {
	info, err := packed.Inspect(path)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(c.out, info)
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "corpus\tpacked by nbsvm %s; CRC-32C %s\n", printable.Label(info.Version), info.Checksum)
	writePackedText(tw, info)
	writePacked(tw, &info.Report)
	fmt.Fprintf(tw, "labels\tany number a document %s; weights %s\n", wording.OnOff(info.MultiLabel), wording.OnOff(info.Weighted))
	rows := info.Size
	for _, s := range info.Sections {
		rows = min(rows, s.Offset)
	}
	writePackedSize(tw, info.Size, info.NonZeros)
	fmt.Fprint(tw, "\nsection\tbytes\tCRC-32C\n")
	fmt.Fprintf(tw, "%s of rows\t%s\t\n", wording.Some(info.Blocks, "block"), wording.Count(rows))
	for _, s := range info.Sections {
		fmt.Fprintf(tw, "%s\t%s\t%08x\n", s.Name, wording.Count(s.Length), s.CRC)
	}
	return tw.Flush()
}

// parts tells what packed corpora hold that train, cv and eval take as one, and what each of them does.
func (i *inspectCmd) parts(c *call) error {
	for _, path := range i.Files {
		if _, err := os.Stat(path); err != nil {
			return err
		}
		if !packed.Is(path) {
			return usageError{fmt.Errorf("inspect takes one model, or packed corpora that are parts of one; %s is no packed corpus: inspect it by itself", path)}
		}
	}
	whole, parts, err := packed.InspectParts(c.ctx, i.Files)
	if err != nil {
		return err
	}
	type part struct {
		File string `json:"file"`
		*packed.Info
	}
	all := make([]part, len(parts))
	size, multi, weighted := int64(0), false, false
	for k, info := range parts {
		all[k] = part{i.Files[k], info}
		size, multi, weighted = size+info.Size, multi || info.MultiLabel, weighted || info.Weighted
	}
	if c.JSON {
		return printJSON(c.out, struct {
			Documents  int64               `json:"documents"`
			Bytes      int64               `json:"bytes"`
			Invalid    int64               `json:"invalid"`
			Bad        int64               `json:"bad"`
			NonZeros   int64               `json:"non_zeros"`
			MultiLabel bool                `json:"multilabel"`
			Weighted   bool                `json:"weighted"`
			Size       int64               `json:"size"`
			Classes    []corpus.ClassCount `json:"classes"`
			Parts      []part              `json:"parts"`
		}{whole.Documents, whole.Bytes, whole.Invalid, whole.Bad, whole.NonZeros, multi, weighted, size, whole.Classes, all})
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "corpus\t%d parts, which train, cv, tune and eval take as one\n", len(parts))
	writePackedText(tw, parts[0])
	writeInput(tw, whole.Documents, whole.Bytes, whole.Bad, whole.Classes)
	fmt.Fprintf(tw, "features\t%s non-zeros\n", wording.Count(whole.NonZeros))
	fmt.Fprintf(tw, "labels\tany number a document %s; weights %s\n", wording.OnOff(multi), wording.OnOff(weighted))
	writePackedSize(tw, size, whole.NonZeros)
	fmt.Fprint(tw, "\npart\tdocuments\tclasses\tfeatures\tnon-zeros\tbytes\tCRC-32C\n")
	for _, of := range all {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", printable.Label(of.File), wording.Count(of.Documents), len(of.Classes),
			wording.Count(int64(of.Columns)), wording.Count(of.NonZeros), wording.Count(of.Size), of.Checksum)
	}
	return tw.Flush()
}

// writePackedText says what the features of a packed corpus are.
func writePackedText(w io.Writer, info *packed.Info) {
	t := info.Text
	if t == nil {
		fmt.Fprintf(w, "text\tnone: ready-made features (SVMlight)\n")
		return
	}
	fmt.Fprintf(w, "text\t%s; lowercase %s, punctuation %s, strip HTML %s; seed %d; fingerprint %s\n", describeFamilies(*t),
		wording.OnOff(t.Lowercase), wording.OnOff(t.Punctuation), wording.OnOff(t.StripHTML), t.Seed, info.Fingerprint)
	fmt.Fprintf(w, "values\tcounts %s; min-df %d; names of n-grams %s\n", wording.OnOff(info.Counts), info.MinDF, wording.OnOff(info.Named))
}

// writePackedSize says how large packed corpora are.
func writePackedSize(w io.Writer, size, nonZeros int64) {
	fmt.Fprintf(w, "size\t%s, %.2f bytes a non-zero\n", wording.Bytes(size), float64(size)/float64(max(nonZeros, 1)))
}
