package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

type scoreCmd struct {
	Model  string   `arg:"" help:"Model file."`
	Input  []string `arg:"" optional:"" help:"Documents; - or nothing is standard input."`
	Output string   `short:"o" group:"output" placeholder:"FILE" help:"Where to write (default: standard output)."`

	OutputFormat string `group:"output" enum:"tsv,jsonl,fasttext" default:"tsv" placeholder:"FORMAT" help:"tsv: label, score; jsonl: an object a line; fasttext: as its predict-prob does."`
	Top          int    `group:"output" placeholder:"K" help:"The K best classes with their scores, best first."`
	AllScores    bool   `group:"output" help:"The scores of all classes, best first."`
	inputFlags
}

func (s *scoreCmd) Help() string {
	return `Scores are probabilities if the model has them (logistic loss, naive Bayes, or trained with
--calibrate), else margins. Of two classes, a margin above 0 speaks for the second. A bad record
under --on-bad skip or quarantine leaves a row with an empty label, and exit code 3.`
}

func (s *scoreCmd) Run(c *call) error {
	if s.Top < 0 {
		return usageError{fmt.Errorf("nbsvm: --top is %d, want 1 or more", s.Top)}
	}
	in, err := s.input(c, s.Input, true)
	if err != nil {
		return err
	}
	return finishBad(in, s.run(c, in))
}

func (s *scoreCmd) run(c *call, in nbsvm.Input) error {
	classifier, err := nbsvm.Open(s.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	r := renderer{labels: classifier.Labels(), top: s.Top, probabilities: classifier.Probabilities()}
	if s.AllScores {
		r.top = len(r.labels)
	}
	render := map[string]nbsvm.Render{"tsv": r.tsv, "jsonl": r.jsonl, "fasttext": r.fasttext}[s.OutputFormat]

	progress := newProgress(c)
	defer progress.clear()
	start := time.Now()
	var stats nbsvm.ScoreStats
	err = c.writeOutput(s.Output, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<18)
		stats, err = classifier.Score(c.ctx, in, nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.show}, render, out)
		if err != nil {
			return err
		}
		return out.Flush()
	})
	if err != nil {
		return err
	}
	progress.clear()
	if s.Output != "" && s.Output != "-" && !c.Quiet {
		seconds := max(time.Since(start).Seconds(), 1e-9)
		fmt.Fprintf(c.err, "%s documents, %s of text in %.2f s: %s documents/s, %.0f MB/s\n", count(stats.Documents), bytes(stats.Bytes),
			seconds, count(int64(float64(stats.Documents)/seconds)), float64(stats.Bytes)/1e6/seconds)
	}
	return nil
}

// renderer turns predictions into rows.
type renderer struct {
	labels        []string
	top           int // 0: the predicted labels only
	probabilities bool
}

// chosen lists the classes to show, best first.
func (r *renderer) chosen(p *nbsvm.Prediction) []int {
	if r.top == 0 {
		return p.Labels
	}
	return best(p.Scores, r.top)
}

// best lists the n largest scores' places, ties by place.
func best(scores []float64, n int) []int {
	order := make([]int, 0, min(n, len(scores))+1)
	for k, score := range scores {
		at := len(order)
		for at > 0 && score > scores[order[at-1]] {
			at--
		}
		if at == n {
			continue
		}
		order = append(order, 0)
		copy(order[at+1:], order[at:])
		order[at] = k
		order = order[:min(n, len(order))]
	}
	return order
}

// tsv is "label<TAB>score", repeated for several classes.
func (r *renderer) tsv(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
	if p == nil {
		return append(dst, "\t\n"...)
	}
	chosen := r.chosen(p)
	if len(chosen) == 0 {
		return append(dst, "\t\n"...)
	}
	for i, k := range chosen {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = append(dst, r.labels[k]...)
		dst = append(dst, '\t')
		dst = appendScore(dst, p.Scores[k])
	}
	return append(dst, '\n')
}

// fasttext is "__label__label score", repeated for several classes.
func (r *renderer) fasttext(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
	if p != nil {
		for i, k := range r.chosen(p) {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = append(dst, "__label__"...)
			dst = append(dst, r.labels[k]...)
			dst = append(dst, ' ')
			dst = appendScore(dst, p.Scores[k])
		}
	}
	return append(dst, '\n')
}

// jsonl is {"labels":[…],"probabilities":{…}}, with "margins" where there are no
// probabilities, and {"error":"…"} for a bad record.
func (r *renderer) jsonl(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
	if p == nil {
		dst = append(dst, `{"error":`...)
		dst = appendJSONString(dst, d.Err.Error())
		return append(dst, "}\n"...)
	}
	dst = append(dst, `{"labels":[`...)
	for i, k := range p.Labels {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONString(dst, r.labels[k])
	}
	if r.probabilities {
		dst = append(dst, `],"probabilities":{`...)
	} else {
		dst = append(dst, `],"margins":{`...)
	}
	for i, k := range r.chosen(p) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSONString(dst, r.labels[k])
		dst = append(dst, ':')
		dst = appendScore(dst, p.Scores[k])
	}
	return append(dst, "}}\n"...)
}

// appendScore writes six significant digits, as much as float32 weights hold.
func appendScore(dst []byte, score float64) []byte {
	return strconv.AppendFloat(dst, score, 'g', 6, 64)
}

// appendJSONString writes a JSON string; invalid UTF-8 becomes U+FFFD.
func appendJSONString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
