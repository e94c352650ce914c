package display

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// hostileText is what a file may hold to take over the terminal of who looks at it.
const hostileText = "\x1b]0;owned\a\x1b[2Jx\u009b31m\u202egnp.exe\u2066\x7f\x00\b\r!\xff\U000e0041"

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"Ünïcode 情感 العربية हिन्दी 👩‍👩‍👧 e\u0301": "Ünïcode 情感 العربية हिन्दी 👩‍👩‍👧 e\u0301",
		"two\tfields\nrow\r\n":         "two\tfields\nrow\r\n",
		"no\u00a0break\u3000wide":      "no\u00a0break\u3000wide",
		"\x1b[31mred":                  `\u001b[31mred`,
		"\u009b31m":                    `\u009b31m`,
		"a\u202eb\u2066c\u200ed\u2028": `a\u202eb\u2066c\u200ed\u2028`,
		"back\rover":                   `back\u000dover`,
		"\xff\xc3":                     `\xff\xc3`,
		"\U000e0041":                   `\udb40\udc41`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzWriter cuts texts anywhere: what comes out is printable, the same for every cut, and JSON stays JSON
// of the same value.
func FuzzWriter(f *testing.F) {
	f.Add(hostileText, 3)
	f.Add("é情😀\r\n", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		cut = max(0, min(cut, len(text)))
		var b strings.Builder
		w := NewWriter(&b)
		io.WriteString(w, text[:cut])
		io.WriteString(w, text[cut:])
		w.Flush()
		if want := Text(text); b.String() != want {
			t.Fatalf("%q cut at %d becomes %q, whole %q", text, cut, b.String(), want)
		}
		for _, r := range strings.ReplaceAll(b.String(), "\r\n", "\n") {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError && !strings.ContainsRune(text, r) {
				t.Fatalf("%q becomes %q", text, b.String())
			}
		}
		var row strings.Builder
		lines := json.NewEncoder(&row)
		lines.SetEscapeHTML(false)
		must.OK(t, lines.Encode(text))
		var got, want string
		must.OK(t, json.Unmarshal([]byte(row.String()), &want))
		if err := json.Unmarshal([]byte(Text(row.String())), &got); err != nil || got != want {
			t.Fatalf("%s reads as %q, want %q: %v", row.String(), got, want, err)
		}
	})
}

func TestLabel(t *testing.T) {
	for label, want := range map[string]string{
		"plain": "plain", "two words": "two words", "naïve": "naïve", "情感": "情感",
		"": `""`, "a\tb": `"a\tb"`, "\xff": `"\xff"`, "\x1b[31m": `"\x1b[31m"`, "a\u202eb": `"a\u202eb"`, "\x7f": `"\x7f"`,
		"good ": `"good "`, " good": `" good"`,
	} {
		if got := Label(label); got != want {
			t.Errorf("Label(%q) = %s, want %s", label, got, want)
		}
	}
}

// TestShort cuts by characters, and what it cuts is fit to be shown.
func TestShort(t *testing.T) {
	for _, test := range []struct{ label, want string }{
		{"good", "good"},
		{"ééééé", "ééééé"},
		{"éééééé", "éééé…"},
		{"a\tb", `"a\t…`},
	} {
		if got := Short(test.label, 5); got != test.want {
			t.Errorf("%q is shown as %s, want %s", test.label, got, test.want)
		}
	}
}
