//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	type answer struct{ Label, Score string }
	var want []answer
	for _, text := range documents[:5] {
		p, err := c.Predict([]byte(text))
		must.OK(t, err)
		want = append(want, answer{c.Labels()[p.Labels[0]], fmt.Sprintf("%.4f", p.Scores[p.Labels[0]])})
	}
	texts, err := json.Marshal(documents[:5])
	must.OK(t, err)
	for _, width := range []int{400, 1400} {
		for _, dark := range []bool{false, true} {
			var got struct {
				Answers []answer
				Wide    bool
			}
			testkit.Browse(t, http.FileServer(http.Dir(folder)), "/#w3 w4", width, dark, fmt.Sprintf(`
				const text = dom.getElementById('text'), answers = [];
				await until(() => !text.disabled);
				for (const asked of %s) {
					text.value = asked;
					text.dispatchEvent(new Event('input'));
					answers.push({ label: dom.getElementById('labels').dataset.labels,
						score: dom.getElementById('classes').tBodies[0].rows[0].cells[1].textContent });
				}
				return { answers, wide: dom.documentElement.scrollWidth > page.innerWidth };`, texts), &got)
			if !slices.Equal(got.Answers, want) || got.Wide {
				t.Errorf("%d pixels, dark %t: %+v, want %+v", width, dark, got, want)
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
