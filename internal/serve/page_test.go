package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPage: the page and what belongs to it, and no inline script or style that its policy would refuse.
func TestPage(t *testing.T) {
	handler := New(one(trained(t, reviews)), limits(Options{}))
	for path, want := range map[string]string{
		"/": "text/html", "/page.js": "text/javascript", "/page.css": "text/css", "/common.css": "text/css", "/icon.svg": "image/svg+xml",
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		h := w.Header()
		if w.Code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), want) || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, w.Code, h)
		}
		if p := h.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none';") || strings.Contains(p, "unsafe") {
			t.Errorf("%s has the policy %s", path, p)
		}
		if body := w.Body.String(); path == "/" && (strings.Contains(body, "style=") || strings.Contains(body, "<style") || strings.Contains(body, "://")) {
			t.Errorf("the page has a style of its own, or names another host: %s", body)
		}
	}
}
