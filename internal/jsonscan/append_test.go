package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAppendField(t *testing.T) {
	for _, test := range []struct{ record, path, want string }{
		{`{}`, "q", `{"q":0}`},
		{" {\t} ", "q", " {\t\"q\":0} "},
		{`{"a":1}`, "q", `{"a":1,"q":0}`},
		{`{"q":null}`, "q", `it has a field "q" already`},
		{` { "a" : [1, {"q":2}] , "b" : {"q":"}"} } `, "q", ` { "a" : [1, {"q":2}] , "b" : {"q":"}"} ,"q":0} `},
		{`{"a":"q","\u0071":"x"}`, "q", `it has a field "q" already`},
		{`{"Q":1,"qq":2,"":3}`, "q", `{"Q":1,"qq":2,"":3,"q":0}`},
		{`{"q":1,"q":2}`, "q", `it has a field "q" already`},
		{`{"a":"\"q\":1"}`, "q", `{"a":"\"q\":1","q":0}`},
		{`{"m":{"x":1},"n":2}`, "m.q", `{"m":{"x":1,"q":0},"n":2}`},
		{`{"m" : { } ,"n":2}`, "m.q", `{"m" : { "q":0} ,"n":2}`},
		{`{"n":2}`, "m.q", `{"n":2,"m":{"q":0}}`},
		{`{}`, "l.m.q", `{"l":{"m":{"q":0}}}`},
		{`{"l":{"k":"}"}}`, "l.m.q", `{"l":{"k":"}","m":{"q":0}}}`},
		{`{"l":{"m":{"p":1}}}`, "l.m.q", `{"l":{"m":{"p":1,"q":0}}}`},
		{`{"\u006d":{"x":1}}`, "m.q", `{"\u006d":{"x":1,"q":0}}`},
		{`{"m":{"x":1},"m":{"y":1}}`, "m.q", `{"m":{"x":1},"m":{"y":1,"q":0}}`}, // the last counts
		{`{"m":{"q":1},"m":{}}`, "m.q", `it has a field "m.q" already`},
		{`{"m":{"\u0071":1}}`, "m.q", `it has a field "m.q" already`},
		{`{"m.q":1}`, "m.q", `it has a field "m.q" already`},
		{`{"m":1}`, "m.q", `its field "m" is "1", not an object to add "m.q" to`},
		{`{"m":null}`, "m.q", `its field "m" is "null", not an object to add "m.q" to`},
		{`{"l":{"m":[{}]}}`, "l.m.q", `its field "l.m" is "[{}]", not an object to add "l.m.q" to`},
		{"  ", "q", "  "},
	} {
		got := added(t, test.record, test.path)
		if got != test.want {
			t.Errorf("%s in %s: %s\nwant %s", test.path, test.record, got, test.want)
		}
		if again := added(t, got, test.path); strings.HasPrefix(got, "{") && again != `it has a field "`+test.path+`" already` {
			t.Errorf("%s in %s: %s", test.path, got, again)
		}
	}
}

// added is a record with a field more, of value 0, or what is said against it.
func added(t *testing.T, record, path string) string {
	t.Helper()
	got, err := AppendField(nil, []byte(record), path, []byte("0"))
	if err != nil {
		return err.Error()
	}
	return string(got)
}

// FuzzAppendField compares with encoding/json, and ends on what is none.
func FuzzAppendField(f *testing.F) {
	for _, record := range []string{
		`{}`, `{"a":{"b":1},"q":[]}`, `{"\u0071":1e5,"x":"y"}`, `{"a":1 "b"`, "", `{"a`, `{"a" :b"`, `[]`,
		`{"m":{"q":1}}`, `{"m":{}}`, `{"m":2,"m":{"x":{"q":1}}}`, `{"m.q":1}`, `{"m":{"x"`,
	} {
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record string) {
		_, err := AppendField(nil, []byte(record), "q", []byte("0"))
		nested := added(t, record, "m.q")
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(record), &object) != nil || object == nil {
			return
		}
		if _, want := object["q"]; (err != nil) != want {
			t.Fatalf("%q: %v, want an error: %v", record, err, want)
		}
		if !strings.HasPrefix(strings.TrimLeft(nested, " \t\r\n"), "{") {
			return // it has the field, or has something else there
		}
		var whole, inner map[string]json.RawMessage
		if err := json.Unmarshal([]byte(nested), &whole); err != nil {
			t.Fatalf("%q becomes %q: %v", record, nested, err)
		}
		if err := json.Unmarshal(whole["m"], &inner); err != nil || string(inner["q"]) != "0" {
			t.Fatalf("%q becomes %q: %v", record, nested, err)
		}
	})
}
