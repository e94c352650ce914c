// Package serve answers HTTP requests with what a model predicts, JSON in and out.
package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/file/mmap"
	"github.com/seed-167f963f/nbsvm/internal/job/render"
)

// Options bound what requests may take. Zero values stand for the defaults.
type Options struct {
	MaxBody  int64         // bytes of a request; 16 MiB
	MaxTexts int           // of a request; 10,000
	Timeout  time.Duration // from the first byte of a request to its answer; 30 s
	Requests int           // that are answered at a time, while others wait; 64
	Threads  int           // for the texts of a request; all processors
}

// The defaults.
const (
	DefaultMaxBody  = 16 << 20
	DefaultMaxTexts = 10_000
	DefaultTimeout  = 30 * time.Second
	defaultRequests = 64
)

type handler struct {
	c       *nbsvm.Classifier
	o       Options
	slots   chan struct{} // one for each request that is being answered
	members func(dst []byte, p *nbsvm.Prediction, classes []int) []byte
}

// Handler answers requests for predictions of a classifier, which must stay open.
func Handler(c *nbsvm.Classifier, o Options) http.Handler {
	o.MaxBody, o.MaxTexts = cmp.Or(o.MaxBody, DefaultMaxBody), cmp.Or(o.MaxTexts, DefaultMaxTexts)
	o.Timeout, o.Requests = cmp.Or(o.Timeout, DefaultTimeout), cmp.Or(o.Requests, defaultRequests)
	h := &handler{c: c, o: o, slots: make(chan struct{}, o.Requests), members: render.Members(c)}
	mux := http.NewServeMux()
	for path, page := range map[string]struct {
		method string
		answer http.HandlerFunc
	}{
		"/predict": {http.MethodPost, h.predict},
		"/model":   {http.MethodGet, h.model},
		"/healthz": {http.MethodGet, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, []byte(`{"status":"ok"}`)) }},
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != page.method && (r.Method != http.MethodHead || page.method != http.MethodGet) {
				w.Header().Set("Allow", page.method)
				refuse(w, http.StatusMethodNotAllowed, fmt.Errorf("%s takes %s, not %s", path, page.method, strconv.Quote(r.Method)))
				return
			}
			page.answer(w, r)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, errors.New("no such page: the server has POST /predict, GET /model and GET /healthz"))
	})
	return mux
}

// Server serves a handler with the limits of time.
func Server(h http.Handler, o Options) *http.Server {
	timeout := cmp.Or(o.Timeout, DefaultTimeout)
	return &http.Server{
		Handler: h, ReadHeaderTimeout: timeout, ReadTimeout: timeout, WriteTimeout: 2 * timeout, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
}

// answer sends JSON.
func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // who asked may have gone
}

// refuse says what is wrong.
func refuse(w http.ResponseWriter, status int, err error) {
	body, marshalErr := json.Marshal(struct {
		Error string `json:"error"`
	}{err.Error()})
	if marshalErr != nil {
		panic(marshalErr) // a string can be marshalled
	}
	answer(w, status, body)
}

// request is what a client asks for: predictions of one text, or of several.
type request struct {
	Text  *string    `json:"text"`
	Texts *[]*string `json:"texts"`
	Top   int        `json:"top"` // how many of the best classes to show; 0 for those predicted
}

// predict answers {"text": …} with a prediction, and {"texts": […]} with a list of predictions.
func (h *handler) predict(w http.ResponseWriter, r *http.Request) {
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
	if err != nil {
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes: send fewer texts at a time", h.o.MaxBody)
		} else if asked.Texts != nil && len(*asked.Texts) > h.o.MaxTexts {
			status = http.StatusRequestEntityTooLarge
		}
		refuse(w, status, err)
		return
	}
	var texts [][]byte
	if asked.Text != nil {
		texts = [][]byte{[]byte(*asked.Text)}
	} else {
		for _, text := range *asked.Texts {
			texts = append(texts, []byte(*text))
		}
	}
	answers := make([][]byte, len(texts))
	err = h.c.PredictAll(ctx, texts, nbsvm.ScoreOptions{Threads: h.o.Threads}, func(k int, p *nbsvm.Prediction) { answers[k] = h.render(p, asked.Top) })
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
		return asked, explain(err)
	}
	switch _, err := decoder.Token(); {
	case err == nil:
		return asked, errors.New("the request must be one JSON object; more follows it")
	case !errors.Is(err, io.EOF):
		return asked, explain(err)
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

// explain says what is wrong with a request that can't be decoded.
func explain(err error) error {
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

// model says what is served.
func (h *handler) model(w http.ResponseWriter, _ *http.Request) {
	scores := "margins"
	if h.c.Probabilities() {
		scores = "probabilities"
	}
	body, err := json.Marshal(struct {
		Labels     []string `json:"labels"`
		Scores     string   `json:"scores"` // probabilities or margins
		MultiLabel bool     `json:"multi_label"`
		Features   bool     `json:"takes_features"`
		MaxTexts   int      `json:"max_texts"`
		MaxBody    int64    `json:"max_body"`
	}{h.c.Labels(), scores, h.c.MultiLabel(), h.c.TakesFeatures(), h.o.MaxTexts, h.o.MaxBody})
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	answer(w, http.StatusOK, body)
}

// OnlyFor answers requests that name the host, localhost or an address, and refuses all others. Otherwise a web page
// could point a name of its own at this machine, and read answers in its visitor's browser.
func OnlyFor(host string, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Host
		if name, _, err := net.SplitHostPort(asked); err == nil {
			asked = name
		}
		_, err := netip.ParseAddr(strings.Trim(asked, "[]"))
		if err != nil && !strings.EqualFold(asked, host) && !strings.EqualFold(asked, "localhost") {
			refuse(w, http.StatusForbidden, fmt.Errorf("nbsvm answers requests to localhost and %s, not to %q", host, asked))
			return
		}
		pages.ServeHTTP(w, r)
	})
}
