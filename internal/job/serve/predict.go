package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// request is what a client asks for: predictions of one text, or of several.
type request struct {
	ID    json.RawMessage `json:"id"` // any value, which the answer has, too
	Text  *string         `json:"text"`
	Texts textList        `json:"texts"`
	Top   int             `json:"top"` // how many of the best classes to show; 0 for those predicted
}

// open is how the object of the answer begins.
func (r *request) open() []byte {
	if r.ID == nil {
		return []byte{'{'}
	}
	return append(append([]byte(`{"id":`), r.ID...), ',')
}

// count is the number of texts.
func (r *request) count() int {
	if r.Text != nil {
		return 1
	}
	return len(r.Texts.all)
}

// textList is the texts of a request. They are decoded one by one, up to the first that is too many: one of no bytes
// takes three in a request, and many times that in memory.
type textList struct {
	most  int
	given bool
	all   []string
	null  int  // the number of the first text that is null; 0 for none
	more  bool // than most
}

// UnmarshalJSON decodes the texts. Null stands for no list.
func (l *textList) UnmarshalJSON(data []byte) error {
	*l = textList{most: l.most}
	d := json.NewDecoder(bytes.NewReader(data))
	switch open, err := d.Token(); {
	case err != nil || open == nil:
		return err
	case open != json.Delim('['):
		var texts []string
		return json.Unmarshal(data, &texts) // which says of what type it is
	}
	l.given = true
	for d.More() {
		if len(l.all) == l.most {
			l.more = true
			return nil
		}
		var text *string
		if err := d.Decode(&text); err != nil {
			return err
		}
		if text == nil {
			l.null = cmp.Or(l.null, len(l.all)+1)
			text = new(string)
		}
		l.all = append(l.all, *text)
	}
	return nil
}

// work reads a request, once there is a slot for it, and has it answered by the model within the time for requests.
func (s *Service) work(do func(*model, context.Context, *Options, *request, io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		until := time.Now().Add(s.o.Timeout)
		ctx, cancel := context.WithDeadline(r.Context(), until)
		defer cancel()
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			refuse(w, unavailable("the server is busy with %d requests: try again", s.o.Requests))
			return
		}
		taken := taken{s: s}
		defer taken.free()
		if err := taken.request(r); err != nil {
			refuse(w, err)
			return
		}
		asked, err := s.read(w, r)
		if err != nil {
			refuse(w, err)
			return
		}
		m := s.current()
		defer m.done()
		if err := taken.more(2 * min(m.longest(asked), max(held, m.longestOf(asked.Top)))); err != nil { // as made, and as sent
			refuse(w, err)
			return
		}
		out := &stream{w: w, until: until}
		err = do(m, ctx, &s.o, asked, out)
		if err == nil {
			s.watch.texts.Add(asked.count())
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = unavailable("the request took longer than %v: send fewer texts at a time", s.o.Timeout)
		}
		out.end(err)
	}
}

// taken is what a request has taken of the bytes that may be in memory at a time.
type taken struct {
	s *Service
	n int64
}

// request takes as many bytes as a request has, or may have if it does not say.
func (t *taken) request(r *http.Request) error {
	n := r.ContentLength
	switch {
	case n > t.s.o.MaxBody:
		return mistake(&http.MaxBytesError{Limit: t.s.o.MaxBody})
	case n < 0:
		n = t.s.o.MaxBody
	}
	return t.more(n)
}

// more takes further bytes, or returns an error if others have too many.
func (t *taken) more(n int64) error {
	bytes := &t.s.watch.bytes
	t.n += n
	if others := bytes.Add(n) - t.n; others > 0 && t.n > t.s.o.InFlight-others {
		bytes.Add(-n)
		t.n -= n
		return unavailable("the server works on requests that take %d bytes with their answers, and %d more are too many: "+
			"try again", others, t.n+n)
	}
	return nil
}

func (t *taken) free() { t.s.watch.bytes.Add(-t.n) }

// longestOf is how long the prediction of a text may be, in bytes.
func (m *model) longestOf(top int) int64 {
	const number = 32 // bytes of a score and what is around it
	switch {
	case top == 0 && !m.MultiLabel():
		top = 1
	case top == 0:
		top = len(m.Labels())
	}
	return int64(min(top, len(m.Labels()))+1) * (m.label + number) // the first is in labels, too
}

// longest is how long an answer may be, in bytes.
func (m *model) longest(asked *request) int64 {
	return int64(asked.count())*m.longestOf(asked.Top) + int64(len(asked.ID))
}

