package serve

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// watch counts and times requests, and logs them.
type watch struct {
	set   *metrics.Set
	log   *slog.Logger
	known map[string]bool // paths; all others count as one

	requests, bytes atomic.Int64 // that are being answered
	texts           *metrics.Counter
}

// seconds are bounds of histograms: a text takes a fraction of a millisecond, a request at most its time.
var seconds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

func newWatch(log *slog.Logger, routes []route) *watch {
	metrics.ExposeMetadata(true) // the types
	o := &watch{set: metrics.NewSet(), log: log, known: map[string]bool{}}
	for _, r := range routes {
		o.known[r.path] = true
	}
	o.texts = o.set.NewCounter("nbsvm_texts_total")
	gauge := func(name string, value *atomic.Int64) {
		o.set.NewGauge(name, func() float64 { return float64(value.Load()) })
	}
	gauge("nbsvm_http_requests_in_flight", &o.requests)
	gauge("nbsvm_http_request_bytes_in_flight", &o.bytes)
	return o
}

// loaded is when the model of a name was, in seconds since 1970.
func (o *watch) loaded(name string) *metrics.Gauge {
	for _, result := range []string{"ok", "error"} {
		o.reloads(name, result)
	}
	labels := ""
	if name != "" {
		labels = fmt.Sprintf("{model=%q}", name)
	}
	return o.set.GetOrCreateGauge("nbsvm_model_loaded_timestamp_seconds"+labels, nil)
}

// reloads counts the attempts to replace the model of a name.
func (o *watch) reloads(name, result string) *metrics.Counter {
	model := ""
	if name != "" {
		model = fmt.Sprintf("model=%q,", name)
	}
	return o.set.GetOrCreateCounter(fmt.Sprintf("nbsvm_model_reloads_total{%sresult=%q}", model, result))
}

// metrics answers in the text format of Prometheus.
func (o *watch) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	o.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

// around watches what answers requests.
func (o *watch) around(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		o.requests.Add(1)
		answered := &recorder{ResponseWriter: w, status: http.StatusOK}
		path := "other"
		if o.known[r.URL.Path] {
			path = r.URL.Path
		}
		defer func() {
			took := time.Since(began)
			o.requests.Add(-1)
			o.set.GetOrCreateCounter(fmt.Sprintf("nbsvm_http_requests_total{path=%q,code=\"%d\"}", path,
				answered.status)).Inc()
			name := fmt.Sprintf("nbsvm_http_request_duration_seconds{path=%q}", path)
			o.set.GetOrCreatePrometheusHistogramExt(name, seconds).Update(took.Seconds())
			o.log.LogAttrs(r.Context(), level(path, answered.status), "request",
				slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", answered.status),
				slog.Float64("seconds", took.Seconds()), slog.Int64("bytes_in", max(r.ContentLength, 0)),
				slog.Int64("bytes_out", answered.bytes), slog.String("remote", r.RemoteAddr))
		}()
		inner.ServeHTTP(answered, r)
	})
}

// level makes warnings of what is the server's fault, and keeps quiet about those who only look whether it lives.
func level(path string, status int) slog.Level {
	switch {
	case status >= http.StatusInternalServerError:
		return slog.LevelWarn
	case path == "/healthz" || path == "/readyz" || path == "/metrics":
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(body []byte) (int, error) {
	n, err := w.ResponseWriter.Write(body)
	w.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController what the server made.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
