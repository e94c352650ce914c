package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// record is one that is written in every format. A source of "" is missing.
type record struct{ score, source string }

func someRecords(n int) (all []record) {
	r := rand.New(rand.NewPCG(7, 8))
	for range n {
		of := record{strconv.FormatFloat(r.Float64()*r.Float64(), 'g', -1, 64), []string{"", "", "wiki", "a, b", `"c"`, "news"}[r.IntN(6)]}
		if r.IntN(10) == 0 {
			of.score = []string{"0", "1", "0.5", "", "1e-5"}[r.IntN(5)]
		}
		all = append(all, of)
	}
	return all
}

// formats write records as files of scores.
var formats = map[string]func(b *bytes.Buffer, all []record){
	"rows.csv": func(b *bytes.Buffer, all []record) {
		b.WriteString("source,label,score\n")
		for _, r := range all {
			fmt.Fprintf(b, "\"%s\",pos,%s\n", strings.ReplaceAll(r.source, `"`, `""`), r.score)
		}
	},
	"rows.tsv": func(b *bytes.Buffer, all []record) {
		b.WriteString("label\tscore\tsource\n")
		for _, r := range all {
			fmt.Fprintf(b, "pos\t%s\t%s\n", r.score, r.source)
		}
	},
	"rows.jsonl": func(b *bytes.Buffer, all []record) {
		for _, r := range all {
			source, score := "null", "null"
			if r.source != "" {
				source = strconv.Quote(r.source)
			}
			if r.score != "" {
				score = r.score
			}
			fmt.Fprintf(b, `{"fields":{"source":%s},"labels":["neg"],"probabilities":{"pos":%s}}`+"\n\n", source, score)
		}
	},
	"members.jsonl": func(b *bytes.Buffer, all []record) {
		for _, r := range all {
			if r.score == "" {
				b.WriteString(`{"source":"x","error":"no text"}` + "\n")
				continue
			}
			fmt.Fprintf(b, `{"score":%s`, r.score)
			if r.source != "" {
				fmt.Fprintf(b, `,"source":%q`, r.source)
			}
			b.WriteString("}\n")
		}
	},
}

// written makes a file, compressed if its name says so, and returns its path.
func written(t *testing.T, folder, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if strings.HasSuffix(name, ".zst") {
		w, err := zstd.NewWriter(nil)
		must.OK(t, err)
		data = w.EncodeAll(data, nil)
	}
	must.OK(t, os.WriteFile(path, data, 0o600))
	return path
}

// reported is the report about files, beside older ones, as JSON.
func reported(t *testing.T, paths, against []string, o Options) string {
	t.Helper()
	o.Top = 3
	r, err := Read(t.Context(), corpus.Input{Paths: paths}, &corpus.Input{Paths: against}, &o)
	must.OK(t, err)
	data, err := json.Marshal(r)
	must.OK(t, err)
	return string(data)
}

