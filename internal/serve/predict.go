package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// request is what a client asks for: predictions of one text, or of several.
type request struct {
	ID    json.RawMessage // any value, which the answer has, too
	Text  *string
	Texts textList
	Top   int // how many of the best classes to show; 0 for those predicted
}

// open returns how the object of the answer begins.
func (r *request) open() []byte {
	if r.ID == nil {
		return []byte{'{'}
	}
	return append(append([]byte(`{"id":`), r.ID...), ',')
}

// count returns the number of texts.
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

// UnmarshalJSON decodes an object whose members have exactly these names, each of them once. It ignores others.
func (r *request) UnmarshalJSON(data []byte) (err error) {
	if data[0] != '{' {
		return json.Unmarshal(data, &struct{}{}) // which says of what type it is
	}
	members, seen := map[string]any{"id": &r.ID, "text": &r.Text, "texts": &r.Texts, "top": &r.Top}, map[string]bool{}
	s := jsonscan.Scanner{Data: data}
	whole := s.Elements(1, func(name, value []byte) {
		into := members[string(name)]
		if into == nil || err != nil {
			return
		}
		if seen[string(name)] {
			err = fmt.Errorf("it has %q twice", name)
			return
		}
		seen[string(name)] = true
		err = json.Unmarshal(value, into)
		if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			wrong.Field = string(name)
		}
	})
	if err == nil && !whole {
		err = errors.New("there should be " + s.Want)
	}
	return err
}

// UnmarshalJSON decodes the texts. Null stands for no list.
func (l *textList) UnmarshalJSON(data []byte) (err error) {
	if l.given = data[0] == '['; !l.given {
		return json.Unmarshal(data, &l.all) // which says of what type it is
	}
	s := jsonscan.Scanner{Data: data}
	s.Elements(1, func(_, value []byte) {
		if l.more = l.more || len(l.all) == l.most; l.more || err != nil {
			return
		}
		var text *string
		if err = json.Unmarshal(value, &text); text == nil {
			l.null = cmp.Or(l.null, len(l.all)+1)
			text = new(string)
		}
		l.all = append(l.all, *text)
	})
	return err
}

// work reads a request, once there is room for it, and has it answered by models within the time for requests. An
// answer to a request of so many bytes takes so many at most while it is made and sent.
func (s *Service) work(
	of []*place,
	do func(context.Context, []*model, *Options, *request) ([]byte, error), takes func([]*model, int64) int64,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
		defer cancel()
		models, done := current(of)
		defer done()
		size := min(s.o.MaxBody, 1<<40) // sums do not overflow, whatever --max-body is
		if r.ContentLength >= 0 {
			size = min(size, r.ContentLength)
		}
		room := min(requestTakes+bodyCopies*size+textExtra*min(size/leastText, int64(s.o.MaxTexts))+takes(models, size),
			s.o.InFlight) // a single one is let in, whatever it takes
		if err := s.room.Acquire(ctx, room); err != nil {
			refuse(w, unavailable("the server is busy with requests that take %d bytes with their answers: try again",
				s.watch.bytes.Load()))
			return
		}
		s.watch.bytes.Add(room)
		defer func() {
			s.watch.bytes.Add(-room)
			s.room.Release(room)
		}()
		asked, err := s.read(w, r)
		if err != nil {
			refuse(w, err)
			return
		}
		body, err := do(ctx, models, &s.o, asked)
		switch {
		case err == nil:
			s.watch.texts.Add(asked.count())
			answer(w, http.StatusOK, body)
		case errors.Is(err, context.DeadlineExceeded):
			refuse(w, unavailable("the request took longer than %v: send fewer texts at a time", s.o.Timeout))
		default:
			refuse(w, err)
		}
	}
}

// mostGrown is how much memory is taken at once for a body whose length is said to be more.
const mostGrown = 16 << 20

// What a request takes in memory until it is answered.
const (
	requestTakes = 256 << 10 // in any case
	// bodyCopies is how often a body is in memory: as it came, unescaped, and as texts; as strings and for the scorer.
	bodyCopies = 3
	textExtra  = 64 // bytes of a text beside its own: headers, and how allocations are rounded
	leastText  = 3  // bytes of a text in a request
)

// longestAnswer is how many bytes an answer to several texts may have.
const longestAnswer = 16 << 20

// predictionTakes returns how many bytes an answer of predict takes in memory: twice, as made and as sent.
func predictionTakes(models []*model, size int64) int64 {
	const number = 32   // bytes of a score and what is around it
	longest := int64(0) // of a text
	for _, m := range models {
		longest += int64(len(m.Labels())+1)*(m.label+number) + int64(len(m.Name)) // the first class is in labels, too
	}
	return 2 * min((size/leastText+1)*longest, max(longestAnswer, longest))
}

// predictByOne answers with what a single model predicts.
func predictByOne(ctx context.Context, models []*model, o *Options, asked *request) ([]byte, error) {
	return predict(ctx, models, false, o, asked)
}

// predictByAll answers with an object that has the prediction of each model, by its name.
func predictByAll(ctx context.Context, models []*model, o *Options, asked *request) ([]byte, error) {
	return predict(ctx, models, true, o, asked)
}

