package corpus

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/doubt"
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
	marks := func(rune) []byte { return []byte("?") }
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
		FastText: "__label__pos " + russian, Lines: russian,
	} {
		text := record + "\n"
		for _, test := range []struct {
			what, text string
			want       []string // none if it is fine
		}{
			{"UTF-8", text, nil},
			{"CP1251", recode(text, cp1251), []string{"is not UTF-8", "the first in line", "file -i FILE", "iconv -f ENCODING -t UTF-8 FILE"}},
			{"ISO-8859-5", recode(text, iso), []string{"is not UTF-8", "iconv -f ENCODING -t UTF-8 FILE"}},
			{"replaced", recode(text, lost), []string{"lost most of its letters", "U+FFFD", "from its source"}},
			{"replaced by ?", strings.Repeat(recode(text, marks), 50), []string{"lost most of its letters", "U+FFFD or ?"}},
			{"few marks", recode(text, marks), nil},
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
	_, err := readWith(nil, nil, Input{Documents: func(yield func(Document, error) bool) { yield(texts[0], nil) }}, chunkSize, chunkLimit)
	wantFileError(t, err, "are no valid UTF-8", "with their own encoding first")
	if err := doubt.Texts(func(yield func(string) bool) { yield(recode(russian, lost)) }); err == nil {
		t.Error("a text of U+FFFD passes")
	}
}

// TestEncodings: no format and no option lets text through whose characters have other bytes than those of UTF-8,
// though many of the bytes of Chinese and Japanese in UTF-16 are letters and digits.
func TestEncodings(t *testing.T) {
	const chinese, japanese = "这部电影非常好看，演员的表演也很出色", "この映画はとても面白かったです"
	wide := func(text string, width int, big bool) string {
		var all []byte
		for _, r := range text {
			unit := binary.LittleEndian.AppendUint32(nil, uint32(r))[:width]
			if big {
				slices.Reverse(unit)
			}
			all = append(all, unit...)
		}
		return string(all)
	}
	as := func(in string) func(string) string {
		return func(of string) string { return strings.ReplaceAll(of, "TEXT", in) }
	}
	of := func(text string, width int, big bool) func(string) string {
		return func(of string) string { return wide(strings.ReplaceAll(of, "TEXT", text), width, big) }
	}
	for _, test := range []struct {
		want   string
		encode func(of string) string
	}{
		{"looks like UTF-16LE", of(chinese, 2, false)},
		{"looks like UTF-16BE", of(chinese, 2, true)},
		{"looks like UTF-16LE", of(japanese, 2, false)},
		{"looks like UTF-16BE", of(japanese, 2, true)},
		{"is UTF-16: convert it first, iconv -f UTF-16", func(in string) string { return of(chinese, 2, false)("\ufeff" + in) }},
		{"is UTF-16: convert it first, iconv -f UTF-16", func(in string) string { return of(chinese, 2, true)("\ufeff" + in) }},
		{"is UTF-32: convert it first, iconv -f UTF-32", func(in string) string { return of(chinese, 4, false)("\ufeff" + in) }},
		{"is UTF-32: convert it first, iconv -f UTF-32", func(in string) string { return of(chinese, 4, true)("\ufeff" + in) }},
		{"is not UTF-8", as("\xd5\xe2\xb2\xbf\xb5\xe7\xd3\xb0\xb7\xc7\xb3\xa3\xba\xc3\xbf\xb4\xa3\xac\xd1\xdd\xd4\xb1\xb5\xc4\xb1\xed\xd1\xdd\xd2\xb2\xba\xdc\xb3\xf6\xc9\xab")}, // GB18030
		{"is not UTF-8", as("\x82\xb1\x82\xcc\x89f\x89\xe6\x82\xcd\x82\xc6\x82\xc4\x82\xe0\x96\xca\x94\x92\x82\xa9\x82\xc1\x82\xbd\x82\xc5\x82\xb7")},                            // SHIFT_JIS
		{"is not UTF-8", as("\xa4\xb3\xa4\xce\xb1\xc7\xb2\xe8\xa4\xcf\xa4\xc8\xa4\xc6\xa4\xe2\xcc\xcc\xc7\xf2\xa4\xab\xa4\xc3\xa4\xbf\xa4\xc7\xa4\xb9")},                         // EUC-JP
		{"is not UTF-8", as("\xc0\xcc \xbf\xb5\xc8\xad\xb4\xc2 \xc1\xa4\xb8\xbb \xc0\xe7\xb9\xcc\xc0\xd6\xbe\xfa\xbe\xee\xbf\xe4")},                                              // EUC-KR
		{"is not UTF-8", as("\xb3o\xb3\xa1\xb9q\xbcv\xabD\xb1`\xa6n\xac\xdd\xbat\xad\xfb\xaa\xba\xaa\xed\xbat\xa4]\xab\xdc\xa5X\xa6\xe2")},                                       // Big5
	} {
		for format, record := range map[Format]string{
			TSV: "pos\tTEXT\n", CSV: "label,text\npos,\"TEXT\"\n", JSONL: `{"text":"TEXT","label":"a"}` + "\n", FastText: "__label__pos TEXT\n",
			Lines: "TEXT\n",
		} {
			for _, o := range []Input{{}, {Unlabelled: true}, {Format: format}, {Format: format, Unlabelled: true}} {
				if format == Lines && !o.Unlabelled {
					continue
				}
				_, err := readString(test.encode(strings.Repeat(record, 5)), o)
				if err == nil || !IsBadFile(err) || !strings.Contains(err.Error(), "iconv -f") || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s as %s, %s, unlabelled %t: %v, want %q", format, o.Format, test.want, o.Unlabelled, err, test.want)
				}
			}
		}
	}
}
