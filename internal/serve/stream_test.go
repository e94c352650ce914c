package serve

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// manyClasses is a classifier of 1,000 classes, of a kind that is soon trained.
func manyClasses(t *testing.T) *nbsvm.Classifier {
	t.Helper()
	var lines strings.Builder
	for k := range 2000 {
		fmt.Fprintf(&lines, "class%04d\tw%d v%d\n", k%1000, k%1000, k%7)
	}
	return trained(t, lines.String(), func(o *nbsvm.Options) { o.Kind, o.Loss = nbsvm.Multinomial, "" })
}

// large asks for all classes of so many texts.
func large(texts int) string {
	return `{"id":7,"top":1000,"texts":[` + strings.Repeat(`"w1",`, texts-1) + `"w2"]}`
}

// TestStreams: answers that are thousands of times as long as their requests are sent as they are made, and are right.
func TestStreams(t *testing.T) {
	service := New(manyClasses(t), limits(Options{Timeout: 10 * time.Minute}))
	server := httptest.NewServer(service)
	defer server.Close()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	const texts, several = 400, 3 // which make 16 MB each
	var clients sync.WaitGroup
	for range several {
		clients.Go(func() {
			reply, err := server.Client().Post(server.URL+"/predict", "application/json", strings.NewReader(large(texts)))
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			d, n := json.NewDecoder(reply.Body), 0
			for _, want := range []any{json.Delim('{'), "id", 7.0, "predictions", json.Delim('[')} {
				if got, err := d.Token(); err != nil || got != want {
					t.Errorf("%v, want %v: %v", got, want, err)
				}
			}
			for ; d.More(); n++ {
				var one answered
				if err := d.Decode(&one); err != nil || len(one.Probabilities) != 1000 {
					t.Errorf("text %d: %d classes, %v", n+1, len(one.Probabilities), err)
					return
				}
			}
			if _, err := io.Copy(io.Discard, reply.Body); err != nil || n != texts {
				t.Errorf("%d of %d predictions, %v", n, texts, err)
			}
		})
	}
	most, ended := uint64(0), make(chan struct{})
	go func() { clients.Wait(); close(ended) }()
	for open := true; open; {
		select {
		case <-ended:
			open = false
		case <-time.After(5 * time.Millisecond):
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 24<<20 {
		t.Errorf("%d answers of about 16 MB took %d MiB", several, grown>>20)
	}
}

// TestAnswersCount: an answer counts towards the bytes that may be in memory, while it is being taken, and others wait.
// One that is not taken in time breaks off.
func TestAnswersCount(t *testing.T) {
	service := New(manyClasses(t), limits(Options{InFlight: 2 << 20, Timeout: 2 * time.Second}))
	server := httptest.NewServer(service)
	defer server.Close()
	slow, err := server.Client().Post(server.URL+"/predict", "application/json", strings.NewReader(large(1000)))
	must.OK(t, err)
	defer slow.Body.Close()
	if taken := service.watch.bytes.Load(); taken != 2<<20 {
		t.Errorf("the answer takes %d bytes", taken)
	}
	if status, text := ask(t, server, http.MethodPost, "/predict", `{"text":"w1"}`); status != http.StatusOK {
		t.Errorf("a second one gets %d %.100s", status, text)
	}
	for ended := time.Now().Add(10 * time.Second); service.watch.bytes.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(ended) {
			t.Fatal("the answer that nobody takes goes on")
		}
	}
	if _, err := io.Copy(io.Discard, slow.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an answer that broke off ends with %v", err)
	}
	if status, text := ask(t, server, http.MethodGet, "/model", ""); status != http.StatusOK {
		t.Errorf("afterwards: %d %.100s", status, text)
	}
}

// TestLateError: features that can't be read are the client's fault, however late in a long request.
func TestLateError(t *testing.T) {
	var lines strings.Builder
	for k := range 600 {
		fmt.Fprintf(&lines, "c%03d %d:1 1000:1\n", k%300, k%300+1)
	}
	server := httptest.NewServer(New(trained(t, lines.String()), limits(Options{})))
	defer server.Close()
	body := `{"top":300,"texts":[` + strings.Repeat(`"1:1",`, 999) + `"words"]}`
	if status, text := ask(t, server, http.MethodPost, "/predict", body); status != 400 || !strings.Contains(text, "text 1000: ") {
		t.Errorf("%d %.200s", status, text)
	}
}

// TestWhichModel: the server tells the name, the hash and the age of its model, also of one that took its place.
func TestWhichModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.nbm")
	save := func(c *nbsvm.Classifier) string {
		must.OK(t, c.Save(path))
		data, err := os.ReadFile(path)
		must.OK(t, err)
		return fmt.Sprintf("%x", sha256.Sum256(data))
	}
	hash := save(trained(t, reviews))
	c, source, err := Open(path)
	must.OK(t, err)
	service := New(c, limits(Options{Source: source}))
	server := httptest.NewServer(service)
	defer server.Close()
	for again := range 2 {
		var got Source
		if _, text := ask(t, server, http.MethodGet, "/model", ""); json.Unmarshal([]byte(text), &got) != nil {
			t.Error(text)
		}
		if got.Name != "m.nbm" || got.SHA256 != hash || time.Since(got.Opened) > time.Minute || got.Opened.IsZero() {
			t.Errorf("%+v, want the hash %s", got, hash)
		}
		if again == 0 {
			hash = save(trained(t, reviews+"good\tnew\n"))
			must.OK(t, service.Reload(path))
		}
	}
	if _, _, err := Open(path + "x"); err == nil || !strings.Contains(err.Error(), "m.nbmx") {
		t.Errorf("of no file: %v", err)
	}
}
