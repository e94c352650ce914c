package serve

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// TestLongAnswers: an answer that is too long for memory is refused, and others wait for the
// room of one that is made.
func TestLongAnswers(t *testing.T) {
	must.SkipUnderRace(t)
	server := httptest.NewServer(New(one(manyClasses(t)), limits(Options{})))
	defer server.Close()
	if status, text := ask(t, server, http.MethodPost, "/predict", large(1000)); status != http.StatusRequestEntityTooLarge ||
		!strings.Contains(text, "1000 texts has more than 16777216 bytes: send fewer") {
		t.Errorf("%d %.200s", status, text)
	}
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			status, text := ask(t, server, http.MethodPost, "/predict", large(300))
			var got struct {
				ID          int
				Predictions []answered
			}
			if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK || got.ID != 7 || len(got.Predictions) != 300 {
				t.Errorf("%d, %d predictions, %v", status, len(got.Predictions), err)
				return
			}
			for k, one := range got.Predictions {
				if len(one.Probabilities) != 1000 {
					t.Errorf("text %d: %d classes", k+1, len(one.Probabilities))
				}
			}
		})
	}
	clients.Wait()
}

// TestLateError: features that can't be read are the client's fault, however late in a long request.
func TestLateError(t *testing.T) {
	var lines strings.Builder
	for k := range 600 {
		fmt.Fprintf(&lines, "c%03d %d:1 1000:1\n", k%300, k%300+1)
	}
	server := httptest.NewServer(New(one(trained(t, lines.String())), limits(Options{})))
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
	service := New([]Model{{Classifier: c, Source: source}}, limits(Options{}))
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
			must.OK(t, service.Reload("", path))
		}
	}
	if _, _, err := Open(path + "x"); err == nil || !strings.Contains(err.Error(), "m.nbmx") {
		t.Errorf("of no file: %v", err)
	}
}