// TestSameReport: neither the format, the compression, the order of the records, their division into files, the number
// of threads nor a lack of memory changes a report.
func TestSameReport(t *testing.T) {
	folder, share := t.TempDir(), 0.1
	t.Setenv("TMPDIR", t.TempDir())
	all, old := someRecords(20_000), someRecords(30_000)[20_000:]
	o := Options{By: []string{"source"}, KeepShare: &share}
	var want string
	check := func(name string, got string) {
		t.Helper()
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	for name, write := range formats {
		var b, before bytes.Buffer
		write(&b, all)
		write(&before, old)
		for _, end := range []string{"", ".zst"} {
			paths := []string{written(t, folder, name+end, b.Bytes())}
			against := []string{written(t, folder, "old-"+name+end, before.Bytes())}
			for _, o.Threads = range []int{1, 5} {
				check(name+end, reported(t, paths, against, o))
			}
		}
	}
	against := []string{filepath.Join(folder, "old-rows.csv")}
	shuffled := append(someRecords(0), all...)
	rand.New(rand.NewPCG(9, 10)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	var paths []string
	for i, name := range []string{"rows.jsonl", "rows.csv", "rows.tsv", "members.jsonl"} {
		var b bytes.Buffer
		formats[name](&b, shuffled[i*5000:(i+1)*5000])
		paths = append(paths, written(t, folder, fmt.Sprintf("part-%d-%s", i, name), b.Bytes()))
	}
	check("parts", reported(t, paths, against, o))

	defer func(n int) { inMemory = n }(inMemory)
	inMemory = 0
	check("on disk", reported(t, paths, against, o))
	testkit.Empty(t, os.Getenv("TMPDIR"))
	if strings.Contains(want, `"unscored":0`) || !strings.Contains(want, `"group":null`) {
		t.Errorf("no record lacks a score or a source: %s", want)
	}
}

// TestMessages: what can't be meant is refused, and says what to do.
func TestMessages(t *testing.T) {
	folder := t.TempDir()
	path := func(name, text string) []string { return []string{written(t, folder, name, []byte(text))} }
	for _, test := range []struct {
		name, text string
		o          Options
		want       string
	}{
		{"none.jsonl", `{"text":"a","meta":{"q":1}}`, Options{}, `none.jsonl: no record has a number in score, probabilities or margins: the fields are "text", "meta.q"; name that of the score with --score-field`},
		{"null.jsonl", `{"q":null}`, Options{Score: "q"}, `no record has a number in q: the fields are "q"`},
		{"several.jsonl", `{"probabilities":{"a":0.1,"b":0.2}}`, Options{}, `several.jsonl:1 (byte 0): field "probabilities" has several members, "a", "b": name one with --score-field, such as probabilities.a`},
		{"object.jsonl", `{"q":{"label":"a","score":1}}`, Options{Score: "q"}, `such as q.score`},
		{"word.csv", "score,g\n0.5,a\nhigh,b\n", Options{}, `word.csv:3 (byte 14): a score must be a number from -1e+100 to 1e+100, not "high"`},
		{"list.jsonl", `{"score":[0.5]}`, Options{}, `not "[0.5]"`},
		{"array.jsonl", `{"score":1,"tags":["a"]}`, Options{By: []string{"tags"}}, `array.jsonl:1 (byte 0): field tags of --by must be a string, number or bool, got "[\"a\"]"`},
		{"hex.csv", "score,g\n0x1p-2,a\n", Options{}, `a score must be a number`},
		{"huge.csv", "score,g\n1e999,a\n", Options{}, `a score must be a number`},
		{"inf.csv", "score,g\n-Inf,a\n", Options{}, `inf.csv: no record has a number in score`},
		{"number.tsv", "pos\t0.5\n", Options{Score: "1", By: []string{"2"}}, `number.tsv:1 (byte 0): a score must be a number from -1e+100 to 1e+100, not "pos": name another field with --score-field, or if this is a header, give Input.Header`},
		{"rows.tsv", "pos\t0.5\n", Options{}, `rows.tsv: its first line names none of the fields that are looked for, but "pos", "0.5": take fields that it has with --score-field and --by, or if it is no header, the numbers of columns, from 1`},
		{"by.csv", "score,source\n0.5,a\n", Options{By: []string{"sauce"}}, `by.csv: no record has the field "sauce" of --by: the fields are "score", "source"`},
		{"by.jsonl", `{"score":1,"fields":{"source":"a"}}`, Options{By: []string{"lang"}}, `the fields are "score", "fields.source"`},
		{"empty.csv", "", Options{}, `no documents with a score in `},
		{"header.csv", "score,g\n", Options{}, `no documents with a score in `},
		{"text.fasttext", "__label__pos 0.5\n", Options{}, `has no named or numbered fields: give a file in one that has (jsonl, tsv, csv, parquet, warc)`},
	} {
		in := corpus.Input{Paths: path(test.name, test.text)}
		if strings.HasSuffix(test.name, ".fasttext") {
			in.Format = corpus.FastText
		}
		r, err := Read(t.Context(), in, nil, &test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %+v, %v; want %s", test.name, r, err, test.want)
		}
	}
	numbered := corpus.Input{Paths: path("numbered.tsv", "pos\t0.5\nneg\t0.25\n")}
	r, err := Read(t.Context(), numbered, nil, &Options{Score: "2", By: []string{"1"}})
	must.OK(t, err)
	if r.All.Documents != 2 || r.By[0].Groups != 2 {
		t.Errorf("columns by number: %+v", r)
	}
	if _, err := Read(t.Context(), numbered, nil, &Options{Score: "2", KeepShare: new(float64)}); err == nil {
		t.Error("a share of no documents is accepted")
	}
}

// TestNotes: a report says what makes its figures doubtful.
func TestNotes(t *testing.T) {
	folder := t.TempDir()
	paths := []string{
		written(t, folder, "1.csv", []byte("predicted,score\npos,0.9\nneg,0.8\n,\n")),
		written(t, folder, "2.jsonl", []byte(`{"quality":0.5}`)),
	}
	r, err := Read(t.Context(), corpus.Input{Paths: paths}, nil, &Options{})
	must.OK(t, err)
	want := []string{
		"2 records without a score left out, 50 % of all",
		"no record has a score in " + paths[1],
		`the scores are those of the predicted label, of 2 labels ("neg", "pos"), and can't be compared: score with --label LABEL, or name the score of one label with --score-field`,
	}
	if strings.Join(r.Notes, "\n") != strings.Join(want, "\n") {
		t.Errorf("notes are\n%s\nwant\n%s", strings.Join(r.Notes, "\n"), strings.Join(want, "\n"))
	}
}

// TestManyGroups: more groups than can be kept are refused.
func TestManyGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	g := groups{numbers: map[string]uint32{}}
	for i := range mostGroups {
		if _, err := g.number([]byte(strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.number([]byte("another")); err == nil || !strings.Contains(err.Error(), "has more than 1,048,576 values") {
		t.Error(err)
	}
	if number, err := g.number([]byte("7")); err != nil || number != 7 {
		t.Errorf("a known group: %d, %v", number, err)
	}
}

// TestMixes: the shares of groups are compared by name, and groups that came or went have rows.
func TestMixes(t *testing.T) {
	folder, cut := t.TempDir(), 0.5
	csv := func(name string, counts map[string]int) []string {
		text := "source,score\n"
		for source, n := range counts {
			text += strings.Repeat(source+",0.25\n"+source+",0.75\n", n)
		}
		return []string{written(t, folder, name, []byte(text))}
	}
	now := csv("now.csv", map[string]int{"a": 500, "b": 300, "new": 200})
	before := csv("before.csv", map[string]int{"a": 500, "b": 200, "gone": 300})
	var r Report
	must.OK(t, json.Unmarshal([]byte(reported(t, now, before, Options{By: []string{"source"}, Cut: &cut})), &r))
	f := r.By[0]
	var names []string
	for i := range f.Rows {
		names = append(names, f.Rows[i].name())
	}
	// (.3-.2) ln(.3/.2) + (.2-.0001) ln(.2/.0001) + (.0001-.3) ln(.0001/.3), with equal shares of a
	if got := fmt.Sprintf("%v %.6f %s", names, f.Mix.PSI, f.Mix.Shift); got != "[a b gone] 3.961077 large" {
		t.Error(got)
	}
	if f.Rows[2].Documents != 0 || f.Rows[2].Mean != nil || f.Rows[2].Against.Documents != 600 || f.Rows[2].Drift != nil {
		t.Errorf("the group that went: %+v", f.Rows[2])
	}
	if f.Rest.Groups != 1 || f.Rest.Documents != 400 || *f.Rest.Kept != 200 || f.Rest.Against.Documents != 0 {
		t.Errorf("the rest: %+v", f.Rest)
	}
	if *f.Rows[0].Drift != *r.Drift && f.Rows[0].Drift.PSI != 0 {
		t.Errorf("equal scores drift by %+v", f.Rows[0].Drift)
	}
}
