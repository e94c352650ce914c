package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// document is openapi.json, as far as the tests need it.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	RequestBody struct {
		Content map[string]struct{ Schema *schema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema *schema }
	}
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties any // false, a schema, or nothing
	Items                *schema
	OneOf                []*schema
	Enum                 []any
	Nullable             bool
	Minimum              *float64
}

// check finds what a value has against a schema.
func (d *document) check(s *schema, v any, at string) error {
	if s == nil {
		return fmt.Errorf("%s: no schema", at)
	}
	if s.Ref != "" {
		return d.check(d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")], v, at)
	}
	if s.OneOf != nil {
		fit := slices.DeleteFunc(slices.Clone(s.OneOf), func(s *schema) bool { return d.check(s, v, at) != nil })
		if len(fit) != 1 {
			return fmt.Errorf("%s: %v fits %d of %d schemas", at, v, len(fit), len(s.OneOf))
		}
		return nil
	}
	if v == nil && s.Nullable || s.Type == "" && s.Enum == nil { // or anything will do
		return nil
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%s: %v is none of %v", at, v, s.Enum)
	}
	is := fmt.Sprintf("%T", v)
	if is != map[string]string{"string": "string", "number": "float64", "integer": "float64", "boolean": "bool", "object": "map[string]interface {}", "array": "[]interface {}"}[s.Type] {
		return fmt.Errorf("%s: %v is no %s", at, v, s.Type)
	}
	switch v := v.(type) {
	case float64:
		if s.Type == "integer" && v != float64(int64(v)) || s.Minimum != nil && v < *s.Minimum {
			return fmt.Errorf("%s: %v is not whole, or too small", at, v)
		}
	case []any:
		for i, item := range v {
			if err := d.check(s.Items, item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, has := v[name]; !has {
				return fmt.Errorf("%s: no %s", at, name)
			}
		}
		for name, member := range v {
			of := s.Properties[name]
			if of == nil && s.AdditionalProperties == false {
				return fmt.Errorf("%s: unknown %s", at, name)
			} else if more, is := s.AdditionalProperties.(map[string]any); of == nil && is {
				of = &schema{Type: more["type"].(string)}
			}
			if of == nil {
				continue // of any kind
			}
			if err := d.check(of, member, at+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestOpenAPI: the document has the routes, and what is really asked and answered is as it says.
func TestOpenAPI(t *testing.T) {
	content, err := assets.ReadFile("assets/openapi.json")
	must.OK(t, err)
	var d document
	must.OK(t, json.Unmarshal(content, &d))
	service := New(one(trained(t, reviews)), limits(Options{MaxTexts: 3}))
	var described, routes []string
	for path, operations := range d.Paths {
		for method := range operations {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	for _, r := range service.routes() {
		routes = append(routes, r.method+" "+r.path)
	}
	if slices.Sort(described); !slices.Equal(described, slices.Sorted(slices.Values(routes))) {
		t.Errorf("the document has %q, the server %q", described, routes)
	}

	all := kinds(t)
	all["features"] = trained(t, "a 1:1 2:1\nb 2:1 3:1\na 1:2\nb 3:1\n")
	all["reviews"] = trained(t, reviews)
	seen := map[string]bool{}
	for name, c := range all {
		service := New(one(c), limits(Options{MaxTexts: 3}))
		ask := func(method, path, body string) {
			t.Helper()
			w := httptest.NewRecorder()
			service.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
			at := fmt.Sprintf("%s: %s %s %s: %d", name, method, path, body, w.Code)
			operation := d.Paths[path][strings.ToLower(method)]
			seen[fmt.Sprint(method, path, w.Code)] = true
			var asked, answered any
			if w.Code == http.StatusOK && body != "" {
				must.OK(t, json.Unmarshal([]byte(body), &asked))
				if err := d.check(operation.RequestBody.Content["application/json"].Schema, asked, "request"); err != nil {
					t.Errorf("%s: %v", at, err)
				}
			}
			kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
			of, described := operation.Responses[fmt.Sprint(w.Code)].Content[kind]
			if !described {
				t.Errorf("%s: %s is not described", at, kind)
				return
			}
			if answered = w.Body.String(); kind == "application/json" {
				must.OK(t, json.Unmarshal(w.Body.Bytes(), &answered))
			}
			if err := d.check(of.Schema, answered, "answer"); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
		text := "a lovely film"
		if c.TakesFeatures() {
			text = "1:1"
		}
		for path := range maps.Keys(d.Paths) {
			if d.Paths[path]["get"].Responses != nil {
				ask(http.MethodGet, path, "")
				continue
			}
			ask(http.MethodPost, path, `{"text":"`+text+`"}`)
			ask(http.MethodPost, path, `{"text":"`+text+`","top":2,"id":[7],"user":"u"}`)
			ask(http.MethodPost, path, `{"texts":["`+text+`",""],"top":9,"id":"a"}`)
			ask(http.MethodPost, path, `{"texts":["a","a","a","a"]}`)
			ask(http.MethodPost, path, `{`)
		}
		service.Stop()
		ask(http.MethodGet, "/readyz", "")
	}
	for _, want := range []string{"POST/predict200", "POST/predict400", "POST/predict413", "POST/explain200", "GET/model200", "GET/metrics200", "GET/readyz200", "GET/readyz503"} {
		if !seen[want] {
			t.Errorf("nothing was answered as %s", want)
		}
	}
}
