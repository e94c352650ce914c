package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// sniffed tells data that are more than text to the reader.
func sniffed(data []byte) bool {
	for _, m := range magics {
		if m.of != WARC && bytes.HasPrefix(data, []byte(m.bytes)) {
			return true
		}
	}
	return false
}

// unreadable tells whether a refusal is of bytes that look like no text, or like text in another encoding: how many of
// them come together decides on that.
func unreadable(err error) bool {
	return err != nil && (strings.Contains(err.Error(), ": is binary") || strings.Contains(err.Error(), ": is not UTF-8"))
}

// checkReader reads data in several ways and checks what must hold for any.
func checkReader(t interface {
	Fatalf(string, ...any)
	Helper()
}, data []byte, o Input, block, limit int,
) {
	t.Helper()
	if o.Validate() != nil {
		return
	}
	want, wantErr := readWith(nil, bytes.NewReader(data), o, chunkSize, chunkLimit)
	ways := map[string]io.Reader{"in small chunks": bytes.NewReader(data), "byte by byte": iotest.OneByteReader(bytes.NewReader(data))}
	var packed []byte
	if !sniffed(data) {
		var err error
		if packed, err = pack(data); err != nil {
			t.Fatalf("packing: %v", err)
		}
		ways["compressed"] = bytes.NewReader(packed)
	}
	for way, in := range ways {
		got, err := readWith(nil, in, o, block, limit)
		want, wantErr := want, wantErr
		if way == "compressed" && o.Unlabelled && o.format() == nil { // a stream is not looked at further than its first line
			want, wantErr = readWith(nil, bytes.NewReader(packed), o, chunkSize, chunkLimit)
		}
		if unreadable(err) || unreadable(wantErr) {
			continue
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%s the error is %v, not %v", way, err, wantErr)
		}
		if a, b := flatten(got), flatten(want); !reflect.DeepEqual(a, b) {
			t.Fatalf("%s the documents are\n%+v, not\n%+v", way, a, b)
		}
	}
	if wantErr != nil {
		if !strings.HasPrefix(wantErr.Error(), "corpus: ") || len(wantErr.Error()) > 1000 {
			t.Fatalf("error %q", wantErr)
		}
	}
	if !sniffed(data) {
		checkPositions(t, data, want, o, wantErr == nil)
	}
}

// checkPositions compares documents with the bytes that they come from; whole says that all were read.
func checkPositions(t interface{ Fatalf(string, ...any) }, data []byte, all []Document, o Input, whole bool) {
	end := int64(-1) // of the record before, its terminator not counted
	for i, d := range all {
		rest := data[d.Offset:]
		if !bytes.HasPrefix(rest, d.Record) {
			t.Fatalf("document %d: record %q is not at byte %d", i, d.Record, d.Offset)
		}
		if line := int64(bytes.Count(data[:d.Offset], lineFeed)) + 1; d.Line != line {
			t.Fatalf("document %d at byte %d is in line %d, not %d", i, d.Offset, line, d.Line)
		}
		if end >= 0 && o.Unlabelled && o.Format != SVMLight && o.Format != Auto && d.EOL != warcEnd {
			if gap := string(data[end:d.Offset]); gap != "\n" && gap != "\r\n" {
				t.Fatalf("between documents %d and %d is %q", i-1, i, gap)
			}
		}
		end = d.Offset + int64(len(d.Record))
		if errors.Is(d.Err, ErrTooLong) || d.EOL == warcEnd {
			end = -1
		}
		if d.Err == nil {
			continue
		}
		var re *RecordError
		if !errors.As(d.Err, &re) || re.Line != d.Line || re.Offset != d.Offset || len(d.Labels)+len(d.Text) > 0 || d.Weight != 1 {
			t.Fatalf("bad document %d: %+v", i, d)
		}
		if message := d.Err.Error(); len(message) > 1000 || strings.Contains(message, "\n") {
			t.Fatalf("message %q", message)
		}
	}
	if whole && o.Unlabelled && o.Format != SVMLight && end >= 0 {
		if rest := string(data[end:]); rest != "" && rest != "\n" && rest != "\r\n" && rest != "\r" {
			t.Fatalf("behind the last document is %q", rest)
		}
	}
	if whole && o.Format == Lines && o.MaxRecord == 0 {
		var lines [][]byte
		for _, d := range all {
			lines = append(lines, d.Record)
		}
		text := bytes.TrimPrefix(data, []byte(bom))
		text = bytes.ReplaceAll(text, []byte("\r\n"), lineFeed)
		if n := len(text); n > 0 && text[n-1] != '\n' {
			text = bytes.TrimSuffix(text, []byte{'\r'})
			text = append(text[:len(text):len(text)], '\n')
		}
		if joined := bytes.Join(append(lines, nil), lineFeed); !bytes.Equal(joined, text) {
			t.Fatalf("records joined are %q, the text is %q", joined, text)
		}
	}
}

