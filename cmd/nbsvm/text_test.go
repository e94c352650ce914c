package main

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"good film", "good film"}, {"", "(key 7)"}, {"a\tb\x1bc", "a␣b␣c"},
	} {
		if got := name(test.text, 7); got != test.want {
			t.Errorf("name(%q) = %s, want %s", test.text, got, test.want)
		}
	}
}

func TestFold(t *testing.T) {
	if got := fold("one two  three", 7); !reflect.DeepEqual(got, []string{"one two", "three"}) {
		t.Errorf("%q", got)
	}
	if got := fold("", 7); !reflect.DeepEqual(got, []string{""}) {
		t.Errorf("nothing gives %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, width := rapid.String().Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "width")
		lines := fold(text, width)
		if got, want := strings.Join(strings.Fields(strings.Join(lines, " ")), " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Fatalf("words %q became %q", want, got)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width && strings.Contains(line, " ") {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}
