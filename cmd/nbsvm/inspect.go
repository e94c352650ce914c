package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/tag"
)

type inspectCmd struct {
	Files []string `file:"in" arg:"" name:"file" help:"A model, or one or more packed corpora."`
}

func (i *inspectCmd) Run(c *call) error {
	if len(i.Files) > 1 {
		return i.parts(c)
	}
	path := i.Files[0]
	if packed.Is(path) {
		return inspectPacked(c, path)
	}
	if tag.IsModel(path) {
		return inspectTags(c, path)
	}
	return inspectModel(c, path)
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
	if report.Solution != nil {
		report.Solution.StoredGap = m.Meta.StoredGap
	}
	for k, label := range classifier.Labels() { // the record, being JSON, may not have them byte by byte
		if k < len(report.Classes) {
			report.Classes[k].Label = label
		}
	}
	if facts := m.Meta.FastText; facts != nil && !c.JSON {
		tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		for _, line := range facts.Lines() {
			fmt.Fprintf(tw, "%s\t%s\n", line[0], line[1])
		}
		fmt.Fprintf(tw, "labels\t%s\n", display.Count(int64(len(classifier.Labels()))))
		writeSections(tw, sections)
		return tw.Flush()
	}
	voting := classifier.Neighbours()
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
		}{meta, m.Outputs, m.Universe, m.Keys.Size(), m.Bits(), len(m.Names), voting, report, sections})
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "model\t%s, %s, scores are %s; made by nbsvm %s\n", display.Label(string(report.Options.Kind)),
		display.Label(m.Meta.Task), cmp.Or(scoreKinds[m.Meta.Link], "probabilities"), display.Label(m.Meta.Version))
	if classifier.TakesFeatures() {
		fmt.Fprintf(tw, "input\tready-made features (SVMlight), numbers below %s\n", display.Count(int64(m.Universe)))
	} else {
		t := m.Meta.Text
		fmt.Fprintf(tw, "text\t%s, keys of %d bits; lowercase %s, punctuation %s, strip HTML %s\n",
			describeFamilies(t), t.Bits, display.OnOff(t.Lowercase), display.OnOff(t.Punctuation),
			display.OnOff(t.StripHTML))
	}
	if in := m.Meta.Input; in != (corpus.Reading{}) {
		fmt.Fprintf(tw, "read\t%s\n", describeReading(in))
	}
	if what, text := classifier.DescribeTree(); what != "" {
		fmt.Fprintf(tw, "%s\t%s\n", what, text)
	}
	o := report.Options
	fmt.Fprintf(tw, "values\t%s; prenormalize %s, normalize %s; min-df %d, max-df %g\n",
		display.Label(string(m.Meta.Values)), display.OnOff(m.Meta.Prenormalize), display.OnOff(m.Meta.Normalize),
		o.MinDF, o.MaxDF)
	fmt.Fprintf(tw, "training\t%s\n", o.Settings())
	if trees := classifier.Trees(); trees != "" {
		fmt.Fprintf(tw, "trees\t%s\n", trees)
	}
	if voting != nil {
		fmt.Fprintf(tw, "neighbours\t%s\n", voting)
	}
	writeReport(tw, report, classifier.TakesFeatures())
	if !classifier.TakesFeatures() {
		fmt.Fprintf(tw, "names\tof %s\n", display.Some(len(m.Names), "n-gram"))
	}
	if m.Rule == nil {
		fmt.Fprintf(tw, "numbers\t%d bits per weight\n", m.Bits())
	}
	writeTree(tw, classifier, report.Classes)
	writeSections(tw, sections)
	return tw.Flush()
}

func writeSections(tw *tabwriter.Writer, sections []model.Section) {
	fmt.Fprint(tw, "\nsection\tbytes\tCRC-32C\n")
	for _, s := range sections {
		fmt.Fprintf(tw, "%s\t%s\t%08x\n", s.Name, display.Count(s.Length), s.Stored)
	}
}

