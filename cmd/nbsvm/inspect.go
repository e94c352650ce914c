package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/packed"
)

type inspectCmd struct {
	Files []string `file:"in" arg:"" name:"file" help:"Model file, or packed corpus; or several corpora that are parts of one."`
}

func (i *inspectCmd) Run(c *call) error {
	if len(i.Files) > 1 {
		return i.parts(c)
	}
	path := i.Files[0]
	if packed.Is(path) {
		return inspectPacked(c, path)
	}
	if isTagModel(path) {
		return inspectTags(c, path)
	}
	return inspectModel(c, path)
}

// inspectModel tells what a model is and how it was made.
func inspectModel(c *call, path string) error {
	classifier, err := score.Open(path)
	if err != nil {
		return err
	}
	defer classifier.Close()
	sections, err := nbsvm.VerifyModel(path)
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
	if m.Meta.FastText != nil && !c.JSON {
		tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		writeFastText(tw, classifier)
		writeSections(tw, sections)
		return tw.Flush()
	}
	voting, err := classifier.Neighbours()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
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
			Sections []nbsvm.ModelSection  `json:"sections"`
		}{meta, m.Outputs, m.Universe, m.IDs.Size, m.Bits(), len(m.Names), voting, report, sections})
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "model\t%s, %s, scores are %s; made by nbsvm %s\n", printable.Label(string(report.Options.Kind)), printable.Label(m.Meta.Task), cmp.Or(scoreKinds[m.Meta.Link], "probabilities"), printable.Label(m.Meta.Version))
	if classifier.TakesFeatures() {
		fmt.Fprintf(tw, "input\tready-made features (SVMlight), numbers below %s\n", wording.Count(int64(m.Universe)))
	} else {
		t := m.Meta.Text
		fmt.Fprintf(tw, "text\t%s, 2^%d buckets; lowercase %s, punctuation %s, strip HTML %s\n",
			describeFamilies(t), t.Bits, wording.OnOff(t.Lowercase), wording.OnOff(t.Punctuation), wording.OnOff(t.StripHTML))
	}
	if in := m.Meta.Input; in != (corpus.Reading{}) {
		fmt.Fprintf(tw, "read\t%s\n", describeReading(in))
	}
	if paths := classifier.DescribePaths(); paths != "" {
		fmt.Fprintf(tw, "paths\t%s\n", paths)
	}
	o := report.Options
	fmt.Fprintf(tw, "values\t%s; sublinear %s, prenormalize %s, normalize %s; min-df %d, max-df %g\n",
		printable.Label(string(m.Meta.Values)), wording.OnOff(m.Meta.SublinearTF), wording.OnOff(m.Meta.Prenormalize), wording.OnOff(m.Meta.Normalize), o.MinDF, o.MaxDF)
	fmt.Fprintf(tw, "training\t%s\n", o.Settings())
	if trees := classifier.Trees(); trees != "" {
		fmt.Fprintf(tw, "trees\t%s\n", trees)
	}
	if voting != nil {
		fmt.Fprintf(tw, "neighbours\t%s\n", voting)
		fmt.Fprintf(tw, "index\t%s and %s of documents, made in memory for scoring: %s\n", wording.Some(voting.Columns, "column"), wording.Some(voting.Lists, "list"), wording.Bytes(voting.Index))
	}
	writeReport(tw, report, classifier.TakesFeatures())
	if !classifier.TakesFeatures() {
		fmt.Fprintf(tw, "names\tof %s\n", wording.Some(len(m.Names), "n-gram"))
	}
	if m.Rule == nil {
		fmt.Fprintf(tw, "numbers\t%d bits a weight\n", m.Bits())
	}
	writeTree(tw, classifier, report.Classes)
	writeSections(tw, sections)
	return tw.Flush()
}

func writeSections(tw *tabwriter.Writer, sections []nbsvm.ModelSection) {
	fmt.Fprint(tw, "\nsection\tbytes\tCRC-32C\n")
	for _, s := range sections {
		fmt.Fprintf(tw, "%s\t%s\t%08x\n", s.Name, wording.Count(s.Length), s.Stored)
	}
}

// describeReading is what was said of how training documents are read.
func describeReading(in corpus.Reading) string {
	var parts []string
	add := func(what, value string) {
		if value != "" {
			parts = append(parts, what+" "+printable.Label(value))
		}
	}
	add("format", string(in.Format))
	add("text field", in.TextField)
	add("label field", in.LabelField)
	add("weight field", in.WeightField)
	if fields := string(in.FieldsOf); fields != string(in.Format) {
		add("fields of", fields)
	}
	add("header", in.Header)
	add("columns separated by", strings.ReplaceAll(in.Delimiter, "\t", "tab"))
	add("labels joined by", in.LabelSep)
	return strings.Join(parts, ", ")
}

// scoreKinds are what links make scores be.
var scoreKinds = map[string]string{"margin": "margins", "platt": "calibrated probabilities", "temperature": "calibrated probabilities"}

// describeFamilies says what n-grams are the features of texts.
func describeFamilies(o hashing.Options) string {
	var all []string
	for _, f := range o.Families() {
		all = append(all, fmt.Sprintf("%s tokens, %d-%d-grams", f.Tokenizer, f.NgramLo, f.NgramHi))
	}
	return strings.Join(all, "; ")
}
