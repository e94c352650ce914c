package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// aRecord is a record of WARC with these fields behind its type.
func aRecord(kind, fields, content string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, fields, len(content), content)
}

const plainText = "Content-Type: text/plain\r\n"

func conversion(text string) string { return aRecord("conversion", plainText, text) }

// response is a record of an HTTP response.
func response(fields, body string) string {
	return aRecord("response", "Content-Type: application/http; msgtype=response\r\n", "HTTP/1.1 200 OK\r\n"+fields+"\r\n"+body)
}

var info = aRecord("warcinfo", "Content-Type: application/warc-fields\r\n", "software: none")

func TestWARC(t *testing.T) {
	a, b := conversion("a"), conversion("b")
	html := response("Content-Type: text/html\r\n", "<p>")
	bare := func(head, rest string) string { return "WARC/1.0\r\nWARC-Type: conversion\r\n" + head + "\r\n" + rest }
	for _, test := range []struct{ name, in, want string }{
		{"two", info + a + b, ":a;:b"},
		{"version 1.1, folded and odd fields", "WARC/1.1\r\nwarc-type:CONVERSION \r\nX: y WARC/1.0\r\n z\r\nCONTENT-LENGTH:1\r\n\r\na\r\n\r\n" + b, ":a;:b"},
		{"LF alone", strings.ReplaceAll(a+b, "\r\n", "\n"), ":a;:b"},
		{"lines, as text has them", conversion("x\ny\r\n\r\nz\n\n") + b, ":x\ny\r\n\r\nz\n\n;:b"},
		{"empty payload", conversion("") + info + conversion(""), ":;:"},
		{"no line ends behind the last", strings.TrimSpace(a + b), ":a;:b"},
		{"more and fewer line ends", a + "\r\n\r\n\n" + strings.TrimSpace(b) + a, ":a;:b;:a"},
		{"a text about WARC", conversion("x\nWARC/1.0\nWARC-Type: conversion\n\ny") + b, ":x\nWARC/1.0\nWARC-Type: conversion\n\ny;:b"},
		{"NUL and invalid UTF-8", conversion("\x00\xff") + b, ":\x00\xff;:b"},
		{"other types", aRecord("request", "", "x") + aRecord("metadata", plainText, "x") + aRecord("revisit", plainText, "") + aRecord("my-own", plainText, "x") + a, ":a"},
		{"conversions", aRecord("conversion", "Content-Type: image/png\r\n", "x") + aRecord("conversion", "", "y") + aRecord("conversion", "Content-Type: Text/Plain; charset=x\r\n", "z"), ":y;:z"},
		{"resources", aRecord("resource", plainText, "x") + aRecord("resource", "Content-Type: image/png\r\n", "y") + aRecord("response", "Content-Type: text/dns\r\n", "z") + aRecord("response", plainText, "gopher"), ":x;:gopher"},
		{"responses", html + response("content-type: text/plain;charset=utf-8\r\n", "x\r\n\r\ny") + response("", "z") + response(plainText+"Content-Encoding: identity\r\n", ""), ":x\r\n\r\ny;:"},
		{"chunked", response(plainText+"Transfer-Encoding: chunked\r\n", "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"), ":abc0123456789"},
		{"gzip", response(plainText+"Content-Encoding: gzip\r\n", gz(t, "abc")), ":abc"},
		{"gzip in chunks", response(plainText+"Content-Encoding: x-gzip\r\nTransfer-Encoding: Chunked\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(gz(t, "abc")), gz(t, "abc"))), ":abc"},
		{"broken codings", response(plainText+"Transfer-Encoding: chunked\r\n", "abc") + response(plainText+"Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n") + response(plainText+"Content-Encoding: gzip\r\n", "abc") + response(plainText+"Content-Encoding: gzip\r\n", gz(t, "abc")[:20]) + b, "ERR;ERR;ERR;ERR;:b"},
		{"unknown codings", response(plainText+"Content-Encoding: br\r\n", "abc") + response(plainText+"Transfer-Encoding: gzip, chunked\r\n", "abc") + b, "ERR;ERR;:b"},
		{"an HTTP header without end", aRecord("response", "Content-Type: application/http\r\n", "HTTP/1.1 200 OK\r\n"+plainText) + b, "ERR;:b"},
		{"garbage between", a + "garbage\r\n\r\n" + b + "more", ":a;ERR;:b;ERR"},
		{"garbage first", "\r\ngarbage" + a, "ERR;:a"},
		{"a length too large", bare("Content-Length: 9\r\n", "a\r\n\r\n") + b, "ERR;:b"},
		{"a length beyond the end", bare("Content-Length: 9000\r\n", "a\r\n\r\n") + b + a, "ERR;:b;:a"},
		{"a length beyond all files", bare("Content-Length: 1000000000000000\r\n", "a\r\n\r\n") + b, "ERR;:b"},
		{"a length too small", bare("Content-Length: 1\r\n", "abc\r\n\r\n") + b, "ERR;:b"},
		{"no length", bare("", "a\r\n\r\n") + b, "ERR;:b"},
		{"no number", bare("Content-Length: +1\r\n", "a\r\n\r\n") + bare("Content-Length: \r\n", "a\r\n\r\n") + bare("Content-Length: 99999999999999999999\r\n", "a\r\n\r\n") + b, "ERR;ERR;ERR;:b"},
		{"no header end", "WARC/1.0\r\nWARC-Type: conversion\r\n" + b, "ERR;:b"},
		{"a header cut off in a value", "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http:" + b, "ERR;:b"},
		{"a header without fields", bare("a line\r\n", "a\r\n\r\n") + b, "ERR;:b"},
		{"a header without end", "WARC/1.0\r\n" + strings.Repeat("X: y\r\n", longestHead/6) + a + b, "ERR;:a;:b"},
		{"no line ends before another", a[:len(a)-4] + b, ":a;:b"},
		{"a text cut off before another", conversion("a text")[:len(a)-1] + b, "ERR;:b"},
		{"zero bytes in a text", conversion("x"+strings.Repeat("\x00", 600)) + b, "ERR;:b"},
		{"nothing", "", ""},
		{"nothing but information", info, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := mustRead(t, test.in, unlabelled(WARC))
			if got := brief(want); got != test.want {
				t.Fatalf("got  %q\nwant %q", got, test.want)
			}
			for _, block := range []int{1, 50, 5000} {
				if got, err := readWith(nil, strings.NewReader(test.in), unlabelled(WARC), block, 2); err != nil || !reflect.DeepEqual(flatten(got), want) {
					t.Errorf("in small chunks %+v, %v", flatten(got), err)
				}
			}
			all, err := readString(test.in, unlabelled(WARC))
			must.OK(t, err)
			checkPositions(t, []byte(test.in), all, unlabelled(WARC), true)
		})
	}
}

// TestWARCMessages: what is wrong, where, and the reason by which it is counted.
func TestWARCMessages(t *testing.T) {
	a := conversion("a")
	for _, test := range []struct {
		in     string
		reason Reason
		want   []string
	}{
		{"garbage " + a, damagedRecord, []string{"standard input:1 (byte 0)", "something that is no record", `"garbage`}},
		{a + strings.Replace(a, "h: 1", "h: 7", 1) + a, damagedRecord, []string{fmt.Sprintf("standard input:8 (byte %d)", len(a)), "Content-Length 7"}},
		{"WARC/1.0\r\nno field\r\n" + a, damagedRecord, []string{"a line that is no field, \"no field\""}},
		{"WARC/1.0\r\nA: b\r\n\r\n" + a, damagedRecord, []string{"has no Content-Length"}},
		{strings.Replace(a, "h: 1", "h: x", 1), damagedRecord, []string{`a number of bytes, not "x"`}},
		{response(plainText+"Content-Encoding: br\r\n", "abc"), wrongCoding, []string{`Content-Encoding "br"`, "gzip and identity"}},
		{response(plainText+"Transfer-Encoding: chunked\r\n", "3\r\nabc\r\nx"), wrongCoding, []string{"byte 8 of its body"}},
		{conversion(strings.Repeat("long ", 20)), longRecord, []string{"longer than", "Input.MaxRecord"}},
		{response(plainText+"Content-Encoding: gzip\r\n", gz(t, strings.Repeat("long ", 2000))), longRecord, []string{"longer than"}},
		{a, noID, []string{`no field "X-ID"`, `it has "WARC-Type", "Content-Type", "Content-Length"`}},
	} {
		o := unlabelled(WARC)
		if test.reason == longRecord {
			o.MaxRecord = 250
			if strings.Contains(test.in, "conversion") {
				o.MaxRecord = 150
			}
		}
		if test.reason == noID {
			o.ID = "X-ID"
		}
		all, err := readString(test.in, o)
		must.OK(t, err)
		at := 0
		for at < len(all)-1 && all[at].Err == nil {
			at++
		}
		if ReasonOf(all[at].Err) != test.reason {
			t.Fatalf("%q: %v, reason %s", test.in, all[at].Err, ReasonOf(all[at].Err))
		}
		for _, part := range test.want {
			if !strings.Contains(all[at].Err.Error(), part) {
				t.Errorf("%q: %v does not mention %q", test.in, all[at].Err, part)
			}
		}
	}
}

// crawl is a WET file to be, and what to expect of it.
type crawl struct {
	records []string // as they are written, a member of gzip each
	damaged map[int]func(member []byte) []byte
	texts   []string // of the good ones
	bad     int
}

// newCrawl makes a crawl of n records, one of which in each hundred is damaged in one of the ways.
func newCrawl(n int, ways []string) *crawl {
	r := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("the of Straße 東京 crawl\n text, WARC/1.0 \r\n pages — and 0.5 of it")
	c := &crawl{records: []string{info}, damaged: map[int]func([]byte) []byte{}}
	flip := func(at func(n int) int) func([]byte) []byte {
		return func(member []byte) []byte { member[at(len(member))] ^= 0x55; return member }
	}
	for i := range n {
		var text strings.Builder
		for range r.IntN(400) {
			text.WriteString(words[r.IntN(len(words))])
			text.WriteByte(" \n"[r.IntN(2)])
		}
		fmt.Fprintf(&text, "%x", r.Uint64())
		fields := fmt.Sprintf("WARC-Target-URI: http://site/%d\r\nWARC-Record-ID: <urn:%d>\r\n%s", i, i, plainText)
		record := aRecord("conversion", fields, text.String())
		if i%100 != 50 {
			c.records, c.texts = append(c.records, record), append(c.texts, text.String())
			continue
		}
		length := func(n int) {
			record = strings.Replace(record, fmt.Sprintf("Length: %d", text.Len()), fmt.Sprintf("Length: %d", n), 1)
		}
		c.bad++
		k := len(c.records)
		switch ways[i/100%len(ways)] {
		case "a length too large":
			length(text.Len() + 777)
		case "a length too small":
			length(text.Len() - 3)
		case "a length beyond all files":
			length(1 << 50)
		case "a header cut off":
			record = record[:60]
		case "a text cut off":
			record = record[:len(record)-12]
		case "garbage between":
			record = "garbage\n\n" + text.String()
		case "garbage between members":
			c.damaged[k] = func([]byte) []byte { return []byte("garbage between members") }
		case "a byte":
			c.damaged[k] = flip(func(n int) int { return 10 + r.IntN(n-10) })
		case "a checksum":
			c.damaged[k] = flip(func(n int) int { return n - 7 })
		case "a member's header":
			c.damaged[k] = flip(func(int) int { return 1 })
		case "a member cut off":
			c.damaged[k] = func(member []byte) []byte { return member[:len(member)-1-r.IntN(len(member)-2)] }
		}
		c.records = append(c.records, record)
	}
	return c
}

// members compresses each record.
func (c *crawl) members(t testing.TB) string {
	var all bytes.Buffer
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	must.OK(t, err)
	for i, record := range c.records {
		var member bytes.Buffer
		z.Reset(&member)
		io.WriteString(z, record)
		must.OK(t, z.Close())
		if damage := c.damaged[i]; damage != nil {
			all.Write(damage(member.Bytes()))
		} else {
			all.Write(member.Bytes())
		}
	}
	return all.String()
}

// check compares what is read with what the crawl has.
func (c *crawl) check(t *testing.T, all []Document, err error) {
	t.Helper()
	must.OK(t, err)
	var texts []string
	bad := 0
	for _, d := range all {
		if d.Err != nil {
			bad++
		} else {
			texts = append(texts, string(d.Text))
		}
	}
	if bad != c.bad || !reflect.DeepEqual(texts, c.texts) {
		k := 0
		for k < min(len(texts), len(c.texts)) && texts[k] == c.texts[k] {
			k++
		}
		t.Errorf("%d bad records, want %d; %d texts, want %d, equal up to %d", bad, c.bad, len(texts), len(c.texts), k)
	}
}

// TestWARCDamage: of many records, one in a hundred is damaged, and costs nothing but itself.
func TestWARCDamage(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 2000
	}
	inRecords := []string{"a length too large", "a length too small", "a length beyond all files", "a header cut off", "a text cut off", "garbage between"}
	inMembers := []string{"a byte", "a checksum", "a member's header", "a member cut off", "garbage between members"}
	plain, packed := newCrawl(n, inRecords), newCrawl(n, append(inMembers, inRecords...))
	text := strings.Join(plain.records, "")
	for name, file := range map[string]struct {
		*crawl
		data string
	}{
		"plain": {plain, text}, "one.gz": {plain, gz(t, text)}, "one.zst": {plain, zst(t, text)},
		"members.gz": {packed, packed.members(t)},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := readWith([]string{writeFile(t, "a.warc.wet"+filepath.Ext(name), file.data)}, nil, unlabelled(Auto), chunkSize, chunkLimit)
			file.check(t, all, err)
			some, err := readWith(nil, iotestReader(file.data), unlabelled(WARC), 3000, 7) // a pipe
			file.check(t, some, err)
			for i := range all {
				if all[i].Offset != some[i].Offset || all[i].Line != some[i].Line || !bytes.Equal(all[i].Record, some[i].Record) {
					t.Fatalf("record %d is at byte %d in one file and at %d of a pipe", i, all[i].Offset, some[i].Offset)
				}
			}
		})
	}
}

