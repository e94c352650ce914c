package corpus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
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
		record := fmt.Sprintf(`{"text": "first\t", "text": "%s", "label": "%s", "more": "%s"}`, text.String(), parts[rng.IntN(7)], behind) // halves are bad in labels
		var object struct{ Text string }
		must.OK(t, json.Unmarshal([]byte(record), &object))
		want = append(want, object.Text)
		records.WriteString(record + "\n")
	}
	for k, d := range mustRead(t, records.String(), labelled(JSONL)) {
		if d.Err != "" || d.Text != want[k] {
			t.Fatalf("record %d: %q, %s, want %q", k, d.Text, d.Err, want[k])
		}
	}
}
