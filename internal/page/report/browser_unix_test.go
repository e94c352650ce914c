//go:build unix

package report

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/tag"
)

// browser is a headless Chromium with one page, spoken to in the DevTools protocol through pipes.
type browser struct {
	t       *testing.T
	write   *os.File
	session string

	mu      sync.Mutex
	next    int
	answers map[int]chan message
	events  []message
}

type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// chromium finds the browser, or skips the test.
func chromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium here (Debian: chromium), so pages are not opened")
	return ""
}

// openBrowser starts a browser with an empty page. Whatever it would ask the network for comes to naught.
func openBrowser(t *testing.T) *browser {
	theirs, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, chromium(t), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
		"--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "about:blank")
	cmd.ExtraFiles = []*os.File{theirs, theirOut}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	theirOut.Close()
	b := &browser{t: t, write: write, answers: map[int]chan message{}}
	t.Cleanup(func() {
		_, _ = b.try("Browser.close", nil)
		write.Close()
		time.AfterFunc(5*time.Second, cancel)
		_ = cmd.Wait()
		cancel()
		read.Close()
	})
	go b.listen(read)

	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	for range 100 { // the page may not be there yet
		b.call("Target.getTargets", nil, &targets)
		if len(targets.TargetInfos) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
			b.session = attached.SessionID
		}
	}
	if b.session == "" {
		t.Fatal("the browser has no page")
	}
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// listen takes answers and events in.
func (b *browser) listen(read *os.File) {
	in := bufio.NewReader(read)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if answer := b.answers[m.ID]; answer != nil && m.ID > 0 {
			answer <- m
		} else {
			b.events = append(b.events, m)
		}
		b.mu.Unlock()
	}
}

func (b *browser) try(method string, params any) (json.RawMessage, error) {
	encoded, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	b.next++
	m := message{ID: b.next, Method: method, SessionID: b.session}
	if params != nil {
		m.Params = encoded
	}
	b.answers[m.ID] = answer
	b.mu.Unlock()
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if _, err := b.write.Write(append(text, 0)); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, errors.New(method + ": " + string(m.Error))
		}
		return m.Result, nil
	case <-time.After(30 * time.Second):
		return nil, errors.New(method + ": no answer")
	}
}

// call asks the browser for something, and decodes the answer.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	answer, err := b.try(method, params)
	if err == nil && result != nil {
		err = json.Unmarshal(answer, result)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// eval runs a script in the page, beyond the page's own policy, and returns its value.
func (b *browser) eval(script string) any {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, answer.ExceptionDetails)
	}
	return answer.Result.Value
}

