package corpus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestJSONTexts compares texts with encoding/json: with escapes at all places, in records of all lengths, and all of
// them once the last was parsed.
func TestJSONTexts(t *testing.T) {
	parts := []string{`\"`, `\\`, `\/`, `\n`, `\u00e9`, `\u0000`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83d\ud83d\ude00`, `\ud83d\u0041`, "é"}
	rng := rand.New(rand.NewPCG(5, 6))
	var records strings.Builder
	var want []string
	for range 3000 {
		var text strings.Builder
		for range rng.IntN(6) {
			text.WriteString(strings.Repeat("x", rng.IntN(70)))
			text.WriteString(parts[rng.IntN(len(parts))])
			if rng.IntN(200) == 0 {
				text.WriteString(strings.Repeat("y", arenaSize/2-100+rng.IntN(200)))
			}
		}
		behind := ""
		if rng.IntN(200) == 0 {
			behind = strings.Repeat("z", arenaSize/2-100+rng.IntN(200))
		}
		record := fmt.Sprintf(`{"text": "first\t", "text": "%s", "label": "%s", "more": "%s"}`, text.String(), parts[rng.IntN(len(parts))], behind)
		var object struct{ Text string }
		if err := json.Unmarshal([]byte(record), &object); err != nil {
			t.Fatal(err)
		}
		want = append(want, object.Text)
		records.WriteString(record + "\n")
	}
	for k, d := range mustRead(t, records.String(), labelled(JSONL)) {
		if d.Err != "" || d.Text != want[k] {
			t.Fatalf("record %d: %q, %s, want %q", k, d.Text, d.Err, want[k])
		}
	}
}

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
