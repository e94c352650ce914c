package corpus

import (
	"strings"
	"testing"
)

// TestOtherEncodings: files most of whose text can't be read are refused, in every format, with and without labels.
func TestOtherEncodings(t *testing.T) {
	recode := func(text string, of func(r rune) []byte) string {
		var all []byte
		for _, r := range text {
			if r < 0x80 {
				all = append(all, byte(r))
			} else {
				all = append(all, of(r)...)
			}
		}
		return string(all)
	}
	cp1251 := func(r rune) []byte { return []byte{byte(r - 'А' + 0xc0)} }
	iso := func(r rune) []byte { return []byte{byte(r - 'А' + 0xb0)} }
	lost := func(rune) []byte { return []byte("\ufffd") }
	little := func(text string) string {
		var all []byte
		for _, r := range text {
			all = append(all, byte(r), byte(r>>8))
		}
		return string(all)
	}
	const russian = "все хорошо, и погода тоже хороша"
	for name, record := range map[Format]string{
		TSV: "pos\t" + russian, CSV: "label,text\npos,\"" + russian + "\"", JSONL: `{"text":"` + russian + `","label":"a"}`,
		FastText: "__label__pos " + russian, Lines: russian, VW: "1 |t " + russian,
	} {
		text := record + "\n"
		for _, test := range []struct {
			what, text string
			want       []string // none if it is fine
		}{
			{"UTF-8", text, nil},
			{"CP1251", recode(text, cp1251), []string{"is not UTF-8", "the first in line", "looks like CP1251", "iconv -f CP1251 -t UTF-8 FILE"}},
			{"ISO-8859-5", recode(text, iso), []string{"is not UTF-8", "iconv -f ISO-8859-5 -t UTF-8 FILE"}},
			{"replaced", recode(text, lost), []string{"lost most of its letters", "U+FFFD", "from its source"}},
			{"UTF-16", little(text), []string{"looks like UTF-16LE", "iconv -f UTF-16LE -t UTF-8 FILE"}},
			{"Latin-1", strings.ReplaceAll(text, russian, "tr\xe8s bien, et le temps est bon"), nil},
		} {
			for _, unlabelled := range []bool{true, false} {
				if name == Lines && !unlabelled {
					continue
				}
				_, err := readString(test.text, Input{Format: map[bool]Format{false: name, true: Auto}[test.what == "UTF-16"], Unlabelled: unlabelled})
				if len(test.want) == 0 && err != nil {
					t.Errorf("%s, %s: %v", name, test.what, err)
				} else if len(test.want) > 0 {
					wantFileError(t, err, test.want...)
				}
			}
		}
	}
	texts := []Document{{Labels: [][]byte{[]byte("a")}, Text: []byte(recode(russian, cp1251))}}
	_, err := readWith(nil, nil, Input{Documents: func(yield func(Document) bool) { yield(texts[0]) }}, chunkSize, chunkLimit)
	wantFileError(t, err, "is not UTF-8")
	if err := CheckText(func(yield func(string) bool) { yield(recode(russian, lost)) }); err == nil {
		t.Error("a text of U+FFFD passes")
	}
}
