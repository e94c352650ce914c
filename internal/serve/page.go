package serve

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"

	"github.com/seed-167f963f/nbsvm/internal/page"
)

//go:embed assets
var assets embed.FS

// pages returns the routes of browsers: a page for each model. Where these have names, / leads to the first.
func (s *Service) pages() (all []route) {
	if s.named() {
		first := http.RedirectHandler("/"+s.places[0].name+"/", http.StatusFound)
		all = append(all, route{http.MethodGet, "/", first.ServeHTTP})
	}
	for _, p := range s.places {
		all = append(all, below(p.name, []route{
			{http.MethodGet, "/", asset("page.html", "text/html; charset=utf-8")},
			{http.MethodGet, "/page.js", asset("page.js", "text/javascript; charset=utf-8")},
			{http.MethodGet, "/page.css", asset("page.css", "text/css; charset=utf-8")},
			{http.MethodGet, "/common.css", fixed("text/css; charset=utf-8", []byte(page.Common))},
			{http.MethodGet, "/icon.svg", asset("icon.svg", "image/svg+xml")},
		})...)
	}
	return all
}

// policy is the page's Content-Security-Policy: it has what this server has, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// asset answers with an embedded file.
func asset(name, kind string) http.HandlerFunc { return fixed(kind, content(name)) }

// content returns an embedded file.
func content(name string) []byte {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return content
}

// openAPI answers with the description of the routes below a name.
func openAPI(name string) http.HandlerFunc {
	document := content("openapi.json")
	if name != "" {
		document = fmt.Appendf(nil, `{"servers": [{"url": %q}],%s`, "/"+url.PathEscape(name), document[1:])
	}
	return fixed("application/json", document)
}

// fixed answers with what never changes while the server runs.
func fixed(kind string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache") // another version may run there next
		_, _ = w.Write(content)            // who asked may have gone
	}
}
