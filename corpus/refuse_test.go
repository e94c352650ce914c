package corpus

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestDetection(t *testing.T) {
	csvNamed := Input{TextField: "review", LabelField: "class"}
	for _, test := range []struct {
		name, content string
		o             Input
		want          Format
	}{
		{"a.tsv", "x\ty\n", Input{}, TSV},
		{"a.CSV", "label,text\n1,2\n", Input{}, CSV},
		{"a.jsonl.gz", "{\"text\":\"x\",\"label\":1}\n", Input{}, JSONL}, // compression is told by content
		{"a.ndjson", "{\"text\":\"x\",\"label\":1}\n", Input{}, JSONL},
		{"a.json.zst", "{\"text\":\"x\",\"label\":1}\n", Input{}, JSONL},
		{"a.svm", "x 1:2\n", Input{}, SVMLight},
		{"a.libsvm", "1 1:2\n", Input{}, SVMLight},
		{"a.svmlight", "1 1:2\n", Input{}, SVMLight},
		{"a.ft", "__label__x y\n", Input{}, FastText},
		{"a.fasttext", "__label__x y\n", Input{}, FastText},
		{"a.txt", "{\"text\":\"x\"}\n", Input{Unlabelled: true}, Lines},
		{"a.txt", "\n__label__x y\n", Input{}, FastText},
		{"a.txt", "x\ty\n", Input{}, TSV},
		{"a", "{\"text\":\"x\",\"label\":1}\n", Input{}, JSONL},
		{"a", "+1 1:0.5 7:1e-3 # x\n", Input{}, SVMLight},
		{"a", "1,2 1:1\n", Input{}, SVMLight},
		{"a", "1 | a b\n", Input{Unlabelled: true}, Lines},
		{"a", "one |t a\n", Input{Unlabelled: true}, Lines},
		{"a", "label,text\nx,y\n", Input{}, CSV},
		{"a", "id,class,review\n1,x,y\n", csvNamed, CSV},
		{"a", "id\tclass\treview\n1\tx\ty\n", csvNamed, TSV},
		{"a", "some text, or more\n", Input{Unlabelled: true}, Lines},
		{"a", "1 2:30 is when we met\n", Input{Unlabelled: true}, Lines},
		{"a", "", Input{}, Lines},
		{"a", "\n\n", Input{Unlabelled: true}, Lines},
	} {
		t.Run(fmt.Sprintf("%s %q", test.name, test.content), func(t *testing.T) {
			r, err := Open(from([]string{writeFile(t, test.name, test.content)}, nil, test.o))
			must.OK(t, err)
			defer r.Close()
			c, err := r.Next()
			if err == io.EOF && strings.TrimSpace(test.content) == "" && !test.o.Unlabelled {
				return
			}
			must.OK(t, err)
			if c.Format() != test.want || filepath.Base(c.Path()) != test.name {
				t.Errorf("%s is %v, want %s and %v", c.Path(), c.Format(), test.name, test.want)
			}
			for _, d := range c.Append(nil) {
				if d.Err != nil {
					t.Error(d.Err)
				}
			}
		})
	}
}

