package nbsvm

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/learn"
)

// Review lists what looks wrong in a training set. Set Options.Review, and [Train] fills it in.
type Review struct {
	// Warnings are about classes with few documents, labels that differ little, n-grams that give the label away,
	// empty texts, and equal texts with different labels.
	Warnings []Warning `json:"warnings"`
	// Notes say what could not be checked, and why.
	Notes []string `json:"notes,omitempty"`

	seed  maphash.Seed
	texts map[uint64]struct{} // hashes of all texts; nil if there are none
}

// Warning describes one problem of a training set.
type Warning struct {
	// Kind is few-documents, similar-labels, leakage, empty-texts, contradictions or seen-in-training.
	Kind string `json:"kind"`
	// Message describes the problem in a sentence.
	Message string `json:"message"`
	// Count is the number of documents or classes concerned.
	Count int `json:"count"`
	// Labels are the labels concerned, or some of them if there are many.
	Labels []string `json:"labels,omitempty"`
	// Ngram is the n-gram concerned, if any.
	Ngram string `json:"ngram,omitempty"`
	// Examples are positions in files, or the beginnings of texts.
	Examples []string `json:"examples,omitempty"`
}

// The limits of warnings.
const (
	fewDocuments   = 10   // of a class
	leakDocuments  = 20   // that a class must have, and all others together
	leakWithin     = 0.98 // share of the class that has the n-gram
	leakOutside    = 0.02 // documents of others that have it, to those of the class
	reviewExamples = 5
)

// look looks at a training set before its rows are used up.
func (r *Review) look(ctx context.Context, ds *dataset.Dataset, p *learn.Params) error {
	*r = Review{Warnings: []Warning{}, seed: maphash.MakeSeed()}
	if err := ds.Classes.List(ctx); err != nil {
		return err
	}
	r.labels(ds)
	families := p.Meta.Text.Families.List()
	if families[0].Tokenizer.Characters() || len(families) > 1 && !ds.Rows.Named() && !ds.HasTexts() {
		r.Notes = append(r.Notes,
			"Character n-grams were not checked for leakage: in many languages a single one can identify a class.")
	} else if err := r.leakage(ctx, ds, p); err != nil {
		return err
	}
	if !ds.HasTexts() {
		r.Notes = append(r.Notes, "Texts were not checked for duplicates and for being empty: packed corpora, SVMlight files and trainings with limited memory keep none.")
		return nil
	}
	return r.compareTexts(ctx, ds, p)
}

func (r *Review) add(kind string, n int, labels, examples []string, format string, of ...any) {
	r.Warnings = append(r.Warnings, Warning{
		Kind: kind, Message: fmt.Sprintf(format, of...), Count: n, Labels: some(labels), Examples: some(examples),
	})
}

func some(all []string) []string { return all[:min(len(all), reviewExamples)] }

// labels looks for rare ones, and those that are likely to mean the same.
func (r *Review) labels(ds *dataset.Dataset) {
	var few []string
	for k, label := range ds.Classes.Labels {
		if n := ds.Classes.Sets[k].GetCardinality(); n < fewDocuments {
			few = append(few, label)
		}
	}
	if len(few) > 0 {
		r.add("few-documents", len(few), few, nil,
			"%d of %d classes have fewer than %d documents: too few to learn them, or to measure the result", len(few),
			len(ds.Classes.Labels), fewDocuments)
	}
	for _, found := range doubt.Labels(ds.Classes.Labels, nil) {
		r.add(found.Kind, len(found.Labels), found.Labels, nil, "The training set %s", found.Message)
	}
	for _, same := range dataset.Alike(ds.Classes.Labels) {
		r.add("similar-labels", len(same), same, nil, "the labels %s differ only by case, white space, invisible characters, Unicode form or how a number is written: are they one class?", quoted(same))
	}
}

func quoted(labels []string) string { return display.Excerpts(some(labels)) }

// suspect is a column that nearly all documents of a class have.
type suspect struct {
	class           int
	column          uint32
	inside, outside int
}

