package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestWrong takes every row of testdata/wrong.txtar: a mistake, and what the command has to say of it. With -v it
// prints the messages.
func TestWrong(t *testing.T) {
	must.SkipUnderRace(t)
	if runtime.GOOS == "windows" {
		t.Skip("the table has the words of Unix for what the operating system refuses")
	}
	archive, err := txtar.ParseFile("testdata/wrong.txtar")
	must.OK(t, err)
	t.Chdir(t.TempDir())
	for _, file := range archive.Files {
		writeWrong(t, file.Name, file.Data)
	}
	makeWrong(t)
	before := listing(t)
	format, kinds := "", map[string]bool{}
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		if title, is := strings.CutPrefix(line, "## "); is {
			format = title
		}
		if line == "" || line[0] == '#' {
			continue
		}
		row, err := parseMistake(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		kind := format + ": " + row.what
		if kinds[kind] {
			t.Errorf("%s stands there twice", kind)
		}
		kinds[kind] = true
		t.Run(kind, func(t *testing.T) { row.try(t, format, before) })
	}
	t.Logf("%d kinds of mistakes", len(kinds))
}

// mistake is a row of the table: what is wrong, the exit code, the command, and what the message has to hold.
type mistake struct {
	what, command        string
	code                 int
	place, cause, remedy string
}

func parseMistake(line string) (m mistake, err error) {
	fields := strings.Split(line, "|")
	for i := range fields {
		fields[i] = strings.ReplaceAll(strings.TrimSpace(fields[i]), "¦", "|")
	}
	if len(fields) != 6 || slices.Contains(fields, "") {
		return m, fmt.Errorf("want what | code | command | place | cause | remedy")
	}
	m = mistake{what: fields[0], command: fields[2], place: fields[3], cause: fields[4], remedy: fields[5]}
	m.code, err = strconv.Atoi(fields[1])
	return m, err
}

// try gives the command, and looks at its exit code, its message, and at what it leaves: nothing.
func (m *mistake) try(t *testing.T, format string, before map[string]string) {
	if _, err := os.Stat("/dev/full"); err != nil && strings.Contains(m.command, "/dev/full") {
		t.Skip(err)
	}
	line, devices := m.command, [2]string{os.DevNull, os.DevNull}
	for i, redirection := range []string{" < ", " > "} {
		if command, file, is := strings.Cut(line, redirection); is {
			line, devices[i] = command, file
		}
	}
	in, err := os.ReadFile(devices[0])
	must.OK(t, err)
	var stdout, stderr bytes.Buffer
	var out io.Writer = &stdout
	if devices[1] != os.DevNull {
		file, err := os.OpenFile(devices[1], os.O_WRONLY, 0)
		must.OK(t, err)
		defer file.Close()
		out = file
	}
	if file, err := os.Open("secret.tsv"); strings.Contains(line, "secret") && err == nil {
		file.Close()
		t.Skip("this user may read and write everything")
	}
	code := run(t.Context(), split(line), streams{bytes.NewReader(in), out, &stderr})
	said := stderr.String()
	t.Logf("%s | %s | nbsvm %s | %d | %s", format, m.what, m.command, code, strings.TrimSpace(said))
	mayPrint := code == exitDone || strings.HasPrefix(line, "verify ")
	if code != m.code || !strings.HasPrefix(said, "nbsvm: ") || stdout.Len() > 0 && !mayPrint {
		t.Errorf("exit code %d, want %d, a message and no output: %s", code, m.code, &stdout)
	}
	if strings.Contains(said, "%!") {
		t.Error("a value of the message has no place in it")
	}
	for _, want := range []string{m.place, m.cause, m.remedy} {
		if !strings.Contains(said, want) {
			t.Errorf("the message has no %q", want)
		}
	}
	for name, data := range listing(t) {
		if was, is := before[name]; !is {
			if code != exitDone {
				t.Errorf("%s is left", name)
			}
			os.RemoveAll(name)
		} else if was != data {
			t.Errorf("%s has changed", name)
		}
	}
}

// split is a command line as a shell takes it apart that knows single quotes alone.
func split(line string) (args []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
			continue
		}
		args = append(args, strings.Fields(part)...)
	}
	return args
}

