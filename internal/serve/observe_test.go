package serve

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// exposed is a line of the text format of Prometheus, with labels whose values have no quotes.
var exposed = regexp.MustCompile(`^(#.*|[a-z_]+(\{[A-Za-z_]+="[^"]*"(, ?[A-Za-z_]+="[^"]*")*\})? [0-9.e+-]+(Inf)?)$`)

func TestMetrics(t *testing.T) {
	service := New(one(trained(t, reviews)), limits(Options{}))
	server := httptest.NewServer(service)
	defer server.Close()
	ask(t, server, http.MethodPost, "/predict", `{"text":"lovely"}`)
	ask(t, server, http.MethodPost, "/predict", `{"texts":["lovely","dull"]}`)
	ask(t, server, http.MethodPost, "/predict", `{`)
	ask(t, server, http.MethodGet, "/nowhere%22%0a", "")
	if err := service.Reload("", "no model"); err == nil {
		t.Error("no error")
	}
	w := httptest.NewRecorder()
	service.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	for _, want := range []string{
		`nbsvm_http_requests_total{path="/predict",code="200"} 2`,
		`nbsvm_http_requests_total{path="/predict",code="400"} 1`,
		`nbsvm_http_requests_total{path="other",code="404"} 1`,
		`nbsvm_http_request_duration_seconds_count{path="/predict"} 3`,
		`nbsvm_http_request_duration_seconds_bucket{path="/predict",le="+Inf"} 3`,
		`nbsvm_http_requests_in_flight 1`,
		`nbsvm_http_request_bytes_in_flight 0`,
		"# TYPE nbsvm_texts_total counter\nnbsvm_texts_total 3",
		"# TYPE nbsvm_http_request_duration_seconds histogram",
		`nbsvm_model_reloads_total{result="ok"} 0`,
		`nbsvm_model_reloads_total{result="error"} 1`,
		`nbsvm_model_loaded_timestamp_seconds 1`,
		`go_goroutines `,
	} {
		if !strings.Contains(text, "\n"+want) && !strings.HasPrefix(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if !exposed.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("no line of a metric: %q", line)
		}
	}
}

// TestLog: requests are logged without their texts, and those of who looks whether the server lives are not.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	service := New(one(trained(t, reviews)), limits(Options{Log: slog.New(slog.NewJSONHandler(&out, nil))}))
	for _, path := range []string{"/predict", "/healthz", "/readyz", "/metrics"} {
		method := map[bool]string{true: http.MethodPost, false: http.MethodGet}[path == "/predict"]
		service.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(`{"text":"secret"}`)))
	}
	var line struct {
		Level, Msg, Method, Path, Remote string
		Status                           int
		Seconds                          float64
		BytesIn                          int `json:"bytes_in"`
		BytesOut                         int `json:"bytes_out"`
	}
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	if line.Level != "INFO" || line.Msg != "request" || line.Method != "POST" || line.Path != "/predict" || line.Status != 200 ||
		line.Seconds <= 0 || line.BytesIn != 17 || line.BytesOut < 20 || line.Remote == "" || strings.Contains(out.String(), "secret") {
		t.Errorf("%+v: %s", line, &out)
	}
}

// TestReady: a service that is to stop says so, and answers.
func TestReady(t *testing.T) {
	service := New(one(trained(t, reviews)), limits(Options{}))
	server := httptest.NewServer(service)
	defer server.Close()
	for _, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		if status, _ := ask(t, server, http.MethodGet, "/readyz", ""); status != want {
			t.Errorf("readyz: %d, want %d", status, want)
		}
		if status, _ := ask(t, server, http.MethodGet, "/healthz", ""); status != http.StatusOK {
			t.Errorf("healthz: %d", status)
		}
		if status, _ := ask(t, server, http.MethodPost, "/predict", `{"text":"a"}`); status != http.StatusOK {
			t.Errorf("predict: %d", status)
		}
		service.Stop()
	}
}
