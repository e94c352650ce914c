//go:build unix

package serve

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

const ready = "document.documentElement.dataset.ready === 'yes'"

// visit serves a classifier, and shows its page.
func visit(t *testing.T, b *testkit.Browser, c *nbsvm.Classifier, width int, dark bool) *httptest.Server {
	server := httptest.NewServer(New(c, Options{}))
	t.Cleanup(server.Close)
	b.T = t
	b.Show(server.URL, width, dark, ready)
	return server
}

// classify types texts and presses Ctrl+Enter, and waits for the first explanation.
func classify(b *testkit.Browser, texts string, lines bool) {
	b.T.Helper()
	b.Eval(fmt.Sprintf(`document.getElementById('texts').value = %q; document.getElementById('lines').checked = %t;
		document.getElementById('texts').focus()`, texts, lines))
	b.Press("Enter", 13, 2)
	b.Wait("!document.getElementById('results').hidden && document.querySelector('details.result').dataset.done === 'yes'")
}

// TestBrowser has texts classified and explained by every kind of model, by keyboard alone.
func TestBrowser(t *testing.T) {
	b := testkit.Open(t)
	all := kinds(t)
	all["features"] = trained(t, "a 1:1 2:1\nb 2:1 3:1\na 1:2\nb 3:1\n")
	all["hostile"] = trained(t, "<img src=x onerror=\"window.pwned=1\">\ta lovely film\n__proto__\ta dull film\n2\tlovely\n1\tdull\n")
	for name, c := range all {
		if testing.Short() && name != "nbsvm" && name != "hostile" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			server := visit(t, b, c, 400, false)
			texts := "a lovely film, it's <b>warm</b> <script>window.pwned=1</script>\na dull film\n\nboring"
			if c.TakesFeatures() {
				texts = "1:1\n2:1 3:1\n3:1"
			}
			classify(b, texts, true)
			is := func(what, script string, want any) {
				t.Helper()
				if got := b.Eval(script); got != want {
					t.Errorf("%s: %v, want %v", what, got, want)
				}
			}
			is("results", "document.querySelectorAll('details.result').length", 3.0)
			p, err := c.Predict([]byte(strings.Split(texts, "\n")[0]))
			must.OK(t, err)
			if len(p.Labels) > 0 {
				is("the first label", "document.querySelector('summary .label').textContent", c.Labels()[p.Labels[0]])
			}
			is("the text", "document.querySelector('.text').textContent", strings.Split(texts, "\n")[0])
			is("an explanation", "document.querySelector('.legend') !== null", !c.TakesFeatures())
			is("why there is none", "document.querySelector('.result').textContent.includes('cannot explain')", c.TakesFeatures())
			is("bars", "document.querySelectorAll('details[open] .bar').length > 0", true)

			b.Eval("document.querySelectorAll('summary')[0].focus()")
			for range 20 { // to the second text, past what the first one shows
				b.Press("Tab", 9, 0)
				if on, _ := b.Eval("document.activeElement === document.querySelectorAll('.result > summary')[1]").(bool); on {
					break
				}
			}
			b.Press("Enter", 13, 0)
			b.Wait("document.querySelectorAll('details.result')[1].dataset.done === 'yes'")

			is("a command", fmt.Sprintf(`[...document.querySelectorAll('pre')].map((p) => p.textContent)
				.some((line) => line.startsWith("curl -d '{") && line.endsWith("}' %s/predict"))`, server.URL), true)
			is("elements that texts have made", "document.querySelectorAll('img, b, iframe').length + document.scripts.length", 1.0)
			is("scripts of texts that have run", "window.pwned === undefined", true)
			is("the whole width", "document.documentElement.scrollWidth <= document.documentElement.clientWidth", true)
			for _, fault := range b.Faults(server.URL + "/") {
				t.Error(fault)
			}
		})
	}
}

// TestBrowserFails: what is wrong is said on the page.
func TestBrowserFails(t *testing.T) {
	b := testkit.Open(t)
	server := visit(t, b, trained(t, reviews), 400, true)
	said := "document.getElementById('status').className === 'failed' && document.getElementById('status').textContent.includes('%s')"
	b.Eval("document.getElementById('classify').click()")
	b.Wait(fmt.Sprintf(said, "Type a text first"))
	server.Close()
	b.Eval("document.getElementById('texts').value = 'lovely'; document.getElementById('classify').click()")
	b.Wait(fmt.Sprintf(said, "does not answer"))
}