// describeReading returns what was said of how training documents are read.
func describeReading(in corpus.Reading) string {
	var parts []string
	add := func(what, value string) {
		if value != "" {
			parts = append(parts, what+" "+display.Label(value))
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
var scoreKinds = map[string]string{
	"margin": "margins", "platt": "calibrated probabilities", "temperature": "calibrated probabilities",
}

// describeFamilies returns what n-grams are the features of texts.
func describeFamilies(o hashing.Options) string {
	var all []string
	for _, f := range o.Families.List() {
		all = append(all, fmt.Sprintf("%s tokens, %d-%d-grams", f.Tokenizer, f.NgramLo, f.NgramHi))
	}
	return strings.Join(all, "; ")
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
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "corpus\tpacked by nbsvm %s; CRC-32C %s\n", display.Label(info.Version), info.Checksum)
	writePackedText(tw, info)
	writePacked(tw, &info.Report)
	fmt.Fprintf(tw, "labels\tseveral per document: %s; weights %s\n", display.OnOff(info.MultiLabel),
		display.OnOff(info.Weighted))
	rows := info.Size
	for _, s := range info.Sections {
		rows = min(rows, s.Offset)
	}
	writePackedSize(tw, info.Size, info.NonZeros)
	fmt.Fprint(tw, "\nsection\tbytes\tCRC-32C\n")
	fmt.Fprintf(tw, "%s of rows\t%s\t\n", display.Some(info.Blocks, "block"), display.Count(rows))
	for _, s := range info.Sections {
		fmt.Fprintf(tw, "%s\t%s\t%08x\n", s.Name, display.Count(s.Length), s.CRC)
	}
	return tw.Flush()
}

// parts describes several packed corpora, together and one by one.
func (i *inspectCmd) parts(c *call) error {
	whole, parts, err := packed.InspectParts(c.ctx, i.Files)
	if err != nil {
		_, unread := errors.AsType[*fs.PathError](err) // what it is, is not known then
		if other := slices.IndexFunc(i.Files, func(path string) bool { return !packed.Is(path) }); other >= 0 && !unread {
			return usageError{fmt.Errorf("inspect takes one model or several packed corpora, but %s is not a packed corpus: inspect it by itself", i.Files[other])}
		}
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
			Reasons    corpus.Reasons      `json:"bad_reasons,omitempty"`
			NonZeros   int64               `json:"non_zeros"`
			MultiLabel bool                `json:"multilabel"`
			Weighted   bool                `json:"weighted"`
			Size       int64               `json:"size"`
			Classes    []corpus.ClassCount `json:"classes"`
			Parts      []part              `json:"parts"`
		}{
			whole.Documents, whole.Bytes, whole.Invalid, whole.Bad, whole.Reasons, whole.NonZeros, multi, weighted, size,
			whole.Classes, all,
		})
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "corpus\t%d parts, which train, cv, tune and eval take as one\n", len(parts))
	writePackedText(tw, parts[0])
	writeInput(tw, whole.Documents, whole.Bytes, whole.Bad, whole.Reasons, whole.Classes)
	fmt.Fprintf(tw, "features\t%s non-zeros\n", display.Count(whole.NonZeros))
	fmt.Fprintf(tw, "labels\tseveral per document: %s; weights %s\n", display.OnOff(multi), display.OnOff(weighted))
	writePackedSize(tw, size, whole.NonZeros)
	fmt.Fprint(tw, "\npart\tdocuments\tclasses\tfeatures\tnon-zeros\tbytes\tCRC-32C\n")
	for _, of := range all {
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", display.Label(of.File), display.Count(of.Documents),
			len(of.Classes),
			display.Count(int64(of.Columns)), display.Count(of.NonZeros), display.Count(of.Size), of.Checksum)
	}
	return tw.Flush()
}

// writePackedText describes the features of a packed corpus.
func writePackedText(w io.Writer, info *packed.Info) {
	t := info.Text
	if t == nil {
		fmt.Fprintf(w, "text\tnone: ready-made features (SVMlight)\n")
		return
	}
	fmt.Fprintf(w, "text\t%s, keys of %d bits; lowercase %s, punctuation %s, strip HTML %s; seed %d; fingerprint %s\n",
		describeFamilies(*t), t.Bits,
		display.OnOff(t.Lowercase), display.OnOff(t.Punctuation), display.OnOff(t.StripHTML), t.Seed, info.Fingerprint)
	fmt.Fprintf(w, "values\tcounts %s; min-df %d; names of n-grams %s\n", display.OnOff(info.Counts), info.MinDF,
		display.OnOff(info.Named))
}

// writePackedSize writes the size of packed corpora.
func writePackedSize(w io.Writer, size, nonZeros int64) {
	fmt.Fprintf(w, "size\t%s, %.2f bytes per non-zero\n", display.Bytes(size), float64(size)/float64(max(nonZeros, 1)))
}

// shownNodes is how many nodes of a tree are listed.
const shownNodes = 100

// writeTree lists the nodes of labels that are paths: their depth, training documents of the very label, and of all
// that is below, too.
func writeTree(tw *tabwriter.Writer, c *score.Classifier, documents []corpus.ClassCount) {
	tree, labels := c.Paths(), c.Labels()
	if tree == nil || len(documents) != len(labels) {
		return
	}
	below := make([]uint64, len(labels))
	for k := len(labels) - 1; k >= 0; k-- {
		below[k] += documents[k].Documents
		if parent := tree.Parents[k]; parent >= 0 {
			below[parent] += below[k]
		}
	}
	fmt.Fprint(tw, "\nnode\tdepth\tdocuments\tand below\n")
	for k, label := range labels[:min(len(labels), shownNodes)] {
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\n", display.Label(label), tree.Depths[k],
			display.Count(int64(documents[k].Documents)), display.Count(int64(below[k])))
	}
	if more := len(labels) - shownNodes; more > 0 {
		fmt.Fprintf(tw, "… and %s more; --json lists all\t\t\t\n", display.Count(int64(more)))
	}
}

// openClassifier opens a model. If the model is of tags, the error names the command that takes these instead.
func openClassifier(path, instead string) (*nbsvm.Classifier, error) {
	c, err := nbsvm.Open(path)
	if errors.Is(err, nbsvm.ErrNotModel) && tag.IsModel(path) {
		err = fmt.Errorf("nbsvm: %s is a model of tags: use nbsvm %s", path, instead)
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
	list := func(tw *tabwriter.Writer, what, text string) {
		for k, line := range fold(text, 100) {
			if k > 0 {
				what = ""
			}
			fmt.Fprintf(tw, "%s\t%s\n", what, line)
		}
	}
	tw := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "model\ttagging %s, scheme %s\n", m.Kind, m.Scheme)
	fmt.Fprintf(tw, "input\tformat %s; words in column %d, tags in column %d\n", m.Input.Format, m.Input.WordColumn,
		m.Input.Column)
	t := m.Training
	fmt.Fprintf(tw, "training\t%s of %s; %s\n", display.Some(t.Sentences, "sentence"), display.Some(t.Words, "word"),
		t.Settings())
	fmt.Fprintf(tw, "features\t%s in at least %s\n", display.Count(int64(m.Features)), display.Some(t.MinCount, "word"))
	list(tw, "templates", m.Templates)
	list(tw, fmt.Sprintf("%d tags", len(tags)), strings.Join(tags, " "))
	return tw.Flush()
}
