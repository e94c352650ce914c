//go:build unix

package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// driver opens a page in a frame. driverScript runs a script on the page, and shows what that returns.
const (
	driver = `<!doctype html><meta charset="utf-8"><body><script src="/driver.js" defer></script>
<iframe id="frame" src="%s" style="border:0;width:%dpx;height:900px"></iframe><pre id="result"></pre>`

	driverScript = `const until = async (done) => {
	for (let k = 0; k < 2000; k++) { if (done()) return; await new Promise((next) => setTimeout(next, 20)); }
	throw new Error('never true: ' + done);
};
onload = async () => {
	const page = frame.contentWindow, dom = page.document;
	try { result.textContent = JSON.stringify(await (async () => { %s })()); } catch (e) { console.error(e.stack); }
	for (const { name } of page.performance.getEntriesByType('resource')) {
		if (!name.startsWith(location.origin)) console.error('the page asks for ' + name);
	}
};`
)

// Browse opens a page of a handler in a headless Chromium, so many pixels wide, and decodes what a script returns there
// into a value. The script is the body of an async function: page is the window, dom its document, and until(f) waits
// for f() to be true. Names of other hosts lead nowhere. The test fails if the page or the browser says anything on the
// console, or asks another host for anything; it is skipped if there is no Chromium.
func Browse(t *testing.T, pages http.Handler, path string, width int, dark bool, script string, into any) {
	t.Helper()
	chromium := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			chromium = found
		}
	}
	if chromium == "" {
		t.Skip("no Chromium here (Debian: chromium), so pages are not opened")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/driver.html":
			fmt.Fprintf(w, driver, html.EscapeString(path), width)
		case "/driver.js":
			fmt.Fprintf(w, driverScript, script)
		default:
			pages.ServeHTTP(framed{w}, r)
		}
	}))
	defer server.Close()
	scheme := map[bool]string{true: "0", false: "1"}[dark]
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1600,1000", "--enable-logging=stderr",
		"--blink-settings=preferredColorScheme="+scheme, "--virtual-time-budget=60000", "--dump-dom",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"), server.URL+"/driver.html")
	var messages bytes.Buffer
	cmd.Stderr = &messages
	shown, err := cmd.Output()
	for line := range strings.Lines(messages.String()) {
		if strings.Contains(line, ":CONSOLE:") {
			t.Error(line)
		}
	}
	_, result, _ := strings.Cut(string(shown), `<pre id="result">`)
	result, _, _ = strings.Cut(result, "</pre>")
	if result == "" || err != nil {
		t.Fatalf("the script has returned nothing: %v", err)
	}
	must.OK(t, json.Unmarshal([]byte(html.UnescapeString(result)), into))
}

// framed lets a page be shown in a frame.
type framed struct{ http.ResponseWriter }

func (w framed) Write(p []byte) (int, error) {
	h := w.Header()
	h.Set("Content-Security-Policy", strings.ReplaceAll(h.Get("Content-Security-Policy"), "frame-ancestors 'none'", ""))
	return w.ResponseWriter.Write(p)
}
