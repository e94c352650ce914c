package scoring

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// partsOf returns the parts into which the options divide a text, and checks that they lie where they say.
func partsOf(t testing.TB, o Options, text string) (parts []string) {
	t.Helper()
	d, err := o.divided()
	must.OK(t, err)
	before, end := []byte(text), 0
	for span, part := range d.split(before) {
		if d.end != nil && (span.Begin < end || text[span.Begin:span.End] != string(part) || len(bytes.TrimSpace(part)) == 0) {
			t.Fatalf("%+v of %.100q: part %q at %v", o, text, part, span)
		}
		parts, end = append(parts, string(part)), span.End
	}
	if string(before) != text {
		t.Fatalf("%+v changes %.100q to %.100q", o, text, before)
	}
	return parts
}

// TestSentences lists where sentences end and where they do not.
func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"One. Two! Three? Four":                       {"One.", "Two!", "Three?", "Four"},
		"  One.\u00a0 Two\u3000":                      {"One.", "Two"},
		"Headline\nA text\r\n\r\n goes on.\n\n":       {"Headline", "A text", "goes on."},
		"He said \"Go.\" She (too!) left.":            {"He said \"Go.\"", "She (too!)", "left."},
		"„Geh.“ Er ging. « Oui ! » Non.":              {"„Geh.“", "Er ging.", "« Oui !", "» Non."},
		"Pi is 3.14. See example.com/a?b=c for more!": {"Pi is 3.14.", "See example.com/a?b=c for more!"},
		"J. R. Smith of the U.S. Navy, e.g. him.":     {"J. R. Smith of the U.S. Navy, e.g. him."},
		"Dr. Smith":                    {"Dr.", "Smith"}, // as the manual says
		"1. First. 2. Second.":         {"1. First.", "2. Second."},
		"Wait... what?! Well… yes… No": {"Wait... what?!", "Well… yes…", "No"},
		"Really? yes! so":              {"Really?", "yes!", "so"},
		"今天天气很好。我们去公园吧！「好。」他说？":    {"今天天气很好。", "我们去公园吧！", "「好。」", "他说？"},
		"Ｖｅｒ．２.5 です｡はい":            {"Ｖｅｒ．", "２.5 です｡", "はい"},
		"यह एक घर है। वह जाता है।": {"यह एक घर है।", "वह जाता है।"},
		"هل هذا بيت؟ نعم۔ لا":      {"هل هذا بيت؟", "نعم۔", "لا"},
		"... ! ? 12.":              {"... ! ? 12."},
		"No\xff. Yes\xc3. \x00. Z": {"No\xff.", "Yes\xc3.", "\x00. Z"},
		"":                         nil, " \n\r\n\t": nil,
	} {
		if parts := partsOf(t, Options{Per: "sentence"}, text); !slices.Equal(parts, want) {
			t.Errorf("%q is divided into %q, want %q", text, parts, want)
		}
	}
}

// oddText returns a text of characters that matter to what divides it, and of any bytes.
func oddText(rng *rand.Rand) string {
	pieces := []string{
		" ", "\n", "\r\n", "\t", "\u00a0", "\u2028", "a", "B", "word", "é", "日本", "😀", ".", "!", "…", "。", "？", "\"", "”", ")", "7",
		"\x00", "\xff", "\xe3\x80", "\xf0", "\x80\x80\x80\x80\x80",
	}
	var text strings.Builder
	for range rng.IntN(60) {
		text.WriteString(pieces[rng.IntN(len(pieces))])
	}
	return text.String()
}

var dolmaParagraph = regexp.MustCompile(`[^\n]*\n|[^\n]+$`)

// TestSplit: of any text, paragraphs are what Dolma's pattern finds; parts hold all but white space, in order; pieces
// are not longer than they may be, and cut no character.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	noSpace := func(text string) string {
		return string(bytes.Join(bytes.FieldsFunc([]byte(text), unicode.IsSpace), nil))
	}
	for range 20_000 {
		text := oddText(rng)
		var lines []string
		for _, line := range dolmaParagraph.FindAll([]byte(text), -1) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines = append(lines, string(line))
			}
		}
		if got := partsOf(t, Options{Per: "paragraph"}, text); !slices.Equal(got, lines) {
			t.Fatalf("paragraphs of %q are %q, want %q", text, got, lines)
		}
		for _, per := range []string{"sentence", "1", "3", "10", "50"} {
			parts := partsOf(t, Options{Per: per}, text)
			if got := noSpace(strings.Join(parts, " ")); got != noSpace(text) {
				t.Fatalf("parts of %q by %s are %q", text, per, parts)
			}
			for _, part := range parts {
				n := map[string]int{"1": 1, "3": 3, "10": 10, "50": 50}[per]
				switch first, _ := utf8.DecodeRuneInString(part); {
				case per == "sentence" && (strings.TrimSpace(part) != part || strings.ContainsRune(part, '\n')):
					t.Fatalf("%q has the sentence %q", text, part)
				case n > 0 && len(part) > max(n, utf8.RuneLen(first)),
					n > 0 && utf8.ValidString(text) && !utf8.ValidString(part):
					t.Fatalf("by %s, %q has the piece %q", per, text, part)
				}
			}
		}
	}
}

