package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestNames: models that have names answer below these as each does alone, and by their names together.
func TestNames(t *testing.T) {
	turned := strings.NewReplacer("good\t", "bad\t", "bad\t", "good\t").Replace(reviews)
	all := []Model{{Name: "film", Classifier: trained(t, reviews)}, {Name: "größe", Classifier: trained(t, turned)}}
	type object = map[string]any
	for n := range all {
		models := all[:n+1]
		server := httptest.NewServer(New(models, limits(Options{})))
		for _, body := range []string{
			`{"text":"a lovely film","top":2,"id":[1]}`, `{"texts":["dull","a lovely film",""]}`, `{"texts":[]}`, `{"text":1}`,
		} {
			want := object{}
			for _, m := range models {
				alone := httptest.NewServer(New(one(m.Classifier), limits(Options{})))
				below := "/" + url.PathEscape(m.Name)
				for _, path := range []string{"/explain", "/predict"} {
					wantStatus, wantBody := ask(t, alone, http.MethodPost, path, body)
					if status, got := ask(t, server, http.MethodPost, below+path, body); status != wantStatus || got != wantBody {
						t.Errorf("%s%s %s: %d %s, want %d %s", below, path, body, status, got, wantStatus, wantBody)
					}
					if path == "/explain" {
						continue
					}
					var of object
					must.OK(t, json.Unmarshal([]byte(wantBody), &of))
					for _, member := range []string{"id", "error"} {
						if value, has := of[member]; has {
							want[member] = value
							delete(of, member)
						}
					}
					list, several := of["predictions"].([]any)
					switch {
					case !several && len(of) > 0:
						want[m.Name] = of
					case several && want["predictions"] == nil:
						want["predictions"] = []any{}
						for range list {
							want["predictions"] = append(want["predictions"].([]any), object{})
						}
					}
					for k := range list {
						want["predictions"].([]any)[k].(object)[m.Name] = list[k]
					}
				}
				alone.Close()
			}
			_, text := ask(t, server, http.MethodPost, "/predict", body)
			var got object
			must.OK(t, json.Unmarshal([]byte(text), &got))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d models, %s: %v, want %v", len(models), body, got, want)
			}
		}
		for _, path := range []string{"/healthz", "/readyz", "/film/readyz", "/film/model"} {
			if status, answer := ask(t, server, http.MethodGet, path, ""); status != http.StatusOK {
				t.Errorf("%s: %d %s", path, status, answer)
			}
		}
		if status, answer := ask(t, server, http.MethodPost, "/explain", `{"text":""}`); status != http.StatusNotFound {
			t.Errorf("an explanation by no model: %d %s", status, answer)
		}
		page, err := server.Client().Get(server.URL + "/")
		must.OK(t, err)
		if page.Body.Close(); page.Request.URL.Path != "/film/" || page.StatusCode != http.StatusOK {
			t.Errorf("/ is %s, %d", page.Request.URL, page.StatusCode)
		}
		server.Close()
	}
}

// TestNamedDocument: the OpenAPI document of a model has its routes below its name.
func TestNamedDocument(t *testing.T) {
	service := New([]Model{{Name: "größe", Classifier: trained(t, reviews)}}, limits(Options{}))
	w := httptest.NewRecorder()
	service.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/gr%C3%B6%C3%9Fe/openapi.json", nil))
	var d struct {
		document
		Servers []struct{ URL string }
	}
	must.OK(t, json.Unmarshal(w.Body.Bytes(), &d))
	if len(d.Servers) != 1 || d.Servers[0].URL != "/gr%C3%B6%C3%9Fe" || len(d.Paths) == 0 {
		t.Errorf("servers %v, %d paths", d.Servers, len(d.Paths))
	}
	for path, operations := range d.Paths {
		for method := range operations {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(strings.ToUpper(method), d.Servers[0].URL+path, strings.NewReader(`{"text":"dull"}`))
			if service.ServeHTTP(w, r); w.Code != http.StatusOK {
				t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
			}
		}
	}
}

// TestReloadNamed: a model is replaced by its name, and the others stay.
func TestReloadNamed(t *testing.T) {
	turned := strings.NewReplacer("good\t", "bad\t", "bad\t", "good\t").Replace(reviews)
	path := filepath.Join(t.TempDir(), "m.nbm")
	must.OK(t, trained(t, turned).Save(path))
	models := []Model{{Name: "a", Classifier: trained(t, reviews)}, {Name: "b", Classifier: trained(t, reviews)}}
	service := New(models, limits(Options{}))
	must.OK(t, service.Reload("b", path))
	w := httptest.NewRecorder()
	service.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/predict", strings.NewReader(`{"text":"a lovely film"}`)))
	var got map[string]answered
	must.OK(t, json.Unmarshal(w.Body.Bytes(), &got))
	if got["a"].Labels[0] != "good" || got["b"].Labels[0] != "bad" {
		t.Errorf("%s", w.Body)
	}
	must.OK(t, service.Close())
}
