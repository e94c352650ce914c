package metrics

import "testing"

func TestDescribeUnknown(t *testing.T) {
	for _, test := range []struct {
		name    string
		known   []string
		unknown map[string]int64
		want    string
	}{
		{"none", []string{"a", "b"}, nil, ""},
		{"others", []string{"a", "b"}, map[string]int64{"x": 1, "z": 7, "y": 7}, `"y" (7), "z" (7), "x" (1)`},
		{"many", []string{"a", "b"}, map[string]int64{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7}, `"7" (7), "6" (6), "5" (5), "4" (4), "3" (3) and 2 more`},
		{"case", []string{"ham", "spam"}, map[string]int64{"Spam": 2}, `"Spam" (2); "Spam" looks like the model's "spam"`},
		{"form", []string{"caf\u00e9", "tea"}, map[string]int64{"cafe\u0301": 2}, "\"cafe\\u0301\" (2); \"cafe\\u0301\" looks like the model's \"caf\u00e9\""},
		{"space", []string{"news", "world news"}, map[string]int64{"news ": 1}, `"news " (1); "news " looks like the model's "news"`},
		{"prefix of the data", []string{"neg", "pos"}, map[string]int64{"__label__pos": 3}, `"__label__pos" (3); "__label__pos" looks like the model's "pos"`},
		{"prefix of the model", []string{"__label__neg", "__label__pos"}, map[string]int64{"Pos": 3}, `"Pos" (3); "Pos" looks like the model's "__label__pos"`},
		{"numbers", []string{"0", "1"}, map[string]int64{"1.0": 3, "+1": 1}, `"1.0" (3), "+1" (1); "1.0" looks like the model's "1"`},
		{"terminals", []string{"a", "b"}, map[string]int64{"\x1b[2J": 1}, `"\x1b[2J" (1)`},
	} {
		r := NewAccumulator(test.known, false).r
		r.UnknownLabels = test.unknown
		if got := r.DescribeUnknown(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
