package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestInputPrints: inputs without paths are refused at the first, before they take memory.
func TestInputPrints(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "", `[{"path":"a","bytes":3},{"path":"b","bytes":4}]`: "", `null`: "",
		`[{"path":"a"},{},{}]`: "input 2 has no path",
		`{}`:                   "no list",
		`[1]`:                  "cannot unmarshal",
		"[" + strings.Repeat("{},", 1000) + "{}]": "input 1 has no path",
	} {
		var p inputPrints
		err := json.Unmarshal([]byte(text), &p)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}