// iotestReader gives a text in pieces of odd sizes.
func iotestReader(text string) io.Reader { return &oddReader{strings.NewReader(text), 1} }

type oddReader struct {
	io.Reader
	n int
}

func (o *oddReader) Read(p []byte) (int, error) {
	o.n = o.n*7%10_007 + 1
	return o.Reader.Read(p[:min(len(p), o.n)])
}

// TestWARCMembers: damage in a member of several records, or in the only one, is damage of the file.
func TestWARCMembers(t *testing.T) {
	a, b := gz(t, conversion("a")), gz(t, conversion("b"))
	broken := func(member string) string {
		return member[:len(member)-8] + "\x00\x00\x00\x00" + member[len(member)-4:]
	}
	for name, test := range map[string]struct{ in, want string }{
		"the last":     {a + broken(b), ":a;ERR"},
		"its data":     {a + b[:16] + "\xff\xff\xff\xff" + b[20:], ":a;ERR"},
		"the first":    {broken(a) + b, "ERR;:b"},
		"all":          {broken(a) + broken(b), "ERR;ERR"},
		"zeros behind": {a + strings.Repeat("\x00", 100), ":a;ERR"},
		"magics":       {a + strings.Repeat("\x1f\x8b\x08\x00", 20_000) + b, ":a;ERR;:b"},
	} {
		if got := brief(mustRead(t, test.in, unlabelled(Auto))); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	for name, in := range map[string]string{
		"two records": broken(gz(t, conversion("a")+conversion("b"))) + a,
		"cut off":     a + b[:len(b)-1],
		"a header":    a + b[:5],
	} {
		if _, err := readString(in, unlabelled(Auto)); !IsBadFile(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWARCBytes changes each byte of members of a file: their text is missing at most.
func TestWARCBytes(t *testing.T) {
	in := gz(t, info) + gz(t, conversion("the first text")) + gz(t, conversion("")) + gz(t, conversion("another text"))
	for at := 10; at < len(in); at++ { // behind the header by which the file is one of gzip
		changed := []byte(in + gz(t, conversion("last")))
		changed[at] ^= 0x55
		all, err := readString(string(changed), unlabelled(WARC))
		must.OK(t, err)
		texts := brief(slices.DeleteFunc(flatten(all), func(d doc) bool { return d.Err != "" }))
		if !slices.Contains([]string{
			":the first text;:;:another text;:last", ":;:another text;:last", ":the first text;:another text;:last",
			":the first text;:;:last",
		}, texts) {
			t.Errorf("byte %d: %s", at, texts)
		}
	}
}

// TestWARCCut cuts files at every byte: the records before come, then an error, unless nothing is missing.
func TestWARCCut(t *testing.T) {
	text := info + conversion("a text") + aRecord("request", "", "GET /") + conversion("another")
	ends := map[int]bool{} // where nothing is missing
	for at := 0; at < len(text); {
		at += strings.Index(text[at:], "\r\n\r\n") + 4 // of the header
		at += strings.Index(text[at:], "\r\n\r\n")
		for k := range 5 {
			ends[at+k] = true
		}
		at += 4
	}
	whole := mustRead(t, text, unlabelled(WARC))
	for n := 1; n < len(text); n++ {
		all, err := readString(text[:n], unlabelled(WARC))
		if got := flatten(all); len(got) > 0 && !reflect.DeepEqual(got, whole[:len(got)]) {
			t.Fatalf("cut at %d: %+v", n, got)
		}
		if (err == nil) != ends[n] || err != nil && !IsBadFile(err) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	_, err := readString(text[:len(text)-8], unlabelled(WARC))
	wantFileError(t, err, "the file ends within a record, so it was cut off", "(byte ", `"WARC/1.0\r\nWARC-Type: conversion`)
	_, err = readString(conversion("a")+strings.Repeat("\x00", 5000)+conversion("b"), unlabelled(WARC))
	wantFileError(t, err, "zero bytes stand where records were")
}

func TestWARCDetected(t *testing.T) {
	text := info + conversion("a")
	for _, name := range []string{"a", "a.txt", "a.jsonl", "a.warc", "a.wet", "a.WET", "a.warc.wet", "CC-MAIN-1.warc.wet.gz", "a.warc.gz", "a.warc.zst", "a.gz"} {
		for _, content := range []string{text, gz(t, text), zst(t, text), gz(t, info) + gz(t, conversion("a"))} {
			path := writeFile(t, name, content)
			r, err := Open(Input{Paths: []string{path}, Unlabelled: true, Like: Reading{Format: TSV}})
			must.OK(t, err)
			c, err := r.Next()
			must.OK(t, err)
			if all := flatten(c.Append(nil)); c.Format() != WARC || brief(all) != ":a" {
				t.Errorf("%s is %s, %+v", name, c.Format(), all)
			}
			must.OK(t, r.Close())
		}
	}
	for _, test := range []struct {
		name, content string
		o             Input
		want          []string
	}{
		{"a.wet", text, unlabelled(Lines), []string{"is a WARC file, not lines", "give Input.Format warc, or leave"}},
		{"a.wet", text, Input{}, []string{"is a WARC file, which has no labels", "label a sample"}},
		{"a", gz(t, text), Input{}, []string{"is a WARC file, which has no labels"}},
		{"a.wet", "some text\n", unlabelled(Auto), []string{"is not warc", `"some text`}},
		{"a.warc", "WARC/0.17\r\nWARC-Type: warcinfo\r\n", unlabelled(Auto), []string{"before 1.0"}},
		{"a.warc", info + response("Content-Type: text/html\r\n", "<p>") + response("Content-Type: application/xhtml+xml\r\n", "<p>"), unlabelled(Auto), []string{"has no text", "2 records of HTML", "resiliparse", "trafilatura", "WET"}},
	} {
		_, err := readWith([]string{writeFile(t, test.name, test.content)}, nil, test.o, chunkSize, chunkLimit)
		wantFileError(t, err, append(test.want, test.name)...)
		if !IsBadFile(err) {
			t.Errorf("%v is not the file's", err)
		}
	}
	for _, o := range []Input{{Format: WARC}, {Format: WARC, Unlabelled: true, TextField: "t"}} {
		if err := o.Validate(); err == nil {
			t.Errorf("%+v is valid", o)
		}
	}
}

// TestWARCFields: headers are fields; records passed over are counted.
func TestWARCFields(t *testing.T) {
	text := info + aRecord("conversion", "WARC-Target-URI: http://a/?b\r\nwarc-record-id: <urn:1>\r\nWARC-Empty:\r\n", "a") +
		aRecord("request", "", "") + conversion("b")
	var notes []string
	o := Input{Unlabelled: true, Keep: []string{"WARC-Target-URI", "Warc-Record-Id", "WARC-Empty"}, Note: func(_, what string) { notes = append(notes, what) }}
	all, err := readString(text, o)
	must.OK(t, err)
	if len(all) != 2 || all[1].Kept[0].There() || !all[0].Kept[2].There() {
		t.Fatalf("%+v", all)
	}
	if got := fmt.Sprintf("%s %s", all[0].Kept[0].AppendText(nil), all[0].Kept[1].AppendText(nil)); got != "http://a/?b <urn:1>" {
		t.Error(got)
	}
	if want := []string{"has records without text, which are passed over: 1 request, 1 warcinfo"}; !reflect.DeepEqual(notes, want) {
		t.Errorf("notes %q", notes)
	}
	o.ID, o.TextField, notes = "WARC-Record-ID", "body", nil
	all, err = readString(text+"WARC/1.0\r\nWARC-Record-ID: <urn:2>\r\nContent-Length: x\r\n\r\n", o)
	must.OK(t, err)
	if len(all) != 3 || all[0].Err != nil || ReasonOf(all[1].Err) != noID || string(all[2].Kept[0].AppendText(nil)) != "<urn:2>" {
		t.Errorf("%+v", all)
	}
	if len(notes) != 2 || !strings.Contains(notes[0], "Input.TextField, Input.LabelField and Input.WeightField have no effect") {
		t.Errorf("notes %q", notes)
	}
	o = Input{Paths: []string{writeFile(t, "a.wet", text), writeFile(t, "b.tsv", "x\tc\n")}, Classes: []string{"good", ""}}
	all, err = readWith(o.Paths, nil, o, chunkSize, chunkLimit)
	must.OK(t, err)
	if got := brief(flatten(all)); got != "good:a;good:b;x:c" {
		t.Errorf("with a label for the file: %q", got)
	}
	all, err = readString(text, Input{Unlabelled: true})
	must.OK(t, err)
	joined := ""
	for _, d := range all[:2] {
		joined += string(d.Record) + d.EOL
	}
	if want := strings.Replace(strings.TrimPrefix(text, info), aRecord("request", "", ""), "", 1); joined != want {
		t.Errorf("records are %q, not %q", joined, want)
	}
}

// TestWARCLong: a record that is too long is bad, if it is a text; memory has nothing to do with lengths.
func TestWARCLong(t *testing.T) {
	const size = 64 << 20
	long := func(kind, fields string) io.Reader {
		head := fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\n%sContent-Length: %d\r\n\r\n", kind, fields, size)
		return io.MultiReader(strings.NewReader(head), io.LimitReader(&endless{[]byte("some text\n")}, size), strings.NewReader("\r\n\r\n"))
	}
	in := io.MultiReader(long("resource", "Content-Type: video/mp4\r\n"), strings.NewReader(conversion("a")),
		long("conversion", plainText), strings.NewReader(conversion("b")), strings.NewReader("garbage\n\n"),
		io.LimitReader(&endless{[]byte("garbage\n")}, size), strings.NewReader(conversion("c")))
	o := unlabelled(WARC)
	o.MaxRecord = 1 << 20
	r, err := Open(from(nil, in, o))
	must.OK(t, err)
	var all []Document
	peak := peakHeap(func(tick func()) {
		for {
			c, err := r.Next()
			if err == io.EOF {
				return
			}
			must.OK(t, err)
			all = c.Append(all)
			tick()
		}
	})
	if got := brief(flatten(all)); got != ":a;ERR;:b;ERR;:c" || !errors.Is(all[1].Err, ErrTooLong) {
		t.Errorf("%q, %v", got, all[1].Err)
	}
	if peak > 12<<20 {
		t.Errorf("it took %d bytes", peak)
	}
}

// endless repeats a text.
type endless struct{ text []byte }

func (e *endless) Read(p []byte) (int, error) {
	for n := 0; n < len(p); n += copy(p[n:], e.text) {
	}
	return len(p), nil
}

// FuzzWARC damages a record of a file, in its bytes or in its member of gzip: the others come as they are.
func FuzzWARC(f *testing.F) {
	f.Add("a", "b\r\n\r\n", uint16(3), byte(0x55), false)
	f.Add("WARC/1.0\r\nA: b\r\n", "", uint16(300), byte(1), true)
	f.Fuzz(func(t *testing.T, first, text string, at uint16, change byte, member bool) {
		other, damaged := conversion(first), []byte(conversion(text))
		file := func(record []byte) []byte { return []byte(gz(t, string(record))) }
		if member {
			damaged = file(damaged)
		}
		damaged[int(at)%len(damaged)] ^= change | 1
		if !member {
			damaged = file(damaged)
		}
		in := append(append(file([]byte(other)), damaged...), file([]byte(other))...)
		all, err := readString(string(in), unlabelled(WARC))
		if strings.Contains(first+text, warcMagic) || errors.Is(err, errHole) {
			return // records within records, or damage of the whole file
		}
		must.OK(t, err)
		if n := len(all); n < 2 || n > 4 || string(all[0].Text) != first || string(all[n-1].Text) != first {
			t.Fatalf("%+v", flatten(all))
		}
	})
}