// leakage looks for columns that nearly all documents of a class have, and hardly any other. What can be one of a
// class has about as many documents as the class: columns are numbered by falling numbers, so that it is in a range.
func (r *Review) leakage(ctx context.Context, ds *dataset.Dataset, p *learn.Params) error {
	var frequencies []int
	if err := ds.Rows.EachColumn(func(_ uint32, _, n uint64) { frequencies = append(frequencies, int(n)) }); err != nil {
		return err
	}
	// first is the first column of at most n documents.
	first := func(n float64) int {
		return sort.Search(len(frequencies), func(k int) bool { return float64(frequencies[k]) <= n })
	}
	counts, from := make([][]int32, len(ds.Classes.Labels)), make([]int, len(ds.Classes.Labels))
	for k, set := range ds.Classes.Sets {
		n := float64(set.GetCardinality())
		if n < leakDocuments || float64(ds.Documents)-n < leakDocuments {
			continue
		}
		from[k] = first(math.Floor(n + float64(leakOutside*n)))
		counts[k] = make([]int32, max(0, first(math.Ceil(leakWithin*n)-1)-from[k]))
	}
	documents := ds.All()
	err := ds.EachRow(ctx, documents, func(doc int, columns []uint32) {
		for _, k := range ds.Classes.LabelsOf(doc) {
			in := counts[k]
			if len(in) == 0 {
				continue
			}
			at, _ := slices.BinarySearch(columns, uint32(from[k]))
			for _, j := range columns[at:] {
				if int(j)-from[k] >= len(in) {
					break
				}
				in[int(j)-from[k]]++
			}
		}
	})
	if err != nil {
		return err
	}
	most := 1 // of a class
	if families := p.Meta.Text.Families.List(); len(families) > 1 {
		most = 128 // the parts of a word are in the same documents
	}
	var found []suspect
	for k, in := range counts {
		n := int(ds.Classes.Sets[k].GetCardinality())
		var some []suspect
		for i, inside := range in {
			s := suspect{k, uint32(from[k] + i), int(inside), frequencies[from[k]+i] - int(inside)}
			if float64(s.inside) >= leakWithin*float64(n) && float64(s.outside) <= leakOutside*float64(s.inside) {
				some = append(some, s)
			}
		}
		slices.SortStableFunc(some,
			func(a, b suspect) int { return cmp.Compare(b.inside-b.outside, a.inside-a.outside) })
		found = append(found, some[:min(len(some), most)]...)
	}
	names, err := suspectNames(ctx, ds, found, p)
	if err != nil {
		return err
	}
	found = firstWords(found, names, p.Meta.Text.Families.List()[1:])
	for _, s := range found {
		label, n := ds.Classes.Labels[s.class], int(ds.Classes.Sets[s.class].GetCardinality())
		name := names[s.column]
		r.add("leakage", s.inside, []string{label}, nil, "%s is in %d of the %d documents of class %q and in %d of the %d others: it identifies the class by itself. Will it also do so in new documents?",
			cmp.Or(name, "one n-gram, whose text is not kept,"), s.inside, n, label, s.outside, ds.Documents-n)
		r.Warnings[len(r.Warnings)-1].Ngram = name
	}
	return nil
}

// firstWords returns the first suspect of each class that is no part of a word: whose name has no prefix of the other
// families.
func firstWords(found []suspect, names map[uint32]string, others []hashing.Family) (firsts []suspect) {
	for _, s := range found {
		isPart := slices.ContainsFunc(others, func(f hashing.Family) bool {
			return strings.HasPrefix(names[s.column], `"`+f.Tokenizer.String()+":")
		})
		if !isPart && (len(firsts) == 0 || firsts[len(firsts)-1].class != s.class) {
			firsts = append(firsts, s)
		}
	}
	return firsts
}

// suspectNames returns the names of columns that have one.
func suspectNames(ctx context.Context, ds *dataset.Dataset, found []suspect, p *learn.Params) (map[uint32]string, error) {
	names, own, document := map[uint32]string{}, map[uint32]uint64{}, map[uint64]int{}
	if len(found) == 0 {
		return names, nil
	}
	keys, err := ds.Rows.Keys()
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		if own[s.column] = keys[s.column]; ds.Ready() {
			names[s.column] = fmt.Sprintf("feature %d", keys[s.column])
		}
	}
	if ds.Ready() || !ds.Rows.Named() && !ds.HasTexts() {
		return names, nil
	}
	err = ds.EachRow(ctx, ds.All(), func(doc int, columns []uint32) {
		for column, key := range own {
			if _, seen := document[key]; seen {
				continue
			}
			if _, ok := slices.BinarySearch(columns, column); ok {
				document[key] = doc
			}
		}
	})
	if err != nil {
		return nil, err
	}
	texts, err := learn.Spell(ctx, ds, func(key uint64) bool { _, ok := document[key]; return ok }, document, p)
	for column, key := range own {
		if text, ok := texts[key]; ok {
			names[column] = strconv.Quote(text)
		}
	}
	return names, err
}

