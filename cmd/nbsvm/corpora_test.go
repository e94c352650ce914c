package main

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// makers are the script commands that make files.
var makers = map[string]func(*testscript.TestScript, bool, []string){
	"documents": cmdDocuments, "topics": cmdTopics, "odd": cmdOdd, "compress": cmdCompress, "bytes": cmdBytes,
	"cut": cmdCut, "flip": cmdFlip, "patch": cmdPatch, "crlf": cmdCRLF, "members": cmdMembers,
}

// cmdCRLF is "crlf FILE...": their lines end in CR LF from now on.
func cmdCRLF(ts *testscript.TestScript, _ bool, args []string) {
	for _, file := range args {
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(strings.ReplaceAll(ts.ReadFile(file), "\n", "\r\n")), 0o666))
	}
}

// cmdMembers is "members FILE N": the file has so many members of gzip.
func cmdMembers(ts *testscript.TestScript, _ bool, args []string) {
	r := bufio.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	n := 0
	for ; ; n++ {
		if _, err := r.Peek(1); err != nil {
			break
		}
		z, err := gzip.NewReader(r)
		ts.Check(err)
		z.Multistream(false)
		_, err = io.Copy(io.Discard, z)
		ts.Check(err)
	}
	if strconv.Itoa(n) != args[1] {
		ts.Fatalf("%s has %d members", args[0], n)
	}
}

// kinds are the classes of documents, with words that only theirs have.
var kinds = []struct {
	label string
	words []string
}{
	{"cooking", strings.Fields("oven simmer garlic whisk pastry broth ladle knead")},
	{"sailing", strings.Fields("anchor keel rudder harbour mast tide rigging bosun")},
	{"weather", strings.Fields("drizzle thunder breeze frost cloudy sunshine sleet gust")},
	{"music", strings.Fields("violin chorus tempo melody octave ballad drummer lyric")},
}

// shared are words that say nothing.
var shared = strings.Fields("the a very old and then we had some more of it today")

// document is the i-th of an endless corpus in so many classes, always the same.
func document(i, classes int) (label, text string) {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	kind := kinds[i%classes]
	words := make([]string, 8)
	for k := range words {
		if k == 0 || r.IntN(5) < 2 {
			words[k] = kind.words[r.IntN(len(kind.words))]
		} else {
			words[k] = shared[r.IntN(len(shared))]
		}
	}
	return kind.label, strings.Join(words, " ")
}

// cmdDocuments is "documents FORMAT FILE N [CLASSES]": N labelled documents.
func cmdDocuments(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: documents FORMAT FILE N [CLASSES]")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	classes := 2
	if len(args) > 3 {
		classes, err = strconv.Atoi(args[3])
		ts.Check(err)
	}
	file, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(writeDocuments(file, args[0], n, classes))
	ts.Check(file.Close())
}

func writeDocuments(w io.Writer, format string, n, classes int) error {
	rows := csv.NewWriter(w)
	if format == "csv" {
		rows.Write([]string{"id", "text", "label"})
	}
	for i := range n {
		label, text := document(i, classes)
		switch format {
		case "tsv":
			fmt.Fprintf(w, "%s\t%s\n", label, text)
		case "csv":
			rows.Write([]string{strconv.Itoa(i), text + ",\n\"quoted\"", label})
		case "jsonl":
			line, err := json.Marshal(map[string]any{"label": label, "text": text, "id": i})
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\n", line)
		case "fasttext":
			fmt.Fprintf(w, "__label__%s %s\n", label, text)
		case "lines":
			fmt.Fprintln(w, text)
		case "svmlight":
			// Two classes by the sign, told apart by features 1 and 2.
			fmt.Fprintf(w, "%+d %d:1 %d:0.5 # document %d\n", 1-2*(i%2), 1+i%2, 3+i%5, i)
		default:
			return fmt.Errorf("no format %q", format)
		}
	}
	rows.Flush()
	return rows.Error()
}

// cmdTopics is "topics FILE N": N lines of any number of labels, joined by a
// comma, a tab, and text that has words of each.
func cmdTopics(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: topics FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		var labels, words []string
		for k, kind := range kinds[:3] {
			if i>>k&1 == 1 {
				labels = append(labels, kind.label)
				words = append(words, kind.words[i%8], kind.words[i%3])
			}
		}
		words = append(words, shared[i%len(shared)], shared[i%5])
		fmt.Fprintf(&b, "%s\t%s\n", strings.Join(labels, ","), strings.Join(words, " "))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o666))
}

// cmdOdd is "odd MORE FILE": documents of classes of which one has a word of its own in every document, and some have
// names that differ in case and spaces alone; and those of another file.
func cmdOdd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: odd MORE FILE")
	}
	var b strings.Builder
	word := func(i int) string { return kinds[0].words[i%8] }
	for i := range 24 {
		fmt.Fprintf(&b, "spam\tunsubscribe %s buy %s %d now\n", word(i), word(i*i), i)
		fmt.Fprintf(&b, "ham\thello %s see %s %d soon\n", word(i), word(3*i+1), i)
		fmt.Fprintf(&b, "news\ttoday %s says %s %d again\n", word(i+3), word(5*i), i)
	}
	for i := range 3 {
		fmt.Fprintf(&b, "Spam\twin %s prizes %d\nspam \t%[1]s prizes won %[2]d\n", word(i), i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()+ts.ReadFile(args[0])), 0o666))
}
