package tag

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Report says how well tags were predicted.
type Report struct {
	Sentences        int     `json:"sentences"`
	Words            int     `json:"words"`
	Accuracy         float64 `json:"accuracy"`          // the share of words that are tagged right
	SentenceAccuracy float64 `json:"sentence_accuracy"` // the share of sentences without a mistake
	// F1, Chunks and PerChunk count chunks as conlleval does: a chunk is right if its kind and both its ends are. They
	// are nil if the tags do not mark chunks. Chunks is over all kinds, F1 its F1.
	F1       *float64           `json:"f1,omitempty"`
	Chunks   *Counts            `json:"chunks,omitempty"`
	PerChunk map[string]*Counts `json:"per_chunk,omitempty"`
	PerTag   map[string]*Counts `json:"per_tag"`

	right, whole int
}

// Counts are the counts and rates of a tag, or of a kind of chunk. A rate is 0 if nothing was counted.
type Counts struct {
	Gold      int     `json:"gold"` // in the files
	Predicted int     `json:"predicted"`
	Right     int     `json:"right"` // both
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// rates computes the shares.
func (c *Counts) rates() {
	c.Precision, c.Recall = share(c.Right, c.Predicted), share(c.Right, c.Gold)
	c.F1 = share(2*c.Right, c.Predicted+c.Gold)
}

// share returns a/b, and 0 where there is nothing.
func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func newReport() *Report {
	return &Report{PerTag: map[string]*Counts{}, Chunks: &Counts{}, PerChunk: map[string]*Counts{}}
}

// add counts the tags of a sentence.
func (r *Report) add(s *Sentence, predicted []string) {
	right, gold := 0, make([]string, len(s.Tags))
	for i, tag := range s.Tags {
		gold[i] = string(tag)
		g, p := counts(r.PerTag, gold[i]), counts(r.PerTag, predicted[i])
		g.Gold++
		p.Predicted++
		if g == p {
			g.Right++
			right++
		}
	}
	r.Sentences++
	r.Words += len(gold)
	r.right += right
	if right == len(gold) {
		r.whole++
	}
	wanted := chunksOf(gold)
	for c := range wanted {
		counts(r.PerChunk, c.kind).Gold++
	}
	for c := range chunksOf(predicted) {
		n := counts(r.PerChunk, c.kind)
		n.Predicted++
		if wanted[c] {
			n.Right++
		}
	}
}

func counts(m map[string]*Counts, name string) *Counts {
	c := m[name]
	if c == nil {
		c = &Counts{}
		m[name] = c
	}
	return c
}

// chunk is a chunk of a sentence, from a word up to another.
type chunk struct {
	from, to int
	kind     string
}

// chunksOf finds the chunks of a sentence as conlleval does, also where tags don't keep a scheme: a chunk begins with B
// or S, behind O, E or S, and where the kind changes.
func chunksOf(tags []string) map[chunk]bool {
	found, open := map[chunk]bool{}, chunk{from: -1}
	end := func(at int) {
		if open.from >= 0 {
			open.to = at
			found[open] = true
		}
		open.from = -1
	}
	before := "O"
	for i, tag := range tags {
		place, kind := splitTag(tag)
		switch {
		case place == "O":
			end(i)
		case place == "B" || place == "S" || before == "O" || before == "E" || before == "S" || kind != open.kind:
			end(i)
			open = chunk{from: i, kind: kind}
		}
		before = place
	}
	end(len(tags))
	return found
}

// finish computes the rates, and returns an error if there are none. Chunks are left out if the tags are not those of
// chunks.
func (r *Report) finish() error {
	if r.Sentences == 0 {
		return ErrNoSentences
	}
	r.Accuracy, r.SentenceAccuracy = share(r.right, r.Words), share(r.whole, r.Sentences)
	var gold []string
	for tag, c := range r.PerTag {
		if c.rates(); c.Gold > 0 {
			gold = append(gold, tag)
		}
	}
	if !chunks(gold) {
		r.Chunks, r.PerChunk, r.F1 = nil, nil, nil
		return nil
	}
	for _, c := range r.PerChunk {
		c.rates()
		r.Chunks.Gold += c.Gold
		r.Chunks.Predicted += c.Predicted
		r.Chunks.Right += c.Right
	}
	r.Chunks.rates()
	r.F1 = &r.Chunks.F1
	return nil
}

// WriteText writes the report as text: totals, and a table of chunks or tags, the most frequent first.
func (r *Report) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%d sentences, %d words\n", r.Sentences, r.Words)
	fmt.Fprintf(w, "accuracy %.4f, of whole sentences %.4f\n", r.Accuracy, r.SentenceAccuracy)
	parts, what := r.PerTag, "tag"
	if r.Chunks != nil {
		c := r.Chunks
		fmt.Fprintf(w, "chunks: precision %.4f, recall %.4f, F1 %.4f\n", c.Precision, c.Recall, c.F1)
		parts, what = r.PerChunk, "chunk"
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "\n%s\tgold\tpredicted\tright\tprecision\trecall\tF1\t\n", what)
	names := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
		if parts[a].Gold != parts[b].Gold {
			return parts[b].Gold - parts[a].Gold
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		c := parts[name]
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%.4f\t%.4f\t%.4f\t\n",
			display.Short(name, display.LabelWidth), c.Gold, c.Predicted, c.Right, c.Precision, c.Recall, c.F1)
	}
	return tw.Flush()
}
