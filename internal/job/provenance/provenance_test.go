package provenance

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestInputs: inputs without paths are refused at the first, before they take memory.
func TestInputs(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "", `[{"path":"a","bytes":3},{"path":"b","bytes":4}]`: "", `null`: "",
		`[{"path":"a"},{},{}]`: "input 2 has no path",
		`{}`:                   "must be a list",
		`[1]`:                  "cannot unmarshal",
		"[" + strings.Repeat("{},", 1000) + "{}]": "input 1 has no path",
	} {
		var p Inputs
		err := json.Unmarshal([]byte(text), &p)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}

// TestNoOptions: records with and without options can be compared, either way round.
func TestNoOptions(t *testing.T) {
	without, with := &Run{}, &Run{Options: map[string]string{"where": "p > 0.5"}}
	if got, want := without.Differs(with), `without --where, not with --where "p > 0.5"`; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got, want := with.Differs(without), `with --where "p > 0.5", not without --where`; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