// open shows a page, and waits until it has drawn its charts.
func (b *browser) open(path string, width int, dark bool) {
	b.t.Helper()
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.mu.Lock()
	b.events = nil
	b.mu.Unlock()
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for range 200 {
		if drawn, _ := b.eval("document.readyState === 'complete' && Number(document.documentElement.dataset.drawn) > 0").(bool); drawn {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Errorf("%s: the charts are not drawn; events: %s", path, b.faults())
}

// faults are what the browser has said of the page since it was opened, and what the page has asked for.
func (b *browser) faults() (faults []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.events {
		switch m.Method {
		case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Page.javascriptDialogOpening":
			faults = append(faults, m.Method+": "+string(m.Params))
		case "Network.requestWillBeSent":
			var p struct {
				Type    string
				Request struct{ URL string }
			}
			if json.Unmarshal(m.Params, &p) != nil || p.Type != "Document" {
				faults = append(faults, "asks for "+p.Request.URL)
			}
		}
	}
	return faults
}

// TestBrowser opens pages of hostile labels, n-grams, texts and settings, and works their controls.
func TestBrowser(t *testing.T) {
	b := openBrowser(t)
	for name, test := range map[string]struct {
		page   func(t *testing.T) string
		charts float64
	}{
		"one label, calibrated": {func(t *testing.T) string {
			return hostilePage(t, len(hostile)-1, false, func(o *train.Options) { bySpaces(o); o.Calibrate = true })
		}, 11},
		"two classes, margins": {func(t *testing.T) string { return hostilePage(t, 2, false, bySpaces) }, 10},
		"any number of labels": {func(t *testing.T) string { return hostilePage(t, 12, true, bySpaces) }, 10},
		"tags":                 {func(t *testing.T) string { return hostileTags(t, tag.CRF, 1) }, 9},
	} {
		if testing.Short() && name != "one label, calibrated" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b.t = t
			path := filepath.Join(t.TempDir(), "page.html")
			if err := os.WriteFile(path, []byte(test.page(t)), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, dark := range []bool{false, true} {
				b.open(path, map[bool]int{false: 1280, true: 420}[dark], dark)
				is := func(what, script string, want any) {
					t.Helper()
					if got := b.eval(script); got != want {
						t.Errorf("dark %t: %s: %v, want %v", dark, what, got, want)
					}
				}
				is("charts", "Number(document.documentElement.dataset.drawn)", test.charts)
				is("charts with something on them", drawnCanvases, test.charts)
				is("scripts", "document.scripts.length", 3.0)
				is("elements that texts have made", "document.querySelectorAll('img, svg, iframe, object, embed, link, base, form').length", 0.0)
				is("attributes with scripts", "[...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on'))).length", 0.0)
				is("the whole width", "document.documentElement.scrollWidth <= document.documentElement.clientWidth", true)

				b.eval("document.querySelectorAll('details').forEach((d) => d.open = true)")
				b.eval("new Promise((done) => setTimeout(done, 100))") // toggle events come later
				is("tables", "[...document.querySelectorAll('details[data-table]')].filter((d) => !d.closest('figure').hidden && !d.querySelector('td')).length", 0.0)

				b.eval("document.getElementById('threshold').focus()")
				before := b.eval("document.getElementById('kept').textContent")
				for _, key := range []string{"ArrowLeft", "ArrowLeft", "End"} {
					b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": map[string]int{"ArrowLeft": 37, "End": 35}[key]}, nil)
					b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key}, nil)
				}
				if after := b.eval("document.getElementById('kept').textContent"); after == before {
					t.Errorf("the threshold does not move: %v", after)
				}
				b.eval(`for (const s of document.querySelectorAll('select')) for (const i of [1, s.options.length - 1]) {
					if (i < 1 || i >= s.options.length) continue;
					s.selectedIndex = i; s.dispatchEvent(new Event('change'));
				}`)
				for x := 100; x < 400; x += 60 { // tooltips
					b.eval(`document.querySelectorAll('[data-chart] canvas').forEach((c) => { const r = c.getBoundingClientRect();
						for (const y of [0.3, 0.5, 0.7]) c.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: r.left + ` + fmt.Sprint(x) + `, clientY: r.top + y * r.height })); })`)
				}
				is("scripts of texts that have run", "window.pwned === undefined", true)
				for _, fault := range b.faults() {
					t.Errorf("dark %t: %s", dark, fault)
				}
			}
		})
	}
}

// drawnCanvases counts the charts on which not all is one colour.
const drawnCanvases = `[...document.querySelectorAll('[data-chart]')].filter((chart) => [...chart.querySelectorAll('canvas')].some((c) => {
	const pixels = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
	return pixels.some((p) => p !== pixels[0]);
})).length`

// pictures takes screenshots of the page, from the top to the end.
func (b *browser) pictures(name string, width int) {
	b.t.Helper()
	const height = 2400
	end, _ := b.eval("document.documentElement.scrollHeight").(float64)
	for k := 0; float64(k*height) < end; k++ {
		var shot struct{ Data []byte }
		clip := map[string]float64{"x": 0, "y": float64(k * height), "width": float64(width), "height": min(height, end-float64(k*height)), "scale": 1}
		b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": clip}, &shot)
		if err := os.WriteFile(fmt.Sprintf("%s-%02d.png", name, k), shot.Data, 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
}

// TestPictures takes pictures of the pages in NBSVM_PAGES, for people to look at, into the folder NBSVM_PICTURES.
func TestPictures(t *testing.T) {
	pages, err := filepath.Glob(os.Getenv("NBSVM_PAGES"))
	if err != nil || len(pages) == 0 || os.Getenv("NBSVM_PICTURES") == "" {
		t.Skip("NBSVM_PAGES='FOLDER/*.html' and NBSVM_PICTURES=FOLDER take pictures of pages at two widths, light and dark")
	}
	b := openBrowser(t)
	for _, page := range pages {
		for _, width := range []int{1280, 420} {
			for _, dark := range []bool{false, true} {
				b.open(page, width, dark)
				name := filepath.Base(page) + map[bool]string{false: "-light", true: "-dark"}[dark] + map[int]string{1280: "-wide", 420: "-narrow"}[width]
				b.pictures(filepath.Join(os.Getenv("NBSVM_PICTURES"), name), width)
				for _, fault := range b.faults() {
					t.Errorf("%s: %s", page, fault)
				}
			}
		}
	}
}
