package serve

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestReload sends requests from several clients while the model is replaced all the time by another file of its name.
// Each is answered, by one of the models, and every file that was mapped is let go. NBSVM_REQUESTS=100000 sends more.
func TestReload(t *testing.T) {
	requests := 1000
	if text := os.Getenv("NBSVM_REQUESTS"); text != "" {
		var err error
		if requests, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Leaves(t, func() { reloadUnderLoad(t, requests) })
}

func reloadUnderLoad(t *testing.T, requests int) {
	path := filepath.Join(t.TempDir(), "m.nbm")
	models := []*nbsvm.Classifier{trained(t, reviews), trained(t, strings.NewReplacer("good\t", "bad\t", "bad\t", "good\t").Replace(reviews))}
	must.OK(t, models[0].Save(path))
	first, err := nbsvm.Open(path)
	must.OK(t, err)
	service := New(one(first), limits(Options{}))
	server := httptest.NewServer(service)
	post := func(path, body string) string {
		answer, err := server.Client().Post(server.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Sprint(answer.Status, err, text)
		}
		return string(text)
	}
	var clients sync.WaitGroup
	var sent, left atomic.Int64
	counts := map[string]*atomic.Int64{"good": {}, "bad": {}}
	const several = 4
	left.Store(several)
	for range several {
		clients.Go(func() {
			defer left.Add(-1)
			for sent.Add(1) <= int64(requests) {
				text := post("/predict", `{"text":"a lovely film"}`)
				label, _, _ := strings.Cut(strings.TrimPrefix(text, `{"labels":["`), `"`)
				if counts[label] == nil {
					t.Errorf("a request got %s", text)
					return
				}
				counts[label].Add(1)
				if text := post("/explain", `{"text":"dull"}`); !strings.HasPrefix(text, `{"label":`) {
					t.Errorf("a request got %s", text)
					return
				}
			}
		})
	}
	reloads := 0
	for left.Load() > 0 {
		reloads++
		must.OK(t, models[reloads%2].Save(path))
		if err := service.Reload("", path); err != nil {
			t.Error(err)
		}
	}
	clients.Wait()
	server.Close()
	if err := service.Close(); err != nil {
		t.Error(err)
	}
	good, bad := counts["good"].Load(), counts["bad"].Load()
	t.Logf("%d reloads, %d and %d answers", reloads, good, bad)
	if good+bad != int64(requests) || good == 0 || bad == 0 {
		t.Errorf("%d requests have %d and %d answers of either model", requests, good, bad)
	}
}