// TestRefusedWithin: what is refused is refused in gzip, too.
func TestRefusedWithin(t *testing.T) {
	for content, want := range map[string]string{"WARC/0.18\r\nWARC-Type: conversion\r\n": "is a WARC file", "SQLite format 3\x00": "is binary"} {
		data, err := pack([]byte(content))
		must.OK(t, err)
		_, err = readString(string(data), unlabelled(Lines))
		wantFileError(t, err, want)
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name, content string
		o             Input
		want          []string
	}{
		{"a", "no format\n", Input{}, []string{"Input.Format", `Line 1 is "no format"`}},
		{"a", "a, b\n", Input{}, []string{"Input.Format"}},
		{"a.tsv", "\n\nno tab\nat all\n", Input{}, []string{"not tsv", "label<TAB>text", "Input.Format", `Line 3 is "no tab"`}},
		{"a.jsonl", "label,text\n", Input{}, []string{"not jsonl", "Input.Format", `"label,text"`}},
		{"a.json", "[\n{}]\n", Input{}, []string{"JSON array", "jq -c"}},
		{"a.ft", "x y\n", Input{}, []string{"not fasttext"}},
		{"a.svm", "x y\n", Input{}, []string{"not svmlight"}},
		{"a.csv", "body;stars\nx;y\n", Input{}, []string{`no column "text"`, "Input.TextField", `it has "body", "stars"`, `"body;stars"`}},
		{"a.csv", "text\nx\n", Input{}, []string{`no column "label"`, "Input.LabelField"}},
		{"a.csv", "what a lovely film,pos\n", Input{}, []string{"by number, Input.LabelField N and Input.TextField N"}},
		{"a.csv", "1,pos,what a lovely film\n", Input{}, []string{"by number, Input.LabelField N and Input.TextField N"}},
		{"a.csv", "1,pos,what a lovely film\n", Input{Unlabelled: true}, []string{"by number, Input.TextField N"}},
		{"a.csv", "body,stars\n", Input{}, []string{"by number, Input.LabelField N and Input.TextField N"}},
		{"a.tsv", "pos\twhat a lovely film\n", Input{WeightField: "w"}, []string{`no column "w"`, "weight with Input.WeightField", "Input.LabelField N and Input.TextField N"}},
		{"a.csv", "text,label,text\n", Input{}, []string{`the column "text" twice`}},
		{"a.csv", "text,label,Weight,weight \n", Input{WeightField: "WEIGHT"}, []string{`"WEIGHT" twice`}},
		{"a.csv", "\"text,label\n", Input{}, []string{"without an end"}},
		{"a.csv", "\"text\"x,label\n", Input{}, []string{"behind a closing quote"}},
		{"a.csv", "a,b\n", Input{TextField: "3", LabelField: "1"}, []string{"no column 3", "only 2"}},
		{"a.tsv", "a\tb\n", Input{TextField: "1"}, []string{"column 1 is both text and label"}},
		{"a.tsv", "a\n", Input{LabelField: "1"}, []string{"no column 2"}},
		{"a", "__label__x y\n", Input{TextField: "t"}, []string{"fasttext has no named or numbered fields"}},
		{"a.tsv", "\xff\xfea\x00", Input{}, []string{"UTF-16", "iconv"}},
		{"a.tsv", "\xfe\xff\x00a", Input{}, []string{"UTF-16", "iconv"}},
		{"a", "[\n{}]\n", Input{Unlabelled: true}, []string{"JSON array", "jq -c '.[]' "}},
		{"a", "[ {\"text\":1}]\n", Input{}, []string{"JSON array", "jq -c", "Input.Format lines"}},
		{"a.lz4", "\x04\x22\x4d\x18...", Input{}, []string{"lz4 -dc"}},
		{"a.tsv.xz", "\xfd7zXZ\x00...", Input{}, []string{"xz -dc"}},
		{"a.tsv.bz2", "BZh91AY&SY...", Input{}, []string{"bzip2 -dc"}},
		{"a.zip", "PK\x03\x04...", Input{}, []string{"zip archive", "unzip -p", "xlsx"}},
		{"a.parquet", "PAR1\x15...", Input{}, []string{"not a whole Parquet file", "only 8 bytes", "a.parquet"}},
		{"a.parquet", "label\ttext\n", Input{}, []string{"does not begin as Parquet", "Input.Format"}},
		{"a.parquet", "", Input{}, []string{"does not begin as Parquet"}},
		{"a.tsv", "PAR1\x15...", Input{Format: TSV}, []string{"a Parquet file, not tsv", "leave Input.Format"}},
		{"a.parquet", "PAR1\x00\x00\x00\x00label\ttext\nPAR1", Input{Unlabelled: true}, []string{"does not begin as Parquet", "encrypted"}},
		{"a.pkl", "\x80\x04\x95\x08\x00\x00\x00\x00\x00\x00\x00]", Input{}, []string{"is binary", "file "}},
		{"a.avro", "Obj\x01\x04\x14avro.codec", Input{Unlabelled: true}, []string{"is binary"}},
		{"a.db", "SQLite format 3\x00\x10\x00", unlabelled(Lines), []string{"is binary"}},
		{"a.feather", "ARROW1\x00\x00\xff\xff", Input{}, []string{"is binary"}},
		{"a.tsv", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n", Input{}, []string{"Git LFS", "git lfs pull"}},
		{"a.csv", "PK\x05\x06\x00\x00", Input{}, []string{"is a zip archive"}},
		{"a.pdf", "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", Input{Unlabelled: true}, []string{"pdftotext", "a.pdf - | nbsvm"}},
		{"a.docx", "PK\x03\x04...", Input{Unlabelled: true}, []string{"docx", "as text"}},
		{"a.bin", "\x01\x00\x07words\t\x00\x02\x01\n", Input{Unlabelled: true}, []string{"is binary", "file ", "insist with Input.Format"}},
		{"a", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00>\n\x00", Input{}, []string{"is binary"}},
		{"a.tsv", "\x01\x00\x07words\t\x00\x02\x01\n", Input{}, []string{"is binary"}},
		{"a.tsv", "\x89NBSVM\r\n", Input{}, []string{"is a model"}},
		{"a.tsv", "\x89NBSVC\r\n", Input{}, []string{"is a packed corpus"}},
		{"a.txt", strings.Repeat("\n", sniffWindow+1) + "a\tb\n", Input{}, []string{"a mebibyte of blank lines", "Input.Format"}},
		{"a.tsv", strings.Repeat("x", sniffWindow) + "\ta\n", Input{LabelField: "2", TextField: "1"}, []string{"longer than a mebibyte"}},
	} {
		t.Run(fmt.Sprintf("%s %.20q", test.name, test.content), func(t *testing.T) {
			_, err := readWith([]string{writeFile(t, test.name, test.content)}, nil, test.o, chunkSize, chunkLimit)
			wantFileError(t, err, append(test.want, test.name)...)
			if len(err.Error()) > 500 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
		})
	}
}

// TestFewBadLines: a bad beginning alone is no reason to refuse a file.
func TestFewBadLines(t *testing.T) {
	for n, refused := range map[int]bool{1: false, sniffRecords - 1: false, sniffRecords: true} {
		in := strings.Repeat("bad\n\n", n) + "a\tb\n"
		all, err := readString(in, labelled(TSV))
		if refused {
			wantFileError(t, err, "not tsv")
		} else if err != nil || len(all) != n+1 || all[n].Err != nil {
			t.Errorf("%d bad lines: %d documents, %v", n, len(all), err)
		}
	}
	in := strings.Repeat("\n", sniffWindow+5)
	if all, err := readString(in, unlabelled(Lines)); err != nil || len(all) != len(in) {
		t.Errorf("%d blank lines are %d documents, %v", len(in), len(all), err)
	}
}

// TestOldMac: lines that end in CR alone are not taken for one line.
func TestOldMac(t *testing.T) {
	for _, text := range []string{"a\tb\rc\td\re\tf\rg\th\r", "some text\rmore\rand more\r\r", "label,text\ra,b\rc,d\re,f"} {
		for _, unlabelled := range []bool{true, false} {
			_, err := readString(text, Input{Unlabelled: unlabelled})
			wantFileError(t, err, "has lines that end in CR alone", `tr '\r' '\n' < FILE`)
		}
	}
	if got := brief(mustRead(t, "a\rb\rc\rd\n", unlabelled(Lines))); got != ":a\rb\rc\rd" {
		t.Errorf("Input.Format lines gives %q", got)
	}
}

func TestPaths(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing.tsv")
	good := writeFile(t, "good.tsv", "a\tb\n")
	stdin := strings.NewReader("")
	for _, test := range []struct {
		paths []string
		stdin io.Reader
		want  string
	}{
		{[]string{good, missing}, nil, missing},
		{[]string{"-", good, "-"}, stdin, "given twice"},
		{[]string{"-"}, nil, "there is none"},
		{nil, nil, "there is none"},
	} {
		_, err := Open(Input{Paths: test.paths, Stdin: test.stdin})
		wantFileError(t, err, test.want)
	}
	if _, err := Open(Input{Paths: []string{missing}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v, want os.ErrNotExist", err)
	}
	if _, err := Open(Input{Paths: []string{good}, MaxRecord: -1}); err == nil {
		t.Error("bad options are accepted")
	}
	// Gone by the time its turn comes.
	r, err := Open(Input{Paths: []string{good, good}})
	must.OK(t, err)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(good); err != nil {
		t.Skip("an open file cannot be removed here")
	}
	_, err = r.Next()
	wantFileError(t, err, good)
	if _, again := r.Next(); again != err {
		t.Errorf("after %v comes %v", err, again)
	}
}

func TestManyFiles(t *testing.T) {
	paths := []string{
		writeFile(t, "a.tsv", "a\tone\n"), writeFile(t, "empty.csv", ""), "-",
		writeFile(t, "b.jsonl", `{"text":"three","label":"c"}`), writeFile(t, "blank.tsv", "\n\n"), writeFile(t, "c.ft", "__label__d four"),
	}
	all, err := readWith(paths, strings.NewReader("label,text\nb,two\n"), Input{}, chunkSize, chunkLimit)
	if got := brief(flatten(all)); err != nil || got != "a:one;b:two;c:three;d:four" {
		t.Errorf("got %q, %v", got, err)
	}
	for i, want := range [][2]int64{{1, 0}, {2, 11}, {1, 0}, {1, 0}} {
		if all[i].Line != want[0] || all[i].Offset != want[1] {
			t.Errorf("document %d at line %d, byte %d; want %v", i, all[i].Line, all[i].Offset, want)
		}
	}
}

func TestProgressAndClose(t *testing.T) {
	content := strings.Repeat("a\tb\n", 1<<20)
	path := writeFile(t, "a.tsv", content)
	r, err := Open(Input{Paths: []string{path, path}})
	must.OK(t, err)
	if done, total := r.Progress(); done != 0 || total != 2*int64(len(content)) {
		t.Errorf("progress %d of %d before reading", done, total)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if done, _ := r.Progress(); done < chunkSize/2 || done > 2*chunkSize {
		t.Errorf("%d bytes done after a chunk", done)
	}
	for err == nil {
		_, err = r.Next()
	}
	if done, total := r.Progress(); err != io.EOF || done != total {
		t.Errorf("progress %d of %d at the end, %v", done, total, err)
	}
	r, _ = Open(Input{Stdin: strings.NewReader("a\tb\n")})
	if _, total := r.Progress(); total != -1 {
		t.Errorf("standard input has %d bytes", total)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Next(); !errors.Is(err, errClosed) {
		t.Errorf("a closed reader gives %v", err)
	}
}

// TestReadErrors: whole records before an error come, then the error, for good.
func TestReadErrors(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, test := range []struct {
		in     string
		docs   int
		offset int64
	}{{"", 0, 0}, {"a\tb", 0, 3}, {"a\tb\nc\td\ne", 2, 9}} {
		r, err := Open(from(nil, io.MultiReader(strings.NewReader(test.in), iotest.ErrReader(broken)), labelled(TSV)))
		must.OK(t, err)
		var all []Document
		for {
			c, err := r.Next()
			if err == nil {
				all = c.Append(all)
				continue
			}
			fe := wantFileError(t, err, stdinName)
			if !errors.Is(err, broken) || fe.Offset != test.offset || len(all) != test.docs {
				t.Errorf("%q: %d documents, then %v at %d; want %d, %d", test.in, len(all), err, fe.Offset, test.docs, test.offset)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("after %v comes %v", err, again)
			}
			break
		}
	}
	r, _ := Open(Input{Stdin: emptyReader{}})
	if _, err := r.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader without bytes gives %v", err)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

func TestValidate(t *testing.T) {
	if err := (Input{}).Validate(); err != nil {
		t.Error(err)
	}
	for _, o := range []Input{
		{Format: "orc"},
		{Format: Lines},
		{MaxRecord: -1},
		{MaxRecord: 1<<30 + 1},
		{Format: FastText, TextField: "x"},
		{Format: SVMLight, LabelField: "x"},
		{TextField: "x", LabelField: "x"},
		{LabelSep: "\n"},
		{TextField: "0"},
		{WeightField: "-1"},
		{LabelField: "9999999"},
	} {
		if err := o.Validate(); err == nil || !strings.HasPrefix(err.Error(), "corpus: ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, name := range Formats(true) {
		var f Format
		if err := f.UnmarshalText([]byte(name)); err != nil {
			t.Error(err)
		}
		if f.String() != name {
			t.Errorf("format %s is written %q", name, f)
		}
	}
	if f := Format(""); f != Auto || f.String() != "auto" {
		t.Errorf("no format is %s", f)
	}
	if err := (Input{Format: "orc"}).Validate(); err == nil {
		t.Error("there is a format parquet")
	}
	var f Format
	if err := f.UnmarshalText([]byte("orc")); err == nil || !strings.Contains(err.Error(), "jsonl") {
		t.Errorf("format orc: %v", err)
	}
}

// TestLabelsAreText wants a label of invalid UTF-8 to make a bad record in every
// format where labels are needed, and to be no matter where they are not.
func TestLabelsAreText(t *testing.T) {
	for format, content := range map[Format]string{
		TSV:      "good\tx\nb\xffd\tx\n",
		CSV:      "label,text\ngood,x\nb\xffd,x\n",
		FastText: "__label__good x\n__label__b\xffd x\n",
		JSONL:    "{\"label\":\"good\",\"text\":\"x\"}\n{\"label\":\"b\xffd\",\"text\":\"x\"}\n",
	} {
		for _, unlabelled := range []bool{false, true} {
			docs, err := readString(content, Input{Format: format, Unlabelled: unlabelled})
			must.OK(t, err)
			if len(docs) != 2 || docs[0].Err != nil {
				t.Fatalf("%v: %d documents, the first %+v", format, len(docs), docs[0])
			}
			if bad := docs[1].Err != nil; bad == unlabelled {
				t.Errorf("%v, unlabelled %v: the second document's error is %v", format, unlabelled, docs[1].Err)
			} else if bad && !strings.Contains(docs[1].Err.Error(), "label") {
				t.Errorf("%v: the error says nothing of the label: %v", format, docs[1].Err)
			}
		}
	}
}

// TestRefusedOfSeveral: a file that is not what it was said to be ends the reading, as one of several, too, and is no
// bad record.
func TestRefusedOfSeveral(t *testing.T) {
	good := writeFile(t, "a.jsonl", strings.Repeat("{\"text\":\"x\",\"label\":\"y\"}\n", 20))
	for _, bad := range []string{
		writeFile(t, "text.jsonl", strings.Repeat("no objects\n", 40)), writeFile(t, "b.jsonl", "%PDF-"+strings.Repeat("a\n", 300)),
		writeFile(t, "c.csv", strings.Repeat("body,stars\n", 50)), writeFile(t, "d", strings.Repeat("[\n{}]\n", 50)),
	} {
		_, err := readWith([]string{good, bad, good}, nil, Input{Unlabelled: true, Headers: true}, 64, 7)
		if fe := wantFileError(t, err, bad); fe.Damaged || !IsBadFile(err) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestHole writes zero bytes where records were, as file systems leave them after a crash. A few zero bytes are text.
func TestHole(t *testing.T) {
	for _, test := range []struct{ name, text string }{
		{"a.jsonl", strings.Repeat("{\"label\":\"a\",\"text\":\"b\"}\n", 200)},
		{"a.tsv", strings.Repeat("spam\tcheap pills\n", 200)},
		{"a.csv", "label,text\n" + strings.Repeat("a,\"b\nc\"\n", 200)},
		{"a.ft", strings.Repeat("__label__a b c\n", 200)},
		{"a.svm", strings.Repeat("1 3:1 7:2\n", 200)},
		{"a.txt", strings.Repeat("some text\n", 200)},
	} {
		for _, at := range []int{len(test.text) / 2, len(test.text) - 700} {
			for _, size := range []int{20, 700} {
				text := test.text[:at] + strings.Repeat("\x00", size) + test.text[at+size:]
				for name, content := range map[string]string{test.name: text, test.name + ".gz": gz(t, text)} {
					path := writeFile(t, name, content)
					all, err := readWith([]string{path}, nil, Input{Unlabelled: true}, chunkSize, chunkLimit)
					if size < len(hole) {
						if err != nil {
							t.Errorf("%s: %v", name, err)
						}
						continue
					}
					fe := wantDamage(t, all, err, path, "zero bytes")
					if fe.Offset != int64(at) {
						t.Errorf("%s: a hole at %d, want %d", name, fe.Offset, at)
					}
				}
			}
		}
	}
}

// TestCutOff cuts a file at every byte: what ends within a record of JSON is damaged, and compressed files are wherever
// they are cut. Damage is of the file, never of a record.
func TestCutOff(t *testing.T) {
	line := `{"text":"a \"b\" é","label":["x",-1.5e3],"n":{"a":null,"b":[true,false,[],{}]},"é":""}`
	text := line + "\n" + line + "\n"
	first := len(line) + 1
	for name, content := range map[string]string{"a.jsonl": text, "b": text, "a.jsonl.gz": gz(t, text), "a.jsonl.zst": zst(t, text)} {
		for n := range len(content) {
			path := writeFile(t, name, content[:n])
			all, err := readWith([]string{path}, nil, Input{}, chunkSize, chunkLimit)
			plain := !strings.Contains(name, ".gz") && !strings.Contains(name, ".zst")
			switch {
			case plain && (n == 0 || n == first-1 || n == first || n == len(text)-1):
				if whole := (n + 1) / first; err != nil || len(all) != whole || whole > 0 && all[0].Err != nil {
					t.Errorf("%s, cut at %d: %d records, %v", name, n, len(all), err)
				}
			default:
				wantDamage(t, all, err, path)
			}
		}
	}
	// What is wrong in itself is no beginning of anything.
	for _, wrong := range []string{`{"text":1 2`, `{"text":"x"} {`, `{"text":"\x`, `{,`, `{"text" "`, `{"text":"x"}}`, `{"text":nul,`, `{"text":"\uzzzz`} {
		all, err := readWith([]string{writeFile(t, "a.jsonl", text+wrong)}, nil, Input{}, chunkSize, chunkLimit)
		if err != nil || len(all) != 3 || all[2].Err == nil {
			t.Errorf("%s: %d records, %v", wrong, len(all), err)
		}
	}
}