// TestPieces: pieces end at white space and are about equally long, also of a text that has none.
func TestPieces(t *testing.T) {
	for per, want := range map[string][]string{
		"8":  {"one two ", "three", " four"},
		"12": {"one two ", "three four"},
		"13": {"one two ", "three four"},
		"99": {"one two three four"},
	} {
		if parts := partsOf(t, Options{Per: per}, "one two three four"); !slices.Equal(parts, want) {
			t.Errorf("pieces of %s bytes are %q, want %q", per, parts, want)
		}
	}
	long := strings.Repeat("é", 5<<20)
	parts := partsOf(t, Options{Per: "1001"}, long)
	if strings.Join(parts, "") != long {
		t.Error("pieces do not make the text")
	}
	for i, part := range parts {
		if len(part) != 1000 && i < len(parts)-2 || len(part) < 500 || len(part) > 1000 || !utf8.ValidString(part) {
			t.Fatalf("piece %d of %d has %d bytes, the last of them %q", i, len(parts), len(part), part[len(part)-2:])
		}
	}
	for _, per := range []string{"sentence", "paragraph"} {
		if parts := partsOf(t, Options{Per: per}, long); len(parts) != 1 {
			t.Errorf("%d parts by %s", len(parts), per)
		}
	}
}

// TestWindow: a window shows both ends of a long text, and all of a short one; parts are of what it shows.
func TestWindow(t *testing.T) {
	const text = "one two three four five"
	for _, test := range []struct {
		window, per string
		want        []string
	}{
		{"begin:8", "", []string{"one two "}},
		{"begin:7", "", []string{"one two"}},
		{"begin:2", "", []string{"on"}},
		{"end:9", "", []string{"four five"}},
		{"end:12", "", []string{"four five"}},
		{"begin:8,end:9", "", []string{"one two \nfour five"}},
		{"end:9, begin:8", "paragraph", []string{"one two ", "four five"}},
		{"begin:14,end:9", "", []string{text}},
		{"begin:100", "document", []string{text}},
		{"begin:8,end:9", "5", []string{"one ", "two ", "four ", "five"}},
	} {
		parts := partsOf(t, Options{Window: test.window, Per: test.per}, text)
		if !slices.Equal(parts, test.want) {
			t.Errorf("window %s, by %q: %q, want %q", test.window, test.per, parts, test.want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := oddText(rng)
		w := window{rng.IntN(30), rng.IntN(30)}
		begin, end := w.of([]byte(text))
		switch whole := w == (window{}) || len(text) <= w.begin+w.end; {
		case whole && (begin != len(text) || end != len(text)):
			t.Fatalf("window %v of %q ends at %d and %d", w, text, begin, end)
		case whole:
		case begin > end || begin > max(w.begin, utf8.UTFMax) || len(text)-end > w.end, begin < min(w.begin, 1):
			t.Fatalf("window %v shows %q and %q of %q", w, text[:begin], text[end:], text)
		case utf8.ValidString(text) && !(utf8.ValidString(text[:begin]) && utf8.ValidString(text[end:])):
			t.Fatalf("window %v cuts characters of %q at %d or %d", w, text, begin, end)
		}
	}
}

// TestDividedRefused: what can't be meant is an error.
func TestDividedRefused(t *testing.T) {
	for _, o := range []Options{
		{Per: "word"},
		{Per: "0"},
		{Per: "-5"},
		{Per: "1e3"},
		{Over: "mean"},
		{Per: "document", Over: "max"},
		{Per: "sentence", Over: "sum"},
		{Window: "5000"},
		{Window: "begin:0"},
		{Window: "begin:5,begin:6"},
		{Window: "middle:5"},
		{Window: "begin:5,"},
		{Window: "end"},
	} {
		if d, err := o.divided(); err == nil {
			t.Errorf("%+v divides as %+v", o, d)
		}
	}
	if d, err := (&Options{Per: "document"}).divided(); d != nil || err != nil {
		t.Errorf("documents are divided: %v, %v", d, err)
	}
}
