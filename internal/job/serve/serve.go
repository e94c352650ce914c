// Package serve answers HTTP requests with what a model predicts, JSON in and out.
package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/job/render"
	"github.com/seed-167f963f/nbsvm/internal/page/style"
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
	mux, all := http.NewServeMux(), []string(nil)
	for _, r := range h.routes() {
		all = append(all, r.method+" "+r.path)
		pattern := r.path
		if pattern == "/" {
			pattern = "/{$}" // and nothing below it
		}
		mux.HandleFunc(pattern, r.serve)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, errors.New("no such page: the server has "+strings.Join(all, ", ")))
	})
	return mux
}

// route is what is answered at a path, to one method.
type route struct {
	method, path string
	answer       http.HandlerFunc
}

func (h *handler) routes() []route {
	return []route{
		{http.MethodGet, "/", asset("page.html", "text/html; charset=utf-8")},
		{http.MethodGet, "/page.js", asset("page.js", "text/javascript; charset=utf-8")},
		{http.MethodGet, "/page.css", asset("page.css", "text/css; charset=utf-8")},
		{http.MethodGet, "/common.css", fixed("text/css; charset=utf-8", []byte(style.Common))},
		{http.MethodGet, "/icon.svg", asset("icon.svg", "image/svg+xml")},
		{http.MethodPost, "/predict", h.work(h.predict)},
		{http.MethodPost, "/explain", h.work(h.explain)},
		{http.MethodGet, "/model", h.model},
		{http.MethodGet, "/healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, []byte(`{"status":"ok"}`)) }},
	}
}

// serve answers requests of the method, of which GET includes HEAD.
func (p *route) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != p.method && (r.Method != http.MethodHead || p.method != http.MethodGet) {
		w.Header().Set("Allow", p.method)
		refuse(w, http.StatusMethodNotAllowed, fmt.Errorf("%s takes %s, not %s", p.path, p.method, strconv.Quote(r.Method)))
		return
	}
	p.answer(w, r)
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
		Explains   bool     `json:"explains"`
		Separator  string   `json:"path_separator,omitempty"` // of labels that are paths
		MaxTexts   int      `json:"max_texts"`
		MaxBody    int64    `json:"max_body"`
	}{h.c.Labels(), scores, h.c.MultiLabel(), h.c.TakesFeatures(), !h.c.TakesFeatures(), h.c.PathSeparator(), h.o.MaxTexts, h.o.MaxBody})
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