// predict answers {"text": …} with a prediction, and {"texts": […]} with a list of predictions, by all threads.
func predict(ctx context.Context, models []*model, named bool, o *Options, asked *request) ([]byte, error) {
	var texts [][]byte
	for text := range asked.each {
		texts = append(texts, []byte(text))
	}
	body, end, open := asked.open(), []byte(nil), []byte(nil)
	if asked.Texts.given {
		body, end, open = append(body, `"predictions":[`...), []byte("]}"), []byte{'{'}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var made atomic.Int64
	answers := make([][]byte, len(texts))
	for i, m := range models {
		err := inside.Classifier(m.Classifier).PredictAll(ctx, texts, o.Threads, nil, func(k int, p *score.Prediction) {
			shown := p.Labels
			if asked.Top > 0 {
				shown = inside.Classifier(m.Classifier).Best(p, asked.Top, math.Inf(-1))
			}
			dst := answers[k]
			before := len(dst)
			if i > 0 || k > 0 {
				dst = append(dst, ',')
			}
			if i == 0 {
				dst = append(dst, open...)
			}
			if named {
				dst = append(display.AppendJSON(dst, m.Name), ":{"...)
			}
			dst = append(m.members(dst, (*nbsvm.Prediction)(p), shown), '}') // as score --json does
			if named && i == len(models)-1 {
				dst = append(dst, '}')
			}
			answers[k] = dst
			if made.Add(int64(len(dst)-before)) > longestAnswer && len(texts) > 1 {
				stop()
			}
		})
		if n := len(texts); n > 1 && made.Load() > longestAnswer {
			return nil, tooLarge("the answer to %d texts has more than %d bytes: send fewer texts at a time, or ask for fewer classes",
				n, longestAnswer)
		}
		if err != nil {
			return nil, err
		}
	}
	body = slices.Grow(body, int(made.Load())+len(end))
	for _, answer := range answers {
		body = append(body, answer...)
	}
	return append(body, end...), nil
}

// read reads a request, and says what is wrong with it.
func (s *Service) read(w http.ResponseWriter, r *http.Request) (*request, error) {
	body := http.MaxBytesReader(w, r.Body, s.o.MaxBody)
	var whole bytes.Buffer
	whole.Grow(int(min(max(r.ContentLength, 0), s.o.MaxBody, mostGrown)) + bytes.MinRead)
	_, err := whole.ReadFrom(body)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, unavailable("the request did not arrive within %v: send fewer texts at a time", s.o.Timeout)
	}
	if err != nil {
		return nil, mistake(err)
	}
	data := whole.Bytes()
	if in := r.Header.Get("Content-Encoding"); in != "" && in != "identity" {
		return nil, fmt.Errorf("the request has the Content-Encoding %q: send it as it is", in)
	}
	if at := invalid(data); at >= 0 {
		return nil, fmt.Errorf("the request is not UTF-8, as JSON must be: byte %d is %#x, in %s: convert the texts to UTF-8",
			at+1, data[at], display.Excerpt(data[max(0, at-16):min(len(data), at+16)]))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, mistake(errors.New("it is empty"))
	}
	asked := &request{Texts: textList{most: s.o.MaxTexts}}
	switch err := json.Unmarshal(data, asked); {
	case err != nil:
		return nil, mistake(err)
	case (asked.Text == nil) == !asked.Texts.given:
		return nil, errors.New(`the request must have either "text" or "texts"`)
	case asked.Texts.more:
		return nil, tooLarge(`"texts" has more than %d texts: send at most %[1]d at a time`, s.o.MaxTexts)
	case asked.Top < 0:
		return nil, fmt.Errorf(`"top" must be 1 or more, got %d`, asked.Top)
	case asked.Texts.null > 0:
		return nil, fmt.Errorf(`"texts" must be a list of strings; text %d is null: leave it out, or send ""`,
			asked.Texts.null)
	}
	if err := doubt.Texts(asked.each); err != nil {
		return nil, err
	}
	return asked, nil
}

// invalid returns where the first byte that is no UTF-8 is; -1 if none is.
func invalid(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
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

// mistake returns what is wrong with a request that can't be decoded.
func mistake(err error) error {
	if _, is := errors.AsType[refusal](err); is {
		return err
	}
	if large, is := errors.AsType[*http.MaxBytesError](err); is {
		return tooLarge("the request has more than %d bytes: send fewer texts at a time", large.Limit)
	}
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		place := "the request"
		if wrong.Field != "" {
			place = strconv.Quote(wrong.Field)
		}
		return fmt.Errorf(`%s must not be of JSON type %s: "text" is a string, "texts" a list of strings, "top" a whole number, all in one object`, place, wrong.Value)
	}
	if wrong, is := errors.AsType[*json.SyntaxError](err); is {
		err = fmt.Errorf("%w (byte %d)", err, wrong.Offset)
	}
	return fmt.Errorf(`the request must be a JSON object such as {"text": "…"} or {"texts": ["…"], "top": 3}: %w`, err)
}