func FuzzReader(f *testing.F) {
	for i, seed := range []string{
		"a\tb\nc\td\r\n", "label,text\na,\"b\n\"\n\"x,y\n", "{\"text\":\"a\",\"label\":1}\n", "__label__a b\n", "1 1:2 # x\n",
		bom + "x\n\n y", "\xff\xfe", gz(f, "a\tb\n"), zst(f, "a\tb\n"), "a\rb\r", "label\ttext\na\tb\n", "text;label\na;\"b;\"\n", "a\n__label__b c\n", "a\t\"b\n\"\n", "\"a\"b\n\"\"\"\n", "\n\n\x00", strings.Repeat("long ", 100) + "\tx\n",
	} {
		f.Add([]byte(seed), uint8(i), uint16(i), uint8(3), i%3 == 0, i%2 == 0)
	}
	f.Add([]byte("b\nc\td\rd"), uint8(0), uint16(23), uint8(3), true, false)
	f.Add([]byte("0\n#00000000000000000\n"), uint8(1+slices.Index(formats, &svmlightFormat)), uint16(27), uint8(3), true, true)
	f.Add([]byte(" "), uint8(1+slices.Index(formats, &svmlightFormat)), uint16(15), uint8(3), true, true)
	f.Fuzz(func(t *testing.T, data []byte, format uint8, block uint16, limit uint8, unlabelled, short bool) {
		o := Input{Unlabelled: unlabelled}
		if k := int(format) % (1 + len(formats)); k > 0 {
			o.Format = formats[k-1].name
		}
		if short {
			o.MaxRecord = 16
		}
		if format&0x40 != 0 {
			o.LabelSep = ","
		}
		if format&0x80 != 0 {
			o.TextField = "1"
		}
		switch block % 8 {
		case 1:
			o.Header = yes()
		case 2:
			o.Header = no()
		case 3, 4:
			o.Delimiter = ";\t"[block%2]
		}
		checkReader(t, data, o, int(block)%2000+1, int(limit)+1)
	})
}

// TestReaderProperties makes inputs that are closer to the formats than bytes at
// random.
func TestReaderProperties(t *testing.T) {
	pieces := map[Format][]string{
		TSV:      {"\t", "a", "\n", "\r\n", "\r", "bc ", "\x00", "\xff"},
		CSV:      {`"`, `""`, ",", "\n", "\r\n", "a", `,"`, `",`, "\r"},
		JSONL:    {`{"text":"a","label":"b"}`, "\n", `{"text":`, `"a\n"`, `}`, "{}", "\r\n"},
		FastText: {"__label__", "a", " ", "\t", "\n", "b c"},
		Lines:    {"a", "\n", "\r\n", "\r", " "},
		SVMLight: {"1", " ", "1:2", "#", "\n", "qid:1 ", ",", "-1.0"},
	}
	rapid.Check(t, func(t *rapid.T) {
		o := Input{
			Format:     rapid.SampledFrom([]Format{TSV, CSV, JSONL, FastText, Lines, SVMLight}).Draw(t, "format"),
			Unlabelled: rapid.Bool().Draw(t, "unlabelled"),
			MaxRecord:  rapid.SampledFrom([]int{0, 1, 5, 20}).Draw(t, "longest"),
		}
		parts := rapid.SliceOfN(rapid.SampledFrom(pieces[o.Format]), 0, 60).Draw(t, "parts")
		text := strings.Join(parts, "")
		if o.Format == CSV {
			text = "label,text\n" + text
		}
		checkReader(t, []byte(text), o, rapid.IntRange(1, 40).Draw(t, "block"), rapid.IntRange(1, 5).Draw(t, "limit"))
	})
}

// TestAppendTwice: a chunk parsed by several goroutines gives the same documents.
func TestAppendTwice(t *testing.T) {
	in := strings.Repeat(`{"text":"a\nb\u00e4","label":["x","\"y"]}`+"\n{\n", 100)
	r, err := Open(from(nil, strings.NewReader(in), labelled(JSONL)))
	must.OK(t, err)
	c, err := r.Next()
	must.OK(t, err)
	results := make(chan []Document)
	for range 4 {
		go func() { results <- c.Append(nil) }()
	}
	want := flatten(c.Append(nil))
	for range 4 {
		if got := flatten(<-results); !reflect.DeepEqual(got, want) {
			t.Error("documents differ")
		}
	}
	if len(want) != 200 || want[0].Text != "a\nbä" || want[0].Labels != `x|"y` || want[1].Err == "" {
		t.Errorf("%d documents, the first are %+v", len(want), want[:2])
	}
}
