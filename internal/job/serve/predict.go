package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm"
)

// request is what a client asks for: predictions of one text, or of several.
type request struct {
	Text  *string    `json:"text"`
	Texts *[]*string `json:"texts"`
	Top   int        `json:"top"` // how many of the best classes to show; 0 for those predicted
}

// count is the number of texts.
func (r *request) count() int {
	if r.Text != nil {
		return 1
	}
	return len(*r.Texts)
}

// work reads a request, once there is a slot for it, and has it answered by the model within the time for requests.
func (s *Service) work(do func(*model, context.Context, *Options, *request) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.o.Timeout)
		defer cancel()
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			refuse(w, unavailable("the server is busy with %d requests: try again", s.o.Requests))
			return
		}
		free, err := s.take(r)
		if err != nil {
			refuse(w, err)
			return
		}
		defer free()
		asked, err := s.read(w, r)
		if err != nil {
			refuse(w, err)
			return
		}
		m := s.current()
		defer m.done()
		body, err := do(m, ctx, &s.o, asked)
		if err == nil {
			s.watch.texts.Add(asked.count())
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = unavailable("the request took longer than %v: send fewer texts at a time", s.o.Timeout)
		}
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w, http.StatusOK, body)
	}
}

// take takes as many bytes as a request has, or may have if it does not say, from those that may be worked on at a time.
func (s *Service) take(r *http.Request) (free func(), err error) {
	n := r.ContentLength
	switch {
	case n > s.o.MaxBody:
		return nil, mistake(&http.MaxBytesError{Limit: s.o.MaxBody})
	case n < 0:
		n = s.o.MaxBody
	}
	bytes := &s.watch.bytes
	if others := bytes.Add(n) - n; others > 0 && n > s.o.InFlight-others {
		bytes.Add(-n)
		return nil, unavailable("the server works on requests of %d bytes, and %d more are too many: try again", others, n)
	}
	return func() { bytes.Add(-n) }, nil
}

// predict answers {"text": …} with a prediction, and {"texts": […]} with a list of predictions.
func (m *model) predict(ctx context.Context, o *Options, asked *request) ([]byte, error) {
	var texts [][]byte
	if asked.Text != nil {
		texts = [][]byte{[]byte(*asked.Text)}
	} else {
		for _, text := range *asked.Texts {
			texts = append(texts, []byte(*text))
		}
	}
	answers := make([][]byte, len(texts))
	err := m.PredictAll(ctx, texts, nbsvm.ScoreOptions{Threads: o.Threads}, func(k int, p *nbsvm.Prediction) {
		shown := p.Labels
		if asked.Top > 0 {
			shown = m.Best(p, asked.Top)
		}
		answers[k] = append(m.members([]byte{'{'}, p, shown), '}') // as score --json does
	})
	if err != nil || asked.Text != nil {
		return bytes.Join(answers, nil), err
	}
	return slices.Concat([]byte(`{"predictions":[`), bytes.Join(answers, []byte{','}), []byte("]}")), nil
}

// read reads a request, and says what is wrong with it.
func (s *Service) read(w http.ResponseWriter, r *http.Request) (*request, error) {
	asked := new(request)
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.o.MaxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(asked); err != nil {
		return nil, mistake(err)
	}
	switch _, err := decoder.Token(); {
	case err == nil:
		return nil, errors.New("the request must be one JSON object; more follows it")
	case !errors.Is(err, io.EOF):
		return nil, mistake(err)
	case (asked.Text == nil) == (asked.Texts == nil):
		return nil, errors.New(`the request must have either "text" or "texts"`)
	case asked.Texts != nil && len(*asked.Texts) > s.o.MaxTexts:
		return nil, tooLarge(`"texts" has %d texts: send at most %d at a time`, len(*asked.Texts), s.o.MaxTexts)
	case asked.Top < 0:
		return nil, fmt.Errorf(`"top" must be 1 or more, got %d`, asked.Top)
	case asked.Texts != nil:
		if k := slices.Index(*asked.Texts, nil); k >= 0 {
			return nil, fmt.Errorf(`"texts" must be a list of strings; text %d is null: leave it out, or send ""`, k+1)
		}
	}
	return asked, nil
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
