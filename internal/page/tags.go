package page

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/tag"
)

// TagOptions say what a page of a model of tags shows.
type TagOptions struct {
	Path     string // the model's file, for the page's title and the model's size; "" for none
	Command  string // that makes the page again; "" for none
	Words    int    // how many of the most wrong and of the least sure words are shown
	Features int    // how many features are shown of every tag
	Threads  int    // 0 for all processors
}

// mostFollowing is of how many tags it is shown how they follow each other.
const mostFollowing = 60

// ofWords are the nouns of a model of tags.
var ofWords = nouns{"tag", "tags", "words", "feature", "features", true}

// follows is what it adds to a sentence's score that a tag follows another.
type follows struct {
	Labels []int        `json:"labels"`
	Left   int          `json:"left"`  // tags that are not shown
	Cells  [][3]float64 `json:"cells"` // two tags, -1 being the edge of a sentence, and the weight
}

// chunk is how well a kind of chunk is found.
type chunk struct{ Kind, True, Predicted, Precision, Recall, F1 string }

// WriteTags writes a page of a model of tags, and of how it does on tagged sentences where r is not nil.
func WriteTags(ctx context.Context, m *tag.Model, r *tag.Reader, o TagOptions, w io.Writer) error {
	p := &tagPage{m: m, o: &o, content: content{Nouns: &ofWords}, numbers: map[string]int{}}
	if err := p.ofModel(); err != nil {
		return err
	}
	if r != nil {
		if err := p.ofSentences(ctx, r); err != nil {
			return err
		}
	}
	return p.texts.write(w)
}

// tagPage is a page of a model of tags in the making.
type tagPage struct {
	m       *tag.Model
	o       *TagOptions
	content content
	texts   texts

	numbers   map[string]int // of tags: those of the model, then those that it doesn't know
	confused  map[pair]int
	words     int
	decisions []decision // of a sample of the words
	random    xmath.SplitMix
	wrong     ranking[document]
	unsure    ranking[document]
}

// number is that of a tag.
func (p *tagPage) number(name string) int {
	k, known := p.numbers[name]
	if !known {
		k = len(p.numbers)
		p.numbers[name] = k
		p.content.Labels = append(p.content.Labels, legible(name, longestName))
	}
	return k
}

// ofModel tells what the model is, and how its tags follow each other.
func (p *tagPage) ofModel() error {
	m, t := p.m, &p.texts
	for _, name := range m.Tags {
		p.number(name)
	}
	t.Title, t.Content, t.Command = legible(cmp.Or(p.o.Path, "a model"), longestName), &p.content, display.Text(p.o.Command)
	t.Subtitle = fmt.Sprintf("%s, %s", m.Kind, display.Some(len(m.Tags), "tag"))
	of := m.Training
	t.Made = []fact{
		{"scheme", string(m.Scheme)},
		{"input", fmt.Sprintf("%s, words in column %d, tags in column %d",
			m.Input.Format, m.Input.WordColumn, m.Input.Column)},
		{"training", of.Settings()},
		{"sentences", fmt.Sprintf("%s of %s", display.Count(int64(of.Sentences)), display.Some(of.Words, "word"))},
		{"features", fmt.Sprintf("%s, each of %s or more",
			display.Count(int64(m.Features)), display.Some(of.MinCount, "word"))},
		{"templates", legible(m.Templates, longestText)},
	}
	for _, n := range of.Counts {
		p.content.Trained = append(p.content.Trained, uint64(n))
	}
	if m.Kind != tag.Window {
		p.content.Follows = followsOf(m)
	}
	if p.o.Path != "" {
		info, err := os.Stat(p.o.Path)
		if err != nil {
			return err
		}
		t.Tiles = append(t.Tiles, fact{"size of the model", display.Bytes(info.Size())})
	}
	t.Tiles = append(t.Tiles, fact{"sentences trained on", display.Count(int64(of.Sentences))})
	return nil
}

