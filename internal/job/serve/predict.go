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
	"github.com/seed-167f963f/nbsvm/internal/file/mmap"
)

// request is what a client asks for: predictions of one text, or of several.
type request struct {
	Text  *string    `json:"text"`
	Texts *[]*string `json:"texts"`
	Top   int        `json:"top"` // how many of the best classes to show; 0 for those predicted
}

// work reads a request, once there is a slot for it, and has it answered within the time for requests.
func (h *handler) work(do func(ctx context.Context, w http.ResponseWriter, asked *request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), h.o.Timeout)
		defer cancel()
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
		case <-ctx.Done():
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusServiceUnavailable, fmt.Errorf("the server is busy with %d requests: try again", h.o.Requests))
			return
		}
		asked, err := h.read(w, r)
		if err == nil {
			do(ctx, w, &asked)
			return
		}
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes: send fewer texts at a time", h.o.MaxBody)
		} else if asked.Texts != nil && len(*asked.Texts) > h.o.MaxTexts {
			status = http.StatusRequestEntityTooLarge
		}
		refuse(w, status, err)
	}
}

// predict answers {"text": …} with a prediction, and {"texts": […]} with a list of predictions.
func (h *handler) predict(ctx context.Context, w http.ResponseWriter, asked *request) {
	var texts [][]byte
	if asked.Text != nil {
		texts = [][]byte{[]byte(*asked.Text)}
	} else {
		for _, text := range *asked.Texts {
			texts = append(texts, []byte(*text))
		}
	}
	answers := make([][]byte, len(texts))
	err := h.c.PredictAll(ctx, texts, nbsvm.ScoreOptions{Threads: h.o.Threads}, func(k int, p *nbsvm.Prediction) { answers[k] = h.render(p, asked.Top) })
	switch {
	case err != nil:
		h.failed(w, err)
	case asked.Text != nil:
		answer(w, http.StatusOK, answers[0])
	default:
		answer(w, http.StatusOK, slices.Concat([]byte(`{"predictions":[`), bytes.Join(answers, []byte{','}), []byte("]}")))
	}
}

// read reads a request, and says what is wrong with it.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (asked request, err error) {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, h.o.MaxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return asked, mistake(err)
	}
	switch _, err := decoder.Token(); {
	case err == nil:
		return asked, errors.New("the request must be one JSON object; more follows it")
	case !errors.Is(err, io.EOF):
		return asked, mistake(err)
	case (asked.Text == nil) == (asked.Texts == nil):
		return asked, errors.New(`the request must have either "text" or "texts"`)
	case asked.Texts != nil && len(*asked.Texts) > h.o.MaxTexts:
		return asked, fmt.Errorf(`"texts" has %d texts: send at most %d at a time`, len(*asked.Texts), h.o.MaxTexts)
	case asked.Top < 0:
		return asked, fmt.Errorf(`"top" must be 1 or more, got %d`, asked.Top)
	case asked.Texts != nil:
		if k := slices.Index(*asked.Texts, nil); k >= 0 {
			return asked, fmt.Errorf(`"texts" must be a list of strings; text %d is null: leave it out, or send ""`, k+1)
		}
	}
	return asked, nil
}

// mistake says what is wrong with a request that can't be decoded.
func mistake(err error) error {
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

// failed answers that there is no prediction.
func (h *handler) failed(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		refuse(w, http.StatusServiceUnavailable, fmt.Errorf("the request took longer than %v: send fewer texts at a time", h.o.Timeout))
	case errors.Is(err, context.Canceled), errors.Is(err, mmap.ErrTruncated):
		refuse(w, http.StatusInternalServerError, err)
	default: // of ready-made features
		refuse(w, http.StatusBadRequest, err)
	}
}

// render writes a prediction as nbsvm score --json does.
func (h *handler) render(p *nbsvm.Prediction, top int) []byte {
	shown := p.Labels
	if top > 0 {
		shown = h.c.Best(p, top)
	}
	return append(h.members([]byte{'{'}, p, shown), '}')
}