// predict answers {"text": …} with a prediction, and {"texts": […]} with a list of predictions.
func (m *model) predict(ctx context.Context, o *Options, asked *request, out io.Writer) error {
	var texts [][]byte
	if asked.Text != nil {
		texts = [][]byte{[]byte(*asked.Text)}
	} else {
		for _, text := range asked.Texts.all {
			texts = append(texts, []byte(text))
		}
	}
	open := asked.open()
	if asked.Texts.given {
		if _, err := out.Write(append(open, `"predictions":[`...)); err != nil {
			return err
		}
		open = []byte{'{'}
	}
	// Texts whose predictions fit into what is held are predicted together, by all threads.
	size := int(max(1, held/m.longestOf(asked.Top)))
	if size < len(texts) {
		if err := m.readable(texts); err != nil {
			return err
		}
	}
	for first := 0; first < len(texts); first += size {
		part := texts[first:min(first+size, len(texts))]
		answers := make([][]byte, len(part))
		err := m.PredictAll(ctx, part, nbsvm.ScoreOptions{Threads: o.Threads}, func(k int, p *nbsvm.Prediction) {
			shown := p.Labels
			if asked.Top > 0 {
				shown = m.Best(p, asked.Top)
			}
			var dst []byte
			if first+k > 0 {
				dst = append(dst, ',')
			}
			answers[k] = append(m.members(append(dst, open...), p, shown), '}') // as score --json does
		})
		for k := 0; k < len(answers) && err == nil; k++ {
			_, err = out.Write(answers[k])
		}
		if err != nil {
			return err
		}
	}
	if !asked.Texts.given {
		return nil
	}
	_, err := out.Write([]byte("]}"))
	return err
}

// readable finds the first text that has no ready-made features though the model takes these: once an answer is being
// sent, it can't be refused.
func (m *model) readable(texts [][]byte) error {
	if !m.TakesFeatures() {
		return nil
	}
	for k, text := range texts {
		if _, _, err := sparse.AppendSVMLight(nil, nil, text); err != nil {
			return fmt.Errorf("nbsvm: text %d: %w", k+1, err)
		}
	}
	return nil
}

// read reads a request, and says what is wrong with it.
func (s *Service) read(w http.ResponseWriter, r *http.Request) (*request, error) {
	asked := &request{Texts: textList{most: s.o.MaxTexts}}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.o.MaxBody))
	if err := decoder.Decode(asked); err != nil {
		return nil, mistake(err)
	}
	switch _, err := decoder.Token(); {
	case err == nil:
		return nil, errors.New("the request must be one JSON object; more follows it")
	case !errors.Is(err, io.EOF):
		return nil, mistake(err)
	case (asked.Text == nil) == !asked.Texts.given:
		return nil, errors.New(`the request must have either "text" or "texts"`)
	case asked.Texts.more:
		return nil, tooLarge(`"texts" has more than %d texts: send at most %[1]d at a time`, s.o.MaxTexts)
	case asked.Top < 0:
		return nil, fmt.Errorf(`"top" must be 1 or more, got %d`, asked.Top)
	case asked.Texts.null > 0:
		return nil, fmt.Errorf(`"texts" must be a list of strings; text %d is null: leave it out, or send ""`, asked.Texts.null)
	}
	if err := corpus.CheckText(asked.each); err != nil {
		return nil, err
	}
	return asked, nil
}

// each visits the texts.
func (r *request) each(yield func(string) bool) {
	if r.Text != nil {
		yield(*r.Text)
		return
	}
	for _, text := range r.Texts.all {
		if !yield(text) {
			return
		}
	}
}

// mistake says what is wrong with a request that can't be decoded.
func mistake(err error) error {
	if large, is := errors.AsType[*http.MaxBytesError](err); is {
		return tooLarge("the request has more than %d bytes: send fewer texts at a time", large.Limit)
	}
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		place := "the request"
		if wrong.Field != "" {
			place = strconv.Quote(wrong.Field)
		} else if wrong.Type != reflect.TypeFor[request]() {
			place = `"texts"` // which are decoded by themselves
		}
		return fmt.Errorf(`%s must not be of JSON type %s: "text" is a string, "texts" a list of strings, "top" a whole number, all in one object`, place, wrong.Value)
	}
	if wrong, is := errors.AsType[*json.SyntaxError](err); is {
		err = fmt.Errorf("%w (byte %d)", err, wrong.Offset)
	} else if err == io.EOF {
		err = errors.New("it is empty")
	}
	return fmt.Errorf(`the request must be a JSON object such as {"text": "…"} or {"texts": ["…"], "top": 3}: %w`, err)
}