// followsOf has the weights of pairs of tags, the most frequent ones.
func followsOf(m *tag.Model) *follows {
	f := &follows{Left: max(0, len(m.Tags)-mostFollowing)}
	for k := range m.Tags {
		f.Labels = append(f.Labels, k)
	}
	if counts := m.Training.Counts; counts != nil {
		slices.SortStableFunc(f.Labels, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	}
	f.Labels = f.Labels[:len(m.Tags)-f.Left]
	slices.Sort(f.Labels)
	edged := append([]int{-1}, f.Labels...)
	for _, before := range edged {
		for _, after := range edged {
			if weight := m.Transition(before, after); !math.IsInf(weight, -1) && (before >= 0 || after >= 0) {
				f.Cells = append(f.Cells, [3]float64{float64(before), float64(after), rounded(weight)})
			}
		}
	}
	return f
}

// ofSentences tells how the model does on sentences, and which of their features speak for tags.
func (p *tagPage) ofSentences(ctx context.Context, r *tag.Reader) error {
	strongest := p.m.NewStrongest(max(5, min(p.o.Features, mostSpeaking/len(p.m.Tags))))
	p.confused = map[pair]int{}
	p.wrong.most, p.unsure.most = p.o.Words, p.o.Words
	found, err := p.m.Judge(ctx, r, mostOfText, p.o.Threads, func(e *tag.Explained) error {
		p.add(e)
		return strongest.Add(e.Sentence)
	})
	if err != nil {
		return err
	}
	for k := range p.m.Tags[:min(len(p.m.Tags), mostSpeaking/5)] {
		s := speaking{Class: k}
		for _, f := range strongest.Features(k) {
			s.Names, s.Weights = append(s.Names, legible(f.Name, longestName)), append(s.Weights, rounded(f.Weight))
		}
		if len(s.Names) > 0 {
			p.content.Features = append(p.content.Features, s)
		}
	}
	p.measured(found)
	p.content.Confusion = newConfusion(p.confused, len(p.content.Labels), false)
	if len(p.content.Confusion.Labels) > fewClasses {
		p.texts.Confused = p.content.Confusion.list(func(k int) string { return p.content.Labels[k] })
	}
	score := "the margin of the predicted tag over the second best"
	if p.content.Probable = p.m.Kind == tag.CRF; p.content.Probable {
		score = "the probability of the predicted tag"
	}
	n := len(p.decisions)
	p.content.Curves = []curve{newCurve("Predictions", score, "words", p.decisions, n, p.content.Probable)}
	p.texts.Measured = fmt.Sprintf("%s of %s",
		display.Some(found.Words, "word"), display.Some(found.Sentences, "sentence"))
	if n < p.words {
		p.texts.Measured += fmt.Sprintf("; curves are of a random sample of %s of them", display.Some(n, "word"))
	}
	p.texts.Wrong, p.texts.Unsure = numbered(p.wrong.kept), numbered(p.unsure.kept)
	return nil
}

// numbered are documents in order.
func numbered(kept []ranked[document]) (all []document) {
	for i, r := range kept {
		r.of.Number = i + 1
		all = append(all, r.of)
	}
	return all
}

// measured tells the metrics.
func (p *tagPage) measured(found *tag.Report) {
	t := &p.texts
	rate := func(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
	count := func(n int) string { return display.Count(int64(n)) }
	best := []fact{{"accuracy", percent(found.Accuracy)}, {"words evaluated", count(found.Words)}}
	t.Metrics = []fact{
		{"accuracy", rate(found.Accuracy)},
		{"share of sentences without a mistake", rate(found.SentenceAccuracy)},
	}
	if c := found.Chunks; c != nil {
		best = slices.Insert(best, 0, fact{"F1 of chunks", percent(c.F1)})
		t.Metrics = append(t.Metrics, fact{"precision of chunks", rate(c.Precision)},
			fact{"recall of chunks", rate(c.Recall)}, fact{"F1 of chunks", rate(c.F1)})
		for _, kind := range slices.Sorted(maps.Keys(found.PerChunk)) {
			c := found.PerChunk[kind]
			t.Chunks = append(t.Chunks, chunk{
				legible(kind, longestName), count(c.Gold), count(c.Predicted),
				percent(c.Precision), percent(c.Recall), percent(c.F1),
			})
		}
	}
	t.Tiles = append(best, t.Tiles...)
	for name, c := range found.PerTag {
		p.content.Classes = append(p.content.Classes, classRow{
			p.number(name), int64(c.Gold), int64(c.Predicted), rounded(c.Precision), rounded(c.Recall), rounded(c.F1),
		})
	}
	slices.SortFunc(p.content.Classes, func(a, b classRow) int { return a.Class - b.Class })
	p.content.Classes, p.content.Left = fewer(p.content.Classes)
	if n := len(p.content.Labels) - len(p.m.Tags); n > 0 {
		t.Metrics = append(t.Metrics, fact{"tags that the model does not know", count(n)})
	}
}

// add takes in what is explained of a sentence.
func (p *tagPage) add(e *tag.Explained) {
	s := e.Sentence
	for i := range e.Words {
		w, want := &e.Words[i], string(s.Tags[i])
		number := p.words
		p.words++
		p.confused[pair{p.number(want), p.number(w.Tag)}]++
		score, right := w.Margin, want == w.Tag
		if p.m.Kind == tag.CRF {
			score = 0
			if w.Probability != nil {
				score = *w.Probability
			}
		}
		if at := number; at < mostAnswers {
			p.decisions = append(p.decisions, decision{score, right})
		} else if at = p.random.IntN(p.words); at < mostAnswers { // Vitter's algorithm R
			p.decisions[at] = decision{score, right}
		}
		if w.Instead == "" { // the margin has another meaning
			continue
		}
		shown := func() document { return p.document(s, i, w) }
		p.unsure.offer(-finite(w.Margin), number, shown)
		if !right {
			p.wrong.offer(finite(w.Margin), number, shown)
		}
	}
}

// document shows a word in its sentence, and why it has its tag.
func (p *tagPage) document(s *tag.Sentence, i int, w *tag.ExplainedWord) document {
	d := document{
		Nouns: &ofWords, Place: fmt.Sprintf("%s:%d, word %d", legible(s.Path, longestName), s.Line, i+1),
		Want: legible(string(s.Tags[i]), longestName), Got: legible(w.Tag, longestName), Answer: legible(w.Tag, longestName),
		Unknown: w.Unknown, Scores: fmt.Sprintf("margin %.4g over %s", w.Margin, legible(w.Instead, longestName)),
	}
	if w.Probability != nil {
		d.Scores += fmt.Sprintf("; probability %.4g", *w.Probability)
	}
	around := func(words [][]byte) string {
		var all []string
		for _, word := range words {
			all = append(all, legible(string(word), longestName))
		}
		return strings.Join(all, " ")
	}
	from, to := max(0, i-mostAround), min(len(s.Words), i+mostAround)
	d.Spans = []span{
		{around(s.Words[from:i]) + " ", ""}, {around(s.Words[i : i+1]), styleOf(3)}, {" " + around(s.Words[i+1:max(to, i+1)]), ""},
	}
	if d.Cut = to < len(s.Words); from > 0 {
		d.Spans[0].Text = "…" + d.Spans[0].Text
	}
	add := func(name string, margin float64) {
		d.Listed = append(d.Listed, contribution{name, fmt.Sprintf("%+.4f", margin), margin > 0})
	}
	if p.m.Kind != tag.Window {
		add("(the tags around)", w.Chain)
	}
	for _, c := range w.Contributions {
		add(legible(c.Name, longestName), c.Margin)
	}
	return d
}

// mostAround is how many words are shown before and behind one.
const mostAround = 100