// listing is what is in the folder: size and time of every file.
func listing(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.ModTime())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func writeWrong(t *testing.T, name string, data []byte) {
	t.Helper()
	must.OK(t, os.WriteFile(filepath.FromSlash(name), data, 0o600))
}

// makeWrong makes what is no text, and what is made of good files by damage.
func makeWrong(t *testing.T) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		must.OK(t, err)
		return data
	}
	for format, name := range map[string]string{
		"tsv": "good.tsv", "csv": "good.csv", "jsonl": "good.jsonl", "fasttext": "good.ft",
		"svmlight": "good.svm", "lines": "good.txt",
	} {
		var b bytes.Buffer
		must.OK(t, writeDocuments(&b, format, 60, 2))
		writeWrong(t, name, b.Bytes())
	}
	text := string(read("good.tsv"))
	writeWrong(t, "cp1251.tsv", bytes.Repeat([]byte("cooking\t\xe2\xf1\xe5 \xf5\xee\xf0\xee\xf8\xee\nsailing\t\xe2\xf1\xe5 \xef\xeb\xee\xf5\xee\n"), 20))
	swapped, numbered, ids := "", "", ""
	for i := range 40 {
		ids += fmt.Sprintf("id%d\tsome text\n", i)
	}
	writeWrong(t, "ids.tsv", []byte(ids))
	for i := range 12 {
		label := []string{"cooking", "sailing"}[i%2]
		swapped += fmt.Sprintf("words of text %d\t%s\n", i, label)
		numbered += fmt.Sprintf("%d\t%s\tsome text\n", i, label)
	}
	writeWrong(t, "textlabel.tsv", []byte(swapped))
	writeWrong(t, "idlabel.tsv", []byte(numbered))
	for _, line := range []string{
		"train -q --bits 12 good.tsv -o text.nbm",
		"train -q good.svm -o features.nbm",
		"train -q --bits 12 --model logistic good.tsv -o logistic.nbm",
		"train -q --bits 12 --model svm good.tsv -o svm.nbm",
		"train -q --bits 12 --min-df 1 --hierarchy / good.tsv -o tree.nbm",
		"pack -q --ngrams 1-2 good.tsv -o text.nbc",
		"pack -q --min-df 1 --ngrams 1-2 good.tsv -o all.nbc",
		"pack -q --min-df 1 --ngrams 1-1 good.tsv -o unigrams.nbc",
		"pack -q --min-df 1 good.svm -o features.nbc",
		"score -q --out-dir scored text.nbm good.txt",
		"score -q --out-dir touched text.nbm good.txt",
		"score -q --out-dir stray text.nbm good.txt",
		"score -q --out-dir torn text.nbm good.txt",
		"quantize -q text.nbm -o small.nbm",
		"tag train -q good.conll -o tags.nbt",
	} {
		output(t, split(line)...)
	}

	long := time.Now().Add(-24 * time.Hour)
	must.OK(t, os.Chtimes("touched/good.tsv", long, long))
	writeWrong(t, "torn/.nbsvm-outputs.json", []byte("{\n"))
	must.OK(t, os.Remove("stray/.nbsvm-outputs.json"))
	for _, folder := range []string{"folder.tsv", "folder"} {
		must.OK(t, os.Mkdir(folder, 0o700))
	}
	must.OK(t, os.Mkdir("secret", 0o500))
	writeWrong(t, "secret.tsv", []byte(text))
	must.OK(t, os.Chmod("secret.tsv", 0))

	// Text in other encodings, and what is no text.
	var wide []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = binary.LittleEndian.AppendUint16(wide, unit)
	}
	writeWrong(t, "utf16.tsv", append([]byte("\xff\xfe"), wide...))
	writeWrong(t, "utf16.txt", append([]byte("\xff\xfe"), wide...))
	writeWrong(t, "nobom.tsv", wide)
	var wider, other []byte
	for _, r := range "\ufeff" + text {
		wider, other = binary.LittleEndian.AppendUint32(wider, uint32(r)), binary.BigEndian.AppendUint32(other, uint32(r))
	}
	writeWrong(t, "utf32.tsv", wider)
	writeWrong(t, "utf32be.tsv", other)
	writeWrong(t, "nul.tsv", append([]byte("a\tone fine day\n"), bytes.Repeat([]byte("\x00\t\x00\n"), 1000)...))
	writeWrong(t, "latin1.tsv", bytes.ReplaceAll([]byte(text), []byte("oven"), []byte("caf\xe9")))
	for name, head := range map[string]string{
		"xz.tsv": "\xfd7zXZ\x00", "bzip2.tsv": "BZh91AY&SY", "zip.csv": "PK\x03\x04", "parquet.jsonl": "PAR1\x15",
		"arrow.tsv": "ARROW1\x00\x00", "avro.jsonl": "Obj\x01", "lz4.tsv": "\x04\x22\x4d\x18",
		"sqlite.csv":   "SQLite format 3\x00",
		"png.tsv":      "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"fasttext.bin": "\xba\x16\x4f\x2f\x0c\x00\x00\x00",
		"elf.tsv":      "\x7fELF\x02\x01\x01\x00", "pdf.tsv": "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
		"pickle.tsv": "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00",
		"nul.tsv":    "a\tone\x00two\n",
	} {
		writeWrong(t, name, []byte(head+strings.Repeat("\x00\x01\x02 \t\n", 100)))
	}
	writeWrong(t, "long.tsv", []byte(text+"cooking\t"+strings.Repeat("oven ", 1000)+"\n"))
	writeWrong(t, "deep.jsonl", []byte(`{"label":"a","text":"b","more":`+strings.Repeat("[", 20000)+"\n"))

	writeWrong(t, "invalid.jsonl", []byte("{\"label\":\"a\",\"text\":\"caf\xe9\"}\n{\"label\":\"b\",\"text\":\"two\"}\n"))

	// Damage.
	writeParquet(t, "good.parquet", reviews(100), 30)
	whole := read("good.parquet")
	writeWrong(t, "cut.parquet", whole[:len(whole)/2])
	writeWrong(t, "torn.parquet", slices.Concat(whole[:len(whole)/3], make([]byte, 400), whole[len(whole)/3+400:]))
	for kind, suffix := range map[string]string{"gzip": ".gz", "zstd": ".zst"} {
		data, err := pressed(kind, []byte(text))
		must.OK(t, err)
		twice, err := pressed(kind, data)
		must.OK(t, err)
		writeWrong(t, "good.tsv"+suffix, data)
		writeWrong(t, "short.tsv"+suffix, data[:len(data)/2])
		writeWrong(t, "trailer.tsv"+suffix, data[:len(data)-3])
		writeWrong(t, "head.tsv"+suffix, data[:4])
		writeWrong(t, "flipped.tsv"+suffix, flipped(data, len(data)/2))
		writeWrong(t, "sum.tsv"+suffix, flipped(data, len(data)-6+2*(len(suffix)-3)))
		writeWrong(t, "garbage.tsv"+suffix, append(slices.Clone(data), "some text\n"...))
		writeWrong(t, "twice.tsv"+suffix, twice)
		model, err := pressed(kind, read("text.nbm"))
		must.OK(t, err)
		writeWrong(t, "text.nbm"+suffix, model)
		packed, err := pressed(kind, read("text.nbc"))
		must.OK(t, err)
		writeWrong(t, "text.nbc"+suffix, packed)
	}
	for _, name := range []string{"text.nbm", "text.nbc"} {
		data, suffix := read(name), filepath.Ext(name)
		newer := slices.Clone(data)
		newer[8] = 99
		writeWrong(t, "magic"+suffix, flipped(data, 0))
		writeWrong(t, "newer"+suffix, newer)
		writeWrong(t, "head"+suffix, data[:12])
		writeWrong(t, "short"+suffix, data[:len(data)/2])
		writeWrong(t, "end"+suffix, data[:len(data)-1])
		writeWrong(t, "flipped"+suffix, flipped(data, len(data)/2+64)) // in RATIO, not between sections
		writeWrong(t, "longer"+suffix, append(slices.Clone(data), "more"...))
		writeWrong(t, "empty"+suffix, nil)
	}
	tags := read("tags.nbt")
	writeWrong(t, "short.nbt", tags[:len(tags)/2])
	writeWrong(t, "flipped.nbt", flipped(tags, len(tags)/2))
}

// flipped is the data with one bit changed.
func flipped(data []byte, at int) []byte {
	data = slices.Clone(data)
	data[at] ^= 1
	return data
}
