package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/serve"
)

// TestHealth asks servers that are ready, that are about to stop, that are no nbsvm, that do not answer in time, and
// none.
func TestHealth(t *testing.T) {
	tsv := filepath.Join(t.TempDir(), "tiny.tsv")
	must.OK(t, os.WriteFile(tsv, []byte("pos\ta lovely film\nneg\ta dull film\n"), 0o600))
	options := nbsvm.DefaultOptions()
	options.MinDF = 1
	model, _, err := nbsvm.Train(t.Context(), corpus.Input{Paths: []string{tsv}}, options)
	must.OK(t, err)
	service := serve.New(model, serve.Options{MaxBody: 1 << 20, MaxTexts: 1, InFlight: 1 << 20, Threads: 1})
	defer service.Close()
	plain, secure := httptest.NewServer(service), httptest.NewTLSServer(service)
	defer plain.Close()
	defer secure.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	never := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-never }))
	defer slow.Close()
	defer close(never)

	check := func(code int, want string, args ...string) {
		t.Helper()
		var out, stderr bytes.Buffer
		got := run(t.Context(), append([]string{"health"}, args...), streams{strings.NewReader(""), &out, &stderr})
		if text := out.String() + stderr.String(); got != code || !strings.Contains(text, want) {
			t.Errorf("health %v: exit code %d, %q; want %d and %q", args, got, text, code, want)
		}
	}
	address := strings.TrimPrefix(plain.URL, "http://")
	check(0, "ready\n", address)
	check(0, "ready\n", plain.URL+"/")
	check(0, "ready\n", secure.URL) // whose certificate nobody has signed
	check(exitFailed, "server gave HTTP response to HTTPS client", strings.Replace(plain.URL, "http:", "https:", 1))
	check(exitFailed, "/readyz is not ready: it says 404 Not Found: 404 page not found", other.URL)
	check(exitFailed, "no answer within 50ms", "--timeout", "50ms", slow.URL)
	service.Stop()
	check(exitFailed, "it says 503 Service Unavailable", address)
	plain.Close()
	check(exitFailed, fmt.Sprintf("http://%s/readyz is not ready: dial tcp", address), address)
	for _, wrong := range []string{"ftp://host", "http://", "", "host:port:port", "http://a b"} {
		check(exitUsage, "must be HOST:PORT", wrong)
	}
}
