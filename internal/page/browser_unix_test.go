//go:build unix

package page

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestBrowser opens pages of hostile labels, n-grams, texts and settings, and works their controls.
func TestBrowser(t *testing.T) {
	b := testkit.Open(t)
	for name, test := range map[string]struct {
		page   func(t *testing.T) string
		charts float64
		themes []bool // dark and narrow, or light and wide
	}{
		"one label, calibrated": {func(t *testing.T) string {
			return hostilePage(t, len(hostile)-1, false, func(o *nbsvm.Options) { bySpaces(o); o.Calibrate = true })
		}, 8, []bool{false, true}},
		"two classes, margins": {func(t *testing.T) string { return hostilePage(t, 2, false, bySpaces) }, 7, []bool{false}},
		"any number of labels": {func(t *testing.T) string { return hostilePage(t, 12, true, bySpaces) }, 7, []bool{true}},
	} {
		if testing.Short() && name != "one label, calibrated" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b.T = t
			path := filepath.Join(t.TempDir(), "page.html")
			must.OK(t, os.WriteFile(path, []byte(test.page(t)), 0o666))
			for _, dark := range test.themes {
				b.Show("file://"+path, map[bool]int{false: 1280, true: 420}[dark], dark, drawn)
				is := func(what, script string, want any) {
					t.Helper()
					if got := b.Eval(script); got != want {
						t.Errorf("dark %t: %s: %v, want %v", dark, what, got, want)
					}
				}
				is("charts", "Number(document.documentElement.dataset.drawn)", test.charts)
				is("charts with something on them", drawnCanvases, test.charts)
				is("scripts", "document.scripts.length", 3.0)
				is("elements that texts have made", "document.querySelectorAll('img, svg, iframe, object, embed, link, base, form').length", 0.0)
				is("attributes with scripts", "[...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length", 0.0)
				is("the whole width", "document.documentElement.scrollWidth <= document.documentElement.clientWidth", true)

				b.Eval("document.querySelectorAll('details').forEach((d) => d.open = true)")
				b.Eval("new Promise((done) => setTimeout(done, 100))") // toggle events come later
				is("tables", "[...document.querySelectorAll('details[data-table]')].filter((d) => !d.closest('figure').hidden && !d.querySelector('td')).length", 0.0)

				b.Eval("document.getElementById('threshold').focus()")
				before := b.Eval("document.getElementById('kept').textContent")
				b.Press("ArrowLeft", 37, 0)
				b.Press("End", 35, 0)
				if after := b.Eval("document.getElementById('kept').textContent"); after == before {
					t.Errorf("the threshold does not move: %v", after)
				}
				b.Eval(`for (const s of document.querySelectorAll('select')) for (const i of [1, s.options.length - 1]) {
					if (i < 1 || i >= s.options.length) continue;
					s.selectedIndex = i; s.dispatchEvent(new Event('change'));
				}`)
				for x := 100; x < 400; x += 60 { // tooltips
					b.Eval(`document.querySelectorAll('[data-chart] canvas').forEach((c) => { const r = c.getBoundingClientRect();
						for (const y of [0.3, 0.5, 0.7]) c.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: r.left + ` + fmt.Sprint(x) + `, clientY: r.top + y * r.height })); })`)
				}
				is("scripts of texts that have run", "window.pwned === undefined", true)
				for _, fault := range b.Faults() {
					t.Errorf("dark %t: %s", dark, fault)
				}
			}
		})
	}
}

// drawn tells whether a page has drawn its charts.
const drawn = "Number(document.documentElement.dataset.drawn) > 0"

// drawnCanvases counts the charts on which not all is one colour.
const drawnCanvases = `[...document.querySelectorAll('[data-chart]')].filter((chart) => [...chart.querySelectorAll('canvas')].some((c) => {
	const pixels = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
	return pixels.some((p) => p !== pixels[0]);
})).length`
