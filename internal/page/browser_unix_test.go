//go:build unix

package page

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// works is what a page is like, once its controls were worked.
type works struct {
	Drawn, Charts           int
	Scripts, Made, Handlers int // elements and attributes with scripts that texts have made
	Empty                   int // tables without rows
	Wide, Moved, Pwned      bool
	Dark                    bool
}

// work works the controls of a page.
const work = `
	await until(() => Number(dom.documentElement.dataset.drawn) > 0);
	const all = (selector) => [...dom.querySelectorAll(selector)];
	const at = dom.getElementById('threshold'), kept = dom.getElementById('kept'), before = kept.textContent;
	all('details').forEach((d) => d.open = true);
	await until(() => all('details[data-table]').every((d) => d.closest('figure').hidden || d.querySelector('td')));
	const found = {
		drawn: Number(dom.documentElement.dataset.drawn),
		charts: all('[data-chart]').filter((chart) => [...chart.querySelectorAll('canvas')].some((c) => {
			const pixels = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
			return pixels.some((p) => p !== pixels[0]); // not all is one colour
		})).length,
		scripts: dom.scripts.length,
		made: all('img, svg, iframe, object, embed, link, base, form').length,
		handlers: all('*').filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length,
		wide: dom.documentElement.scrollWidth > dom.documentElement.clientWidth,
		dark: page.matchMedia('(prefers-color-scheme: dark)').matches,
	};
	at.value = at.max; at.dispatchEvent(new Event('input'));
	found.moved = kept.textContent !== before;
	for (const s of all('select')) for (const i of [1, s.options.length - 1]) {
		if (i < 1 || i >= s.options.length) continue;
		s.selectedIndex = i; s.dispatchEvent(new Event('change'));
	}
	for (let x = 100; x < 400; x += 60) all('[data-chart] canvas').forEach((c) => { // tooltips
		const r = c.getBoundingClientRect();
		for (const y of [0.3, 0.5, 0.7]) c.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: r.left + x, clientY: r.top + y * r.height }));
	});
	await new Promise((next) => setTimeout(next, 500));
	found.pwned = page.pwned !== undefined;
	return found;`

// TestBrowser opens pages of hostile labels, n-grams, texts and settings, and works their controls.
func TestBrowser(t *testing.T) {
	for name, test := range map[string]struct {
		page   func(t *testing.T) string
		charts int
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
			text := test.page(t)
			pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = io.WriteString(w, text)
			})
			for _, dark := range test.themes {
				var got works
				testkit.Browse(t, pages, "/page.html", map[bool]int{false: 1280, true: 420}[dark], dark, work, &got)
				if want := (works{Drawn: test.charts, Charts: test.charts, Scripts: 3, Moved: true, Dark: dark}); got != want {
					t.Errorf("dark %t:\n got %+v\nwant %+v", dark, got, want)
				}
			}
		})
	}
}

// TestBrowserAudit opens a page of an audit, narrow and wide: it has its style, asks for nothing, and is not wider than
// the window.
func TestBrowserAudit(t *testing.T) {
	text := hostileAudit(t)
	pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	})
	const look = `
		const all = (selector) => [...dom.querySelectorAll(selector)];
		return {
			bars: all('svg.bar rect.now').filter((r) => page.getComputedStyle(r).fill !== 'rgb(0, 0, 0)').length,
			scripts: dom.scripts.length,
			handlers: all('*').filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length,
			wide: dom.documentElement.scrollWidth > dom.documentElement.clientWidth,
			pwned: page.pwned !== undefined,
		};`
	for _, dark := range []bool{false, true} {
		var got struct {
			Bars, Scripts, Handlers int
			Wide, Pwned             bool
		}
		testkit.Browse(t, pages, "/page.html", map[bool]int{false: 1280, true: 420}[dark], dark, look, &got)
		if got.Bars != 35 || got.Scripts > 0 || got.Handlers > 0 || got.Wide || got.Pwned {
			t.Errorf("dark %t: %+v", dark, got)
		}
	}
}

// TestBrowserNumbers opens pages of predicted numbers: all charts are drawn, and their tables filled.
func TestBrowserNumbers(t *testing.T) {
	for name, number := range map[string]func(i int) (want, got float64){
		"levels":   func(i int) (_, _ float64) { return float64(i % 6), float64(i%7) * 0.8 },
		"many":     func(i int) (_, _ float64) { return float64(i), math.Sqrt(float64(i)) },
		"constant": func(int) (_, _ float64) { return 3, 3 },
	} {
		if testing.Short() && name != "levels" {
			continue
		}
		var a metrics.Regression
		for i := range 500 {
			must.OK(t, a.Add(number(i)))
		}
		r, err := a.Report()
		must.OK(t, err)
		x := texts{Measured: "500 documents", Content: new(content)}
		x.addNumbers(r)
		var text bytes.Buffer
		must.OK(t, x.write(&text))
		for key := range r.Values() {
			if metricNames[key] == "" {
				t.Errorf("%s has no name", key)
			}
		}
		pages := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(text.Bytes())
		})
		const look = `
			await until(() => Number(dom.documentElement.dataset.drawn) > 0);
			const all = (selector) => [...dom.querySelectorAll(selector)];
			all('details').forEach((d) => d.open = true);
			await until(() => all('details[data-table]').every((d) => d.querySelector('td')));
			for (let x = 100; x < 400; x += 30) all('[data-chart] canvas').forEach((c) => { // tooltips
				const r = c.getBoundingClientRect();
				for (let y = 0.1; y < 1; y += 0.1) c.dispatchEvent(new MouseEvent('mousemove',
					{ bubbles: true, clientX: r.left + x, clientY: r.top + y * r.height }));
			});
			return {
				charts: all('[data-chart] canvas').filter((c) => {
					const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
					const pixels = new Uint32Array(data.buffer), blue = [0, 114, 178];
					return pixels.some((_, i) => blue.every((b, k) => Math.abs(data[4 * i + k] - b) < 3 && data[4 * i + 3] > 250));
				}).length,
				wide: dom.documentElement.scrollWidth > dom.documentElement.clientWidth,
			};`
		var got struct {
			Charts int
			Wide   bool
		}
		testkit.Browse(t, pages, "/page.html", 1280, false, look, &got)
		if got.Charts != 3 || got.Wide {
			t.Errorf("%s: %+v, want 3 charts with marks", name, got)
		}
	}
}
