package corpus

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// repeat is a reader of a text over and over, n bytes in all.
type repeat struct {
	text string
	n, i int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.i == r.n {
		return 0, io.EOF
	}
	p = p[:min(len(p), r.n-r.i)]
	for k := 0; k < len(p); {
		k += copy(p[k:], r.text[(r.i+k)%len(r.text):])
	}
	r.i += len(p)
	return len(p), nil
}

// TestHundredMegabyteLine: a record that is too long is told of by line and
// offset, and reading goes on, in little memory.
func TestHundredMegabyteLine(t *testing.T) {
	must.SkipUnderRace(t)
	const length = 100 << 20
	for _, test := range []struct {
		name, before, text, after string
		o                         Input
	}{
		{"tsv", "a\tb\n", "x\ty ", "\nc\td\n", labelled(TSV)},
		{"csv", "label,text\na,b\n", "x,\"y\"\"", "\nc,d\n", labelled(CSV)},
		{"jsonl", `{"text":"b","label":"a"}` + "\n", "{[", "\n" + `{"text":"d","label":"c"}`, labelled(JSONL)},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := io.MultiReader(strings.NewReader(test.before), &repeat{text: test.text, n: length}, strings.NewReader(test.after))
			var all []Document
			peak := peakHeap(func(tick func()) {
				r, err := Open(from(nil, in, test.o))
				must.OK(t, err)
				for {
					c, err := r.Next()
					tick()
					if err != nil {
						if err != io.EOF {
							t.Fatal(err)
						}
						return
					}
					all = c.Append(all)
				}
			})
			if len(all) != 3 {
				t.Fatalf("%d documents, want 3", len(all))
			}
			line := int64(strings.Count(test.before, "\n") + 1)
			var re *RecordError
			if !errors.As(all[1].Err, &re) || !errors.Is(re, ErrTooLong) || re.Line != line || re.Offset != int64(len(test.before)) || len(all[1].Record) != headOfLong {
				t.Errorf("the long record has %d bytes and the error %v", len(all[1].Record), all[1].Err)
			}
			if d := all[2]; d.Line != line+1 || d.Offset != int64(len(test.before)+length+1) || string(d.Text) != "d" || string(d.Labels[0]) != "c" {
				t.Errorf("the record behind it is %+v", flatten(all[2:]))
			}
			if peak > 4*DefaultMaxRecord {
				t.Errorf("reading took %d MiB", peak>>20)
			}
		})
	}
}

// TestMaxRecord: the limit is exact, does not count the terminator, and does not
// depend on where chunks end.
func TestMaxRecord(t *testing.T) {
	long := func(n int) string { return "l\t" + strings.Repeat("x", n-2) }
	for _, test := range []struct {
		in  string
		bad []bool
	}{
		{long(10) + "\n" + long(11) + "\n" + long(10) + "\r\n" + long(11) + "\r\n" + long(10), []bool{false, true, false, true, false}},
		{long(11), []bool{true}},
		{long(10), []bool{false}},
		{long(10) + "\r", []bool{false}},
		{long(11) + "\r", []bool{true}},
		{long(3000) + "\n" + long(3), []bool{true, false}},
		{strings.Repeat("\n", 30), nil},
	} {
		for block := 1; block < 40; block++ {
			all, err := readWith(nil, strings.NewReader(test.in), Input{Format: TSV, MaxRecord: 10}, block, chunkLimit)
			if err != nil || len(all) != len(test.bad) {
				t.Fatalf("%q in blocks of %d: %d documents, %v", test.in, block, len(all), err)
			}
			for i, d := range all {
				if (d.Err != nil) != test.bad[i] || d.Err != nil && (!errors.Is(d.Err, ErrTooLong) || len(d.Text) > 0) {
					t.Errorf("%q in blocks of %d, record %d: %v", test.in, block, i, d.Err)
				}
			}
		}
	}
}

// TestCSVResync: what happens to quotes that are not closed, whatever the chunks.
func TestCSVResync(t *testing.T) {
	fill := strings.Repeat("x,y\n", 30)
	for _, test := range []struct {
		name, in string
		err      error
		want     string // bad records in short
	}{
		{"closed in time", "a,\"" + strings.Repeat("z\n", 40) + "\"\nb,c\n", nil, "a:" + strings.Repeat("z\n", 40) + ";b:c"},
		{"never closed", "a,\"b\n" + fill + "c,d\n", errUnclosedQuote, "ERR" + strings.Repeat(";x:y", 30) + ";c:d"},
		{"never closed, as long as allowed", "a,\"" + strings.Repeat("b", 97) + "\n" + fill + "c,d\n", errUnclosedQuote, "ERR" + strings.Repeat(";x:y", 30) + ";c:d"},
		{"closed by the next quotes", "a,\"b\nc,\"d\"\ne,f\n", nil, "ERR;e:f"},
		{"closed too late", "a,\"b\n" + fill + "c,d\"\ne,f", errUnclosedQuote, "ERR" + strings.Repeat(";x:y", 30) + ";c:d\";e:f"},
		{"too long in one line", "a,\"" + strings.Repeat("b", 101) + "\"\ne,f", ErrTooLong, "ERR;e:f"},
		{"too long in its first line", "a,\"" + strings.Repeat("b", 101) + "\n\"\ne,f\n", ErrTooLong, "ERR;ERR;e:f"},
		{"longest", "a," + strings.Repeat("b", 98) + "\ne,f", nil, "a:" + strings.Repeat("b", 98) + ";e:f"},
	} {
		for block := 1; block < 300; block++ {
			o := Input{Format: CSV, MaxRecord: 100}
			all, err := readWith(nil, strings.NewReader("label,text\n"+test.in), o, block, chunkLimit)
			must.OK(t, err)
			if got := brief(flatten(all)); got != test.want {
				t.Fatalf("%s, in blocks of %d:\ngot  %q\nwant %q", test.name, block, got, test.want)
			}
			if test.err != nil && !errors.Is(all[0].Err, test.err) {
				t.Errorf("%s, in blocks of %d: %v, want %v", test.name, block, all[0].Err, test.err)
			}
		}
	}
}

// TestCSVTime: quotes made to be scanned again and again cost linear time. It
// would run for hours otherwise.
func TestCSVTime(t *testing.T) {
	must.SkipUnderRace(t)
	size := 4 << 20
	if testing.Short() {
		size = 1 << 20
	}
	for _, text := range []string{
		"a\"b,\"c\n", "\"", "\"a\",b,", ",\"\"\"\"\"\n", "\"\n", "x,\"y\n", ",\"a", "a,\"b\nc\"d\n", "\r", "\"\r",
	} {
		r, err := Open(Input{Stdin: io.MultiReader(strings.NewReader("label,text\n"), &repeat{text: text, n: size}), Format: CSV, MaxRecord: 1 << 20})
		must.OK(t, err)
		var docs []Document
		for err == nil {
			var c *Chunk
			if c, err = r.Next(); err == nil {
				docs = c.Append(docs[:0])
			}
		}
		if err != io.EOF {
			t.Errorf("%q: %v", text, err)
		}
	}
}
