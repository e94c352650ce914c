// Package serve answers HTTP requests with what models predict, JSON in and out.
package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// Options bound what requests may take.
type Options struct {
	MaxBody  int64         // bytes of a request
	MaxTexts int           // of a request
	Timeout  time.Duration // from the first byte of a request to its answer
	InFlight int64         // bytes that requests and answers take in memory, while others wait
	Threads  int           // for the texts of a request; all processors
	Log      *slog.Logger  // of requests; none
}

// Service answers requests with what models predict. These can be replaced meanwhile.
type Service struct {
	http.Handler
	o        Options
	room     *semaphore.Weighted // bytes for requests and their answers
	watch    *watch
	stopping atomic.Bool

	places  []*place
	closing sync.WaitGroup // models that were replaced, and still answer requests
}

// New returns a service that answers with models, which it closes in the end. Several must have names.
func New(models []Model, o Options) *Service {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &Service{o: o, room: semaphore.NewWeighted(o.InFlight)}
	for _, m := range models {
		s.places = append(s.places, &place{name: m.Name})
	}
	s.watch = newWatch(o.Log, slices.Concat(s.routes(), s.pages()))
	for _, m := range models {
		s.set(m)
	}
	s.Handler = s.watch.around(s.mux())
	return s
}

// Stop has /readyz say that no more requests are to be sent here. Those that come are answered.
func (s *Service) Stop() { s.stopping.Store(true) }

// mux leads to the routes.
func (s *Service) mux() http.Handler {
	mux, all := http.NewServeMux(), []string(nil)
	for _, r := range s.routes() {
		all = append(all, r.method+" "+r.path)
	}
	for _, r := range slices.Concat(s.routes(), s.pages()) {
		pattern := r.path
		if strings.HasSuffix(pattern, "/") {
			pattern += "{$}" // and nothing below it
		}
		mux.HandleFunc(pattern, r.serve)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, refusal{http.StatusNotFound, errors.New("no such page: the server has " + strings.Join(all, ", "))})
	})
	return mux
}

// route is what is answered at a path, to one method.
type route struct {
	method, path string
	answer       http.HandlerFunc
}

// routes returns the routes for programs. Those of a model, which openapi.json describes, stand below its name.
func (s *Service) routes() (all []route) {
	server := []route{
		{http.MethodGet, "/healthz", alive},
		{http.MethodGet, "/readyz", s.ready},
		{http.MethodGet, "/metrics", func(w http.ResponseWriter, r *http.Request) { s.watch.metrics(w, r) }},
	}
	if s.named() {
		all = append(all, route{http.MethodPost, "/predict", s.work(s.places, predictByAll, predictionTakes)})
		all = append(all, server...)
	}
	for i, p := range s.places {
		of := s.places[i : i+1]
		all = append(all, below(p.name, slices.Concat([]route{
			{http.MethodPost, "/predict", s.work(of, predictByOne, predictionTakes)},
			{http.MethodPost, "/explain", s.work(of, explainByOne, explanationTakes)},
			{http.MethodGet, "/model", s.describe(of)},
			{http.MethodGet, "/openapi.json", openAPI(p.name)},
		}, server))...)
	}
	return all
}

// named reports whether models have names, and their routes are below these.
func (s *Service) named() bool { return s.places[0].name != "" }

// below returns the routes below a name, if there is one.
func below(name string, routes []route) []route {
	if name != "" {
		for i := range routes {
			routes[i].path = "/" + name + routes[i].path
		}
	}
	return routes
}

// serve answers requests of the method, of which GET includes HEAD.
func (p *route) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != p.method && (r.Method != http.MethodHead || p.method != http.MethodGet) {
		w.Header().Set("Allow", p.method)
		refuse(w, refusal{http.StatusMethodNotAllowed, fmt.Errorf("%s takes %s, not %q", p.path, p.method, r.Method)})
		return
	}
	p.answer(w, r)
}

// Server serves a handler with the limits of time.
func Server(h http.Handler, o Options) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: o.Timeout, ReadTimeout: o.Timeout, WriteTimeout: 2 * o.Timeout,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: errorLog(o.Log),
	}
}

// errorLog returns the log for errors outside of handlers, such as failed handshakes. It is nil, for standard error,
// without a log.
func errorLog(to *slog.Logger) *log.Logger {
	if to == nil {
		return nil
	}
	return slog.NewLogLogger(to.Handler(), slog.LevelWarn)
}

// answer sends JSON.
func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // who asked may have gone
}

// answerJSON sends a value as JSON.
func answerJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		refuse(w, refusal{http.StatusInternalServerError, err})
		return
	}
	answer(w, http.StatusOK, body)
}

// refusal is an error with the status of its answer.
type refusal struct {
	status int
	error
}

func tooLarge(format string, values ...any) error {
	return refusal{http.StatusRequestEntityTooLarge, fmt.Errorf(format, values...)}
}

func unavailable(format string, values ...any) error {
	return refusal{http.StatusServiceUnavailable, fmt.Errorf(format, values...)}
}

// refuse answers with what is wrong: with the request, unless the error says otherwise.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	if known, is := errors.AsType[refusal](err); is {
		status = known.status
	} else if errors.Is(err, context.Canceled) || errors.Is(err, osfile.ErrTruncated) {
		status = http.StatusInternalServerError
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	body, marshalErr := json.Marshal(map[string]string{"error": err.Error()})
	if marshalErr != nil {
		panic(marshalErr) // a string can be marshalled
	}
	answer(w, status, body)
}

// alive tells that the server lives.
func alive(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, []byte(`{"status":"ok"}`))
}

// ready reports whether requests are to be sent here.
func (s *Service) ready(w http.ResponseWriter, r *http.Request) {
	if s.stopping.Load() {
		refuse(w, unavailable("the server is stopping"))
		return
	}
	alive(w, r)
}

// describe answers with what the model is.
func (s *Service) describe(of []*place) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		models, done := current(of)
		defer done()
		m := models[0]
		answerJSON(w, struct {
			Source
			Labels     []string `json:"labels"`
			Scores     string   `json:"scores"` // probabilities, margins or, of numbers, scores
			MultiLabel bool     `json:"multi_label"`
			Features   bool     `json:"takes_features"`
			Explains   bool     `json:"explains"`
			Separator  string   `json:"path_separator,omitempty"` // of labels that are paths
			MaxTexts   int      `json:"max_texts"`
			MaxBody    int64    `json:"max_body"`
		}{
			m.Source, m.Labels(), scoring.Scale(m.Classifier), m.MultiLabel(), m.TakesFeatures(), !m.TakesFeatures(),
			inside.Classifier(m.Classifier).PathSeparator(), s.o.MaxTexts, s.o.MaxBody,
		})
	}
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
			refuse(w, refusal{http.StatusForbidden, fmt.Errorf("nbsvm answers requests to localhost and %s, not to %q",
				host, asked)})
			return
		}
		pages.ServeHTTP(w, r)
	})
}
