package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// memoryTable is that of docs/reference/memory.md.
var memoryTable = []struct {
	name, args  string
	limit       int64 // --memory
	perDocument int64
	perByte     int64 // of text
	perLongest  int64 // byte of the longest text
}{
	{name: "score", args: "-o out.txt m.nbm"},
	{name: "explain", args: "--top 3 m.nbm"},
	{name: "eval", args: "m.nbm", perDocument: 300},
	{name: "pack --memory", args: "8MiB -o out.nbc", limit: 8 << 20, perLongest: 25},
	{name: "train --memory", args: "96MiB --min-df 1 --bits 18 --tol 0.3 -o out.nbm", limit: 96 << 20, perLongest: 25},
	{name: "train", args: "--min-df 1 --tol 0.3 -o out.nbm", perDocument: 300, perByte: 40},
	{name: "cv", args: "--min-df 1 --tol 0.3 --folds 2", perDocument: 600, perByte: 50},
}

// memoryShape is an input that could take much memory by its shape.
type memoryShape struct {
	name      string
	documents int64
	text      int64  // bytes of all texts
	longest   int64  // bytes of a text
	bad       bool   // one record is, and is skipped
	not       string // commands whose output grows with it, or that read as others do
	write     func(w *bufio.Writer)
}

var memoryShapes = []memoryShape{
	{name: "long texts.tsv", documents: 4, text: 4 * 4_000_000, longest: 4_000_000, write: func(w *bufio.Writer) {
		for k, word := 0, 0; k < 4; k++ {
			w.WriteString([]string{"cooking", "sailing"}[k%2] + "\t")
			for size := 0; size < 4_000_000-20; word++ {
				n, _ := fmt.Fprintf(w, "x%x ", word)
				size += n
			}
			w.WriteString("\n")
		}
	}},
	{name: "little text.jsonl.zst", documents: 80_000, text: 80_000 * 14, longest: 14, not: "score explain eval cv", write: func(w *bufio.Writer) {
		other := strings.Repeat("x", 4000)
		for k := range 80_000 {
			fmt.Fprintf(w, `{"label":"%s","text":"anchor w%06d","other":"%s"}`+"\n", []string{"cooking", "sailing"}[k%2], k%1000, other)
		}
	}},
	{name: "no text.tsv", documents: 600_000, not: "explain train cv pack", write: func(w *bufio.Writer) {
		for range 300_000 {
			w.WriteString("cooking\t\nsailing\t\n")
		}
	}},
	{name: "line ends.tsv.gz", documents: 60, text: 10_000, longest: 200, not: "score explain pack cv train", write: func(w *bufio.Writer) {
		writeDocuments(w, "tsv", 60, 2)
		ends := bytes.Repeat([]byte("\n"), 1<<20)
		for range 64 {
			w.Write(ends)
		}
	}},
	{name: "long key.jsonl", bad: true, documents: 100, text: 1000, longest: 10, not: "explain eval pack cv train", write: func(w *bufio.Writer) {
		fmt.Fprintf(w, `{"%s":1,"label":"cooking","text":"butter"}`+"\n", strings.Repeat("k", 50_000_000))
		jsonPairs(w)
	}},
	{name: "deep.jsonl", bad: true, documents: 100, text: 1000, longest: 10, not: "score explain pack cv eval", write: func(w *bufio.Writer) {
		fmt.Fprintf(w, `{"label":"cooking","text":"butter","x":%s}`+"\n", strings.Repeat("[", 8_000_000)+strings.Repeat("]", 8_000_000))
		jsonPairs(w)
	}},
	{name: "open quote.csv", bad: true, documents: 300_000, text: 300_000 * 14, longest: 14, not: "score explain pack cv train", write: func(w *bufio.Writer) {
		w.WriteString("label,text\ncooking,\"butter\n")
		for k := range 300_000 {
			fmt.Fprintf(w, "%s,anchor w%06d\n", []string{"cooking", "sailing"}[k%2], k%1000)
		}
	}},
	{name: "wide.csv", documents: 200, text: 2000, longest: 10, not: "explain eval pack cv train", write: func(w *bufio.Writer) {
		w.WriteString("label,text" + strings.Repeat(",c", 100_000) + "\n")
		for k := range 200 {
			fmt.Fprintf(w, "%s,anchor%s\n", []string{"cooking", "sailing"}[k%2], strings.Repeat(",1", 100_000))
		}
	}},
}

func jsonPairs(w *bufio.Writer) {
	for range 50 {
		w.WriteString(`{"label":"cooking","text":"butter"}` + "\n" + `{"label":"sailing","text":"anchor"}` + "\n")
	}
}

// TestMemory gives commands inputs of many shapes: each takes no more memory than the manual says, with eight threads.
func TestMemory(t *testing.T) {
	must.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	manual, err := os.ReadFile("../../docs/reference/memory.md")
	must.OK(t, err)
	for _, c := range memoryTable {
		row := fmt.Sprintf("| `%s` | %d MiB", c.name, readMemory>>20)
		if c.limit > 0 {
			row += ", the limit"
		}
		for _, each := range []struct {
			bytes int64
			of    string
		}{{c.perDocument, "a document"}, {c.perByte, "for each byte of text"}, {c.perLongest, "for each byte of the longest text"}} {
			if each.bytes > 0 {
				row += fmt.Sprintf(", %d bytes %s", each.bytes, each.of)
			}
		}
		if row += " |\n"; !bytes.Contains(manual, []byte(row)) {
			t.Errorf("the manual has no row %s", row)
		}
	}
	folder := t.TempDir()
	for _, shape := range memoryShapes {
		path := filepath.Join(folder, shape.name)
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		shape.write(w)
		must.OK(t, w.Flush())
		data := b.Bytes()
		switch filepath.Ext(path) {
		case ".gz":
			data, err = pressed("gzip", data)
		case ".zst":
			data, err = pressed("zstd", data)
		}
		must.OK(t, err)
		must.OK(t, os.WriteFile(path, data, 0o600))
		for _, c := range memoryTable {
			if strings.Contains(" "+shape.not+" ", " "+strings.Fields(c.name)[0]+" ") {
				continue
			}
			t.Run(shape.name+"/"+c.name, func(t *testing.T) {
				cmd, stderr := command(t, append(strings.Fields(c.name+" "+c.args), "-q", "--on-bad", "skip", "--threads", "8", path)...)
				watchMemory(t, cmd)
				out, _ := cmd.Output()
				want := exitDone
				if shape.bad {
					want = exitBad
				}
				if code := cmd.ProcessState.ExitCode(); code != want {
					t.Errorf("exit code %d, want %d: %s", code, want, stderr)
				}
				if n := bytes.Count(out, []byte(" margin ")); c.name == "explain" && int64(n) != shape.documents {
					t.Errorf("%d of %d documents are explained", n, shape.documents)
				}
				checkMemory(t, cmd, readMemory+c.limit+c.perDocument*shape.documents+c.perByte*shape.text+c.perLongest*shape.longest)
			})
		}
		must.OK(t, os.Remove(path))
	}
}
