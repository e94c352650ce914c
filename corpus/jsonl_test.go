package corpus

import (
	"encoding/json"
	"testing"
)

func TestMembers(t *testing.T) {
	for _, test := range []struct {
		record string
		count  int
		has    bool
	}{
		{`{}`, 0, false},
		{" {\t} ", 0, false},
		{`{"a":1}`, 1, false},
		{`{"q":null}`, 1, true},
		{` { "a" : [1, {"q":2}] , "b" : {"q":"}"} } `, 2, false},
		{`{"a":"q","\u0071":"x"}`, 2, true},
		{`{"Q":1,"qq":2,"":3}`, 3, false},
		{`{"q":1,"q":2}`, 2, true},
		{`{"a":"\"q\":1"}`, 1, false},
	} {
		if count, has := Members([]byte(test.record), "q"); count != test.count || has != test.has {
			t.Errorf("%s: %d members, %v; want %d, %v", test.record, count, has, test.count, test.has)
		}
	}
}

// FuzzMembers compares with encoding/json, and ends on what is none.
func FuzzMembers(f *testing.F) {
	for _, record := range []string{`{}`, `{"a":{"b":1},"q":[]}`, `{"\u0071":1e5,"x":"y"}`, `{"a":1 "b"`, "", `{"a`, `{"a" :b"`, `[]`} {
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record string) {
		_, has := Members([]byte(record), "q")
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(record), &object) != nil || object == nil {
			return
		}
		if _, want := object["q"]; has != want {
			t.Fatalf("%q: %v, want %v", record, has, want)
		}
	})
}
