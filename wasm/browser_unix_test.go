//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestPage: in a browser, the page says of a text what the model does, as one types, without a request to anywhere
// else.
func TestPage(t *testing.T) {
	b := testkit.Open(t)
	folder := t.TempDir()
	for _, path := range []string{filepath.Join(goroot(t), "lib/wasm/wasm_exec.js"), "page/index.html", "page/page.css", "page/page.js", "page/nbsvm.js"} {
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, filepath.Base(path)), data, 0o666)
		}
		must.OK(t, err)
	}
	must.OK(t, os.Rename(build(t, "js"), filepath.Join(folder, "nbsvm.wasm")))
	labels, documents := words(2000, rand.New(rand.NewPCG(3, 4)))
	in := corpus.Input{Stdin: bytes.NewReader(lines(labels, documents)), Format: corpus.TSV}
	c, _, err := nbsvm.Train(t.Context(), in, nbsvm.DefaultOptions())
	must.OK(t, err)
	must.OK(t, c.Save(filepath.Join(folder, "model.nbm")))
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()
	for _, width := range []int{400, 1400} {
		for _, dark := range []bool{false, true} {
			b.Show(server.URL+"/#w3 w4", width, dark, "!document.getElementById('text').disabled")
			for k, text := range documents[:5] {
				b.Eval(fmt.Sprintf("text.value = %q; text.dispatchEvent(new Event('input'))", text))
				p, err := c.Predict([]byte(text))
				must.OK(t, err)
				if got := b.Eval("document.getElementById('labels').dataset.labels"); got != c.Labels()[p.Labels[0]] {
					t.Errorf("text %d is %v, want %s", k, got, c.Labels()[p.Labels[0]])
				}
				score := fmt.Sprintf("%.4f", p.Scores[p.Labels[0]])
				if got := b.Eval("classes.tBodies[0].rows[0].cells[1].textContent"); got != score {
					t.Errorf("text %d has the score %v, want %s", k, got, score)
				}
			}
			if wide := b.Eval("document.documentElement.scrollWidth > innerWidth"); wide != false {
				t.Errorf("the page is wider than %d pixels", width)
			}
			if faults := b.Faults(server.URL); faults != nil {
				t.Errorf("%v", faults)
			}
		}
	}
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	must.OK(t, err)
	return strings.TrimSpace(string(out))
}
