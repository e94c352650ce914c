package choices

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "7": 7, "7B": 7, "1e3": 1000, "1.5k": 1536, "2K": 2048, "2kB": 2000, "2KB": 2000, "2 KiB": 2048,
		"512M": 512 << 20, "512m": 512 << 20, "512MB": 512e6, "512MiB": 512 << 20, "512mib": 512 << 20,
		"512Mi": 512 << 20, "8Gi": 8 << 30, "8G": 8 << 30, "8gb": 8e9, "8GiB": 8 << 30, "1T": 1 << 40, "1TB": 1e12, "1TiB": 1 << 40,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "K", "lots", "-1", "5XB", "1iB", "1MBB", "1KMB", "Inf", "NaN", "1e30", "9999999T"} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "such as 512MiB or 8GiB") {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
}

func TestOrders(t *testing.T) {
	for text, want := range map[string]Orders{
		"1-3": {Lo: 1, Hi: 3}, "1": {Lo: 1, Hi: 1}, "2": {Lo: 2, Hi: 2}, "4-4": {Lo: 4, Hi: 4}, "auto": {Auto: true},
	} {
		var n Orders
		if err := n.UnmarshalText([]byte(text)); err != nil || n != want {
			t.Errorf("%s gives %+v, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "-", "1-", "-2", "one", "1-2-3", "1,2", "1 - 2", "99999999999999999999"} {
		var n Orders
		if err := n.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q gives %+v", text, n)
		}
	}
}

// TestJSON reads options as Python gives them.
func TestJSON(t *testing.T) {
	given := `{"tokenizer": "char", "ngrams": [2, 3], "beta": 0.5, "class_weight": {"a": 2}, "memory": 1024, "reg_lambda": 2, "values": "count", "model": "gbdt"}`
	var c Choices
	must.OK(t, json.Unmarshal([]byte(given), &c))
	o, err := c.Apply(nbsvm.DefaultOptions())
	if err != nil || o.Text.Tokenizer != hashing.Char || o.Text.NgramLo != 2 || o.Text.NgramHi != 3 || o.Beta != 0.5 || o.AutoBeta ||
		o.ClassWeight.Weights["a"] != 2 || o.Memory != 1024 || o.Trees.Lambda != 2 || o.Values != nbsvm.Count {
		t.Errorf("%s gives %+v, %v", given, o, err)
	}
	if ignored := c.Ignored(nbsvm.SVM); !slices.Equal(ignored, []string{"beta", "reg_lambda"}) {
		t.Errorf("svm ignores %v", ignored)
	}
	for text, want := range map[string]string{
		`{"ngrams": "auto", "beta": "auto", "class_weight": "balanced", "memory": "8GiB"}`: "",
		`{"ngrams": "1-2"}`: "", `{"ngrams": [1, 2, 3, "x"]}`: "ngrams must be a range", `{"beta": "much"}`: "beta: ", `{"class_weight": 7}`: "class_weight must be",
		`{"preset": "none"}`: "unknown preset", `{"memory": -1}`: "memory or max_model: ",
	} {
		var c Choices
		if err := json.Unmarshal([]byte(text), &c); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", text, err, want)
		}
	}
}
