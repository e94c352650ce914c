//go:build unix

package serve

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestBrowser has texts classified and explained by every kind of model.
func TestBrowser(t *testing.T) {
	all := kinds(t)
	all["features"] = trained(t, "a 1:1 2:1\nb 2:1 3:1\na 1:2\nb 3:1\n")
	all["hostile"] = trained(t, "<img src=x onerror=\"window.pwned=1\">\ta lovely film\n__proto__\ta dull film\n2\tlovely\n1\tdull\n")
	for name, c := range all {
		if testing.Short() && name != "nbsvm" && name != "hostile" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			texts := "a lovely film, it's <b>warm</b> <script>window.pwned=1</script>\na dull film\n\nboring"
			if c.TakesFeatures() {
				texts = "1:1\n2:1 3:1\n3:1"
			}
			p, err := c.Predict([]byte(strings.Split(texts, "\n")[0]))
			must.OK(t, err)
			type found struct {
				Results             int
				Label, Text         string
				Legend, Unexplained bool
				Bars, Command       bool
				Made                int // elements that texts have made, and the page's own script
				Pwned, Wide         bool
			}
			want := found{
				Results: 3, Text: strings.Split(texts, "\n")[0], Legend: !c.TakesFeatures(), Unexplained: c.TakesFeatures(),
				Bars: true, Command: true, Made: 1,
			}
			if len(p.Labels) > 0 {
				want.Label = c.Labels()[p.Labels[0]]
			}
			var got found
			service := New(one(c), limits(Options{}))
			defer service.Close()
			testkit.Browse(t, service, "/", 400, false, fmt.Sprintf(`
				await until(() => dom.documentElement.dataset.ready === 'yes');
				const texts = dom.getElementById('texts'), all = (selector) => [...dom.querySelectorAll(selector)];
				texts.value = %q;
				dom.getElementById('lines').checked = true;
				texts.dispatchEvent(new page.KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
				const done = (k) => all('details.result')[k]?.dataset.done === 'yes';
				await until(() => !dom.getElementById('results').hidden && done(0));
				all('.result > summary')[1].click();
				await until(() => done(1));
				return {
					results: all('details.result').length, label: dom.querySelector('summary .label')?.textContent,
					text: dom.querySelector('.text').textContent, legend: dom.querySelector('.legend') !== null,
					unexplained: dom.querySelector('.result').textContent.includes('cannot explain'),
					bars: all('details[open] .bar').length > 0,
					command: all('pre').some((p) => p.textContent.startsWith("curl -d '{") && p.textContent.endsWith("}' " + page.location.origin + "/predict")),
					made: all('img, b, iframe').length + dom.scripts.length, pwned: page.pwned !== undefined,
					wide: dom.documentElement.scrollWidth > dom.documentElement.clientWidth,
				};`, texts), &got)
			if len(p.Labels) == 0 {
				got.Label = ""
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

// TestBrowserFails: what is wrong is said on the page.
func TestBrowserFails(t *testing.T) {
	service := New(one(trained(t, reviews)), limits(Options{}))
	defer service.Close()
	var stopped atomic.Bool
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/predict" {
			stopped.Store(true)
		}
		if stopped.Load() {
			panic(http.ErrAbortHandler)
		}
		service.ServeHTTP(w, r)
	})
	var said []string
	testkit.Browse(t, pages, "/", 400, true, `
		await until(() => dom.documentElement.dataset.ready === 'yes');
		const status = dom.getElementById('status'), said = [];
		for (const text of ['', 'lovely']) {
			status.className = '';
			dom.getElementById('texts').value = text;
			dom.getElementById('classify').click();
			await until(() => status.className === 'failed');
			said.push(status.textContent);
		}
		return said;`, &said)
	if len(said) != 2 || !strings.Contains(said[0], "Type a text first") || !strings.Contains(said[1], "does not answer") {
		t.Errorf("the page says %q", said)
	}
}