// compareTexts looks for empty texts, and for the same ones of different labels.
func (r *Review) compareTexts(ctx context.Context, ds *dataset.Dataset, p *learn.Params) error {
	hashes := make([]uint64, ds.Documents)
	empty := make([]bool, ds.Documents)
	err := ds.EachText(ctx, ds.All(), p.Threads, func(_, doc int, text []byte) {
		hashes[doc] = r.hash(text)
		empty[doc] = wordless(text)
	})
	if err != nil {
		return err
	}
	r.texts = make(map[uint64]struct{}, len(hashes))
	first := make(map[uint64]int32, len(hashes))
	wordlessOnes := roaring.New()                  // the first of them
	empties, contradictory := 0, map[uint64]bool{} // hashes of texts with different labels
	for doc, hash := range hashes {
		if empty[doc] {
			if empties++; empties <= reviewExamples {
				wordlessOnes.Add(uint32(doc))
			}
			continue
		}
		r.texts[hash] = struct{}{}
		before, again := first[hash]
		if !again {
			first[hash] = int32(doc)
		} else if !slices.Equal(sortedLabels(ds, int(before)), sortedLabels(ds, doc)) {
			contradictory[hash] = true
		}
	}
	if ds.Meta.Invalid > 0 {
		n := int(min(ds.Meta.Invalid, math.MaxInt32))
		r.add("invalid-text", n, nil, nil, "%s", doubt.InvalidNote(ds.Meta.Invalid))
	}
	if empties > 0 {
		var examples []string
		if err := ds.EachText(ctx, wordlessOnes, 1, func(_, _ int, text []byte) { examples = append(examples, beginning(text)) }); err != nil {
			return err
		}
		r.add("empty-texts", empties, nil, examples,
			"%d of %d documents have neither a letter nor a digit: is this the right field?", empties, ds.Documents)
	}
	n, shown := 0, roaring.New()
	for doc, hash := range hashes {
		if empty[doc] || !contradictory[hash] {
			continue
		}
		if n++; first[hash] == int32(doc) && shown.GetCardinality() < reviewExamples {
			shown.Add(uint32(doc))
		}
	}
	if n > 0 {
		var examples []string
		err = ds.EachText(ctx, shown, 1, func(_, _ int, text []byte) { examples = append(examples, beginning(text)) })
		r.add("contradictions", n, nil, examples, "%d of %d documents have the same text as another document with other labels: no model can get all of them right", n, ds.Documents)
	}
	return err
}

func sortedLabels(ds *dataset.Dataset, doc int) []int32 {
	return slices.Sorted(slices.Values(ds.Classes.LabelsOf(doc)))
}

// hash returns the hash of a text without the white space around it.
func (r *Review) hash(text []byte) uint64 { return maphash.Bytes(r.seed, bytes.TrimSpace(text)) }

// wordless tells texts without a letter or a digit.
func wordless(text []byte) bool {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if unicode.IsLetter(c) || unicode.IsDigit(c) || c == utf8.RuneError && size == 1 {
			return false
		}
		text = text[size:]
	}
	return true
}

// beginning returns a text, shortened.
func beginning(text []byte) string {
	const most = 60
	if utf8.RuneCount(text) <= most {
		return string(text)
	}
	return string([]rune(string(text[:min(len(text), 4*most)]))[:most]) + "…"
}

// Validate reads further documents, such as a test set, and adds a warning if some of them are in the training set.
// Call it after Train.
func (r *Review) Validate(ctx context.Context, in corpus.Input) error {
	if r.texts == nil {
		return nil
	}
	reader, err := corpus.Open(in)
	if err != nil {
		return err
	}
	defer reader.Close()
	defer context.AfterFunc(ctx, reader.Interrupt)()
	seen, all := 0, 0
	var examples []string
	for d, err := range reader.Documents() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if d.Err != nil {
			continue
		}
		all++
		if _, ok := r.texts[r.hash(d.Text)]; ok {
			if seen++; len(examples) < reviewExamples {
				examples = append(examples, fmt.Sprintf("line %d: %s", d.Line, beginning(d.Text)))
			}
		}
	}
	if seen > 0 {
		r.add("seen-in-training", seen, nil, examples,
			"%d of %d validation documents are in the training set with the same text: they measure memorization", seen,
			all)
	}
	return nil
}

// WriteText writes the warnings and notes for people to read.
func (r *Review) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	if len(r.Warnings) == 0 {
		fmt.Fprintln(b, "No problems were found.")
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(b, "%s: %s\n", warning.Kind, warning.Message)
		for _, example := range warning.Examples {
			fmt.Fprintf(b, "  %q\n", example)
		}
		if warning.Kind == "few-documents" {
			fmt.Fprintf(b, "  %s\n", quoted(warning.Labels))
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintln(b, note)
	}
	return b.Flush()
}
