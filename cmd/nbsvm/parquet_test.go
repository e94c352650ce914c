package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// review is a row of these tests, and of docs/how-to/parquet.md.
type review struct {
	ID    int64    `parquet:"id"`
	Text  string   `parquet:"text"`
	Label int64    `parquet:"label"`
	Name  string   `parquet:"name"`
	Tags  []string `parquet:"tags,list"`
	W     float64  `parquet:"w"`
	Maybe *string  `parquet:"maybe,optional"`
	Meta  title    `parquet:"meta"`
	Stars int32    `parquet:"stars"`
	Date  int32    `parquet:"date,date"`
	Multi []int64  `parquet:"multi,list"` // a vector with a number for each class
}

type title struct {
	Title string `parquet:"title"`
}

// reviews are so many documents, some of several lines.
func reviews(n int) []review {
	r := rand.New(rand.NewPCG(1, 2))
	words := [2][]string{strings.Fields("dull bad boring the a film plot"), strings.Fields("lovely good fine the a film plot")}
	all := make([]review, n)
	for i := range all {
		label := i % 2
		var text []string
		for range 5 + r.IntN(20) {
			text = append(text, words[label][r.IntN(7)])
		}
		all[i] = review{
			ID: int64(i), Text: strings.Join(text, []string{" ", "\t", "\n"}[i%3]), Label: int64(label), Name: []string{"bad", "good"}[label],
			Tags: []string{"x", "y"}[:i%3], W: float64(i%3 + 1), Meta: title{"about " + text[0]}, Stars: int32(i % 5),
			Date: int32(19_000 + i), Multi: []int64{int64(1 - label), int64(label), 0},
		}
		if i%4 > 0 {
			maybe := "maybe " + strconv.Itoa(i)
			all[i].Maybe = &maybe
		}
	}
	return all
}

func writeParquet[T any](t testing.TB, path string, all []T, groupRows int64, options ...parquet.WriterOption) {
	t.Helper()
	const labelNames = `{"info":{"features":{"label":{"names":["bad","good"],"_type":"ClassLabel"}}}}`
	options = append([]parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(groupRows), parquet.PageBufferSize(2 << 10), parquet.Compression(&parquet.Snappy),
		parquet.KeyValueMetadata("huggingface", labelNames),
	}, options...)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o600))
}

func readParquet[T any](t testing.TB, path string) []T {
	t.Helper()
	all, err := parquet.ReadFile[T](path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return all
}

// writeReviews writes the same documents as JSON lines.
func writeReviews(t testing.TB, path string, all []review) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, r := range all {
		must.OK(t, e.Encode(map[string]any{"id": r.ID, "text": r.Text, "label": r.Name, "tags": append([]string{}, r.Tags...), "w": r.W, "maybe": r.Maybe}))
	}
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o600))
}

// ofReviews goes to a folder with a.parquet, a file of reviews, the same as a.jsonl, and m.nbm, a model of them.
func ofReviews(t *testing.T, n int, groupRows int64, options ...parquet.WriterOption) []review {
	t.Helper()
	t.Chdir(t.TempDir())
	all := reviews(n)
	writeParquet(t, "a.parquet", all, groupRows, options...)
	writeReviews(t, "a.jsonl", all)
	output(t, "train", "-q", "a.parquet", "-o", "m.nbm")
	return all
}

// sameReview tells whether a row is what was written; parquet-go reads lists without elements as nil.
func sameReview(got, want review) bool {
	if len(got.Tags)+len(want.Tags) == 0 {
		got.Tags, want.Tags = nil, nil
	}
	return reflect.DeepEqual(got, want)
}

// TestParquetAsJSONLines: documents of Parquet train and score as the same documents of JSON lines do, with labels'
// names, weights, several labels, ids and fields to keep, and with any number of threads.
func TestParquetAsJSONLines(t *testing.T) {
	ofReviews(t, 1000, 130)
	scores := map[string]string{}
	for _, of := range []string{"a.jsonl", "a.parquet"} {
		model := of + ".nbm"
		output(t, "train", "-q", of, "-o", model)
		output(t, "train", "-q", "--weight-field", "w", of, "-o", "w-"+model)
		output(t, "train", "-q", "--label-field", "tags", "--label-sep", ",", of, "-o", "tags-"+model)
		output(t, "pack", "-q", of, "-o", of+".nbc")
		output(t, "train", "-q", of+".nbc", "-o", "packed-"+model)
		scores[of] = output(t, "score", "--all-scores", model, of) +
			output(t, "score", "--all-scores", "--threads", "1", "w-"+model, of) +
			output(t, "score", "--all-scores", "--threads", "3", "tags-"+model, of) +
			output(t, "score", "packed-"+model, of) +
			output(t, "score", "--json", "--id-field", "id", "--keep-fields", "maybe,tags", model, of) +
			output(t, "eval", model, of)
	}
	a, b := strings.Split(scores["a.jsonl"], "\n"), strings.Split(scores["a.parquet"], "\n")
	for i := range a {
		if len(a) != len(b) || a[i] != b[i] {
			t.Fatalf("line %d of %d: JSON lines give %q, Parquet %q, of %d", i+1, len(a), a[i], b[min(i, len(b)-1)], len(b))
		}
	}
}

// TestParquetScored: an output in Parquet has all columns of the input as they are, and behind them what rows of JSON
// lines have, in every shape; rows that can't be scored stay, and have no score.
func TestParquetScored(t *testing.T) {
	type scored struct {
		Predicted *string  `parquet:"predicted,optional"`
		Score     *float64 `parquet:"score,optional"`
	}
	type lists struct {
		Predicted []string  `parquet:"predicted,list,optional"`
		Score     []float64 `parquet:"score,list,optional"`
	}
	type graded struct {
		Quality struct {
			Label string  `parquet:"label"`
			Score float64 `parquet:"score"`
		} `parquet:"quality"`
	}
	type both struct {
		Label  *string   `parquet:"z_predicted,optional"`
		Score  *float64  `parquet:"z_score,optional"`
		Tags   []string  `parquet:"b_predicted,list,optional"`
		Scores []float64 `parquet:"b_score,list,optional"`
	}
	type nested struct {
		Q struct {
			Z float64 `parquet:"z"`
			B struct {
				Labels []string  `parquet:"labels,list,optional"`
				Scores []float64 `parquet:"scores,list,optional"`
			} `parquet:"b"`
		} `parquet:"q"`
	}
	all := ofReviews(t, 700, 90, parquet.Compression(&parquet.Zstd))
	output(t, "train", "-q", "--label-field", "tags", "--label-sep", ",", "a.parquet", "-o", "tags.nbm")
	type row struct {
		Labels  []string
		Margins map[string]float64
	}
	rows := func(model string) (all []row) {
		for line := range strings.Lines(output(t, "score", "--json", "--all-scores", model, "a.parquet")) {
			var r row
			must.OK(t, json.Unmarshal([]byte(line), &r))
			all = append(all, r)
		}
		return all
	}
	want, several := rows("m.nbm"), rows("tags.nbm")
	for _, test := range []struct {
		args string
		code int
		is   func() func(i int) bool // of what was added to row i
	}{
		{"m.nbm", exitDone, func() func(i int) bool {
			rows := readParquet[scored](t, "out.parquet")
			return func(i int) bool {
				label := want[i].Labels[0]
				return *rows[i].Predicted == label && *rows[i].Score == want[i].Margins[label]
			}
		}},
		{"--label good m.nbm", exitDone, func() func(i int) bool {
			rows := readParquet[scored](t, "out.parquet")
			return func(i int) bool { return rows[i].Predicted == nil && *rows[i].Score == want[i].Margins["good"] }
		}},
		{"--all-scores m.nbm", exitDone, func() func(i int) bool {
			rows := readParquet[lists](t, "out.parquet")
			return func(i int) bool {
				r := rows[i]
				return len(r.Score) == 2 && r.Score[0] >= r.Score[1] && r.Score[1] == want[i].Margins[r.Predicted[1]]
			}
		}},
		{"--add-field quality m.nbm", exitDone, func() func(i int) bool {
			rows := readParquet[graded](t, "out.parquet")
			return func(i int) bool {
				r := rows[i].Quality
				return r.Label == want[i].Labels[0] && r.Score == want[i].Margins[r.Label]
			}
		}},
		{"tags.nbm", exitDone, func() func(i int) bool {
			rows := readParquet[lists](t, "out.parquet")
			return func(i int) bool { return slices.Equal(rows[i].Predicted, several[i].Labels) }
		}},
		{"--model z=m.nbm --model b=tags.nbm", exitDone, func() func(i int) bool {
			rows := readParquet[both](t, "out.parquet")
			return func(i int) bool {
				r, label := rows[i], want[i].Labels[0]
				return *r.Label == label && *r.Score == want[i].Margins[label] &&
					slices.Equal(r.Tags, several[i].Labels) && len(r.Scores) == len(r.Tags)
			}
		}},
		{"--add-field q --label z=good --model z=m.nbm --model b=tags.nbm", exitDone, func() func(i int) bool {
			rows := readParquet[nested](t, "out.parquet")
			return func(i int) bool {
				q := rows[i].Q
				return q.Z == want[i].Margins["good"] && slices.Equal(q.B.Labels, several[i].Labels) && len(q.B.Scores) == len(q.B.Labels)
			}
		}},
		{"--on-bad skip --text-field maybe m.nbm", exitBad, func() func(i int) bool {
			rows := readParquet[scored](t, "out.parquet")
			return func(i int) bool {
				return (rows[i].Score == nil) == (all[i].Maybe == nil) && (rows[i].Predicted == nil) == (rows[i].Score == nil)
			}
		}},
	} {
		code, _, said := invoke(t.Context(), strings.Fields("score -q -o out.parquet "+test.args+" a.parquet")...)
		rows, is := readParquet[review](t, "out.parquet"), test.is()
		if code != test.code || len(rows) != len(all) {
			t.Fatalf("%s: exit code %d, %d rows, want %d: %s", test.args, code, len(rows), len(all), said)
		}
		for i, r := range rows {
			if !sameReview(r, all[i]) {
				t.Fatalf("%s: row %d is %+v, was %+v", test.args, i, r, all[i])
			}
			if !is(i) {
				t.Fatalf("%s: row %d has other scores", test.args, i)
			}
		}
	}
	if output(t, "score", "m.nbm", "out.parquet") != output(t, "score", "m.nbm", "a.parquet") {
		t.Error("the scored file has other scores")
	}
}

// TestParquetRows: Parquet rows of any input have what rows of CSV have: ids, fields and scores; so have those beside
// records, whatever the number of threads.
func TestParquetRows(t *testing.T) {
	type scored struct {
		ID        *string  `parquet:"id,optional"`
		Maybe     *string  `parquet:"maybe,optional"`
		Tags      *string  `parquet:"tags,optional"`
		Predicted *string  `parquet:"predicted,optional"`
		Score     *float64 `parquet:"score,optional"`
	}
	type lists struct {
		Predicted []string  `parquet:"predicted,list,optional"`
		Score     []float64 `parquet:"score,list,optional"`
	}
	all := ofReviews(t, 1000, 130)
	jsonl, err := os.ReadFile("a.jsonl")
	must.OK(t, err)
	lines := bytes.SplitAfter(jsonl, []byte{'\n'})
	lines[7] = []byte("{\"id\":7,\"text\":null}\n")
	must.OK(t, os.WriteFile("b.jsonl", slices.Concat(lines...), 0o600))
	want := strings.Split(output(t, "score", "--output-format", "csv", "m.nbm", "a.jsonl"), "\n")[1:]
	fields := []string{"--id-field", "id", "--keep-fields", "maybe,tags"}
	check := func(path string, bad int) {
		t.Helper()
		rows := readParquet[scored](t, path)
		if len(rows) != len(all) {
			t.Fatalf("%s has %d rows, want %d", path, len(rows), len(all))
		}
		for i, got := range rows {
			w := scored{}
			id := strconv.Itoa(i)
			if w.ID = &id; i != bad {
				label, number, _ := strings.Cut(want[i], ",")
				score, err := strconv.ParseFloat(number, 64)
				must.OK(t, err)
				tags, err := json.Marshal(append([]string{}, all[i].Tags...))
				must.OK(t, err)
				list := string(tags)
				w.Predicted, w.Score, w.Maybe, w.Tags = &label, &score, all[i].Maybe, &list
			}
			if !reflect.DeepEqual(got, w) {
				t.Fatalf("%s: row %d is %+v, want %+v", path, i, got, w)
			}
		}
	}
	for _, threads := range []string{"1", "3"} {
		args := append([]string{"score", "--threads", threads, "m.nbm", "a.jsonl", "-o", threads + ".parquet"}, fields...)
		output(t, args...)
		check(threads+".parquet", -1)
		for _, of := range []string{"a.jsonl", "a.parquet"} {
			path := threads + "-" + of + ".parquet"
			output(t, append([]string{
				"score", "--threads", threads, "--where", "margin > 0", "--attributes", path, "m.nbm", of, "-o", "kept." + of,
			}, fields...)...)
			check(path, -1)
		}
	}
	one, err := os.ReadFile("1.parquet")
	must.OK(t, err)
	for _, path := range []string{"3.parquet", "1-a.jsonl.parquet", "3-a.jsonl.parquet"} {
		other, err := os.ReadFile(path)
		must.OK(t, err)
		if !bytes.Equal(other, one) {
			t.Errorf("%s differs from 1.parquet", path)
		}
	}
	args := append([]string{"score", "--on-bad", "skip", "--exit-zero", "--output-format", "parquet", "--out-dir", "out", "m.nbm", "b.jsonl"}, fields...)
	output(t, args...)
	check("out/b.parquet", 7)
	output(t, "score", "--top", "2", "m.nbm", "a.jsonl", "-o", "top.parquet")
	for i, row := range readParquet[lists](t, "top.parquet") {
		label, _, _ := strings.Cut(want[i], ",")
		if len(row.Score) != 2 || row.Predicted[0] != label || row.Score[0] != -row.Score[1] {
			t.Fatalf("row %d has %+v, want %s", i, row, want[i])
		}
	}
}

// TestParquetWhere: rows that pass and those that don't are the rows of the input, in order, each once; and the same as
// of JSON lines.
func TestParquetWhere(t *testing.T) {
	all := ofReviews(t, 600, 70, parquet.Compression(&parquet.Zstd)) // TestRead of parquetfile has all codecs
	output(t, "train", "-q", "--model", "logistic", "a.parquet", "-o", "p.nbm")
	for _, where := range [][]string{
		{"--where", `label == "good"`},
		{"--where", "margin > -1000"},
		{"--where", "margin > 1000"},
		{"--where", "margin >= 0.9"},
		{"--keep-pareto", "3", "--id-field", "id"},
		{"--keep-share", "0.3"},
		{"--keep-share", "0.3", "--by", "w"},
		{"--keep-share", "0.6", "--by", "w,maybe"},
	} {
		score := append([]string{"score", "-q", "p.nbm"}, where...)
		output(t, append(slices.Clip(score), "a.parquet", "-o", "pass.parquet", "--rejects", "rest.parquet")...)
		passes := map[int64]bool{}
		for line := range strings.Lines(output(t, append(slices.Clip(score), "a.jsonl")...)) {
			var r struct{ ID int64 }
			must.OK(t, json.Unmarshal([]byte(line), &r))
			passes[r.ID] = true
		}
		pass, rest := readParquet[review](t, "pass.parquet"), readParquet[review](t, "rest.parquet")
		if len(pass) != len(passes) || len(pass)+len(rest) != len(all) {
			t.Fatalf("%s: %d rows pass and %d do not, want %d of %d", where, len(pass), len(rest), len(passes), len(all))
		}
		for _, r := range all {
			from := &rest
			if passes[r.ID] {
				from = &pass
			}
			if !sameReview((*from)[0], r) {
				t.Fatalf("%s: row %+v, want %+v", where, (*from)[0], r)
			}
			*from = (*from)[1:]
		}
	}
}

// record is a record of folders of several formats. Whatever the format, the date tells which record it is, and stands
// at its end.
type record struct {
	ID   int64   `parquet:"id" json:"id"`
	Text *string `parquet:"text,optional" json:"text"`
	Date string  `parquet:"date" json:"date"`
}

// mixedFile is one of a folder: it has so many records from the first on, of which one may be bad.
type mixedFile struct {
	name     string
	first, n int
	bad      int // -1 if none is
}

// mixed are files of all formats; rows is Parquet.
var mixed = []mixedFile{
	{"a.jsonl", 0, 9, -1},
	{"b.jsonl.gz", 9, 8, 13},
	{"c.jsonl.zst", 17, 7, -1},
	{"d.parquet", 24, 11, 29},
	{"e.parquet", 35, 6, -1},
	{"rows", 41, 7, 44},
	{"empty.jsonl", 48, 0, -1},
	{"none.parquet", 48, 0, -1},
	{"nulls.jsonl", 48, 1, 48},
	{"x.csv", 49, 9, 53},
	{"y.tsv", 58, 8, 62},
}

func isParquet(name string) bool {
	return strings.HasSuffix(name, ".parquet") || strings.HasSuffix(name, "rows")
}

// separatorOf is what stands between the columns of a file; "" if it has none.
func separatorOf(name string) string {
	return map[string]string{".csv": ",", ".tsv": "\t"}[filepath.Ext(name)]
}

// writeMixed writes the mixed files. It returns their records' lines, by number; nothing for those of Parquet.
func writeMixed(t *testing.T) map[int]string {
	t.Helper()
	lines := map[int]string{}
	for _, of := range mixed {
		var rows []record
		var b bytes.Buffer
		separator := separatorOf(of.name)
		if separator != "" {
			fmt.Fprintln(&b, strings.Join([]string{"id", "text", "date"}, separator))
		}
		for n := of.first; n < of.first+of.n; n++ {
			text, date := []string{"lovely fine film", "dull boring plot"}[n%2], fmt.Sprint("day ", n)
			row := record{int64(n), &text, date}
			if n == of.bad {
				row.Text = nil
			}
			rows = append(rows, row)
			switch {
			case isParquet(of.name):
				continue
			case separator != "" && n == of.bad: // too few columns
				lines[n] = date
			case separator != "":
				lines[n] = strings.Join([]string{fmt.Sprint(n), text, date}, separator)
			default:
				line, err := json.Marshal(row)
				must.OK(t, err)
				lines[n] = string(line)
			}
			b.WriteString(lines[n] + "\n")
		}
		data := b.Bytes()
		if kind := map[string]string{".gz": "gzip", ".zst": "zstd"}[filepath.Ext(of.name)]; kind != "" {
			var err error
			data, err = pressed(kind, data)
			must.OK(t, err)
		}
		if must.OK(t, os.WriteFile(of.name, data, 0o600)); isParquet(of.name) {
			writeParquet(t, of.name, rows, 4)
		}
	}
	return lines
}

var dayOf = regexp.MustCompile(`day (\d+)`)

// recordsIn are the records of a file of any format, by number; none if there is no file.
func recordsIn(t *testing.T, path string) map[int]string {
	t.Helper()
	all := map[int]string{}
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return all
	}
	must.OK(t, err)
	add := func(n int, line string) {
		if _, twice := all[n]; twice {
			t.Errorf("%s: record %d is there twice", path, n)
		}
		all[n] = line
	}
	if isParquet(path) {
		for _, r := range readParquet[record](t, path) {
			if add(int(r.ID), ""); r.Date != fmt.Sprint("day ", r.ID) {
				t.Errorf("%s has %+v", path, r)
			}
		}
		return all
	}
	for line := range strings.Lines(plainly(t, path, data)) {
		line = strings.TrimSuffix(line, "\n")
		if day := dayOf.FindStringSubmatch(line); day != nil {
			n, _ := strconv.Atoi(day[1])
			add(n, line)
		} else if separator := separatorOf(path); separator == "" || line != strings.Join([]string{"id", "text", "date"}, separator) || len(all) > 0 {
			t.Errorf("%s has the line %q", path, line)
		}
	}
	return all
}

// TestEveryRecord: of a folder of all formats, every record is in exactly one output, in the format of its input and as
// it was, or named as bad, and then in the quarantine; of Parquet, the quarantine tells the place.
func TestEveryRecord(t *testing.T) {
	ofReviews(t, 100, 50)
	lines := writeMixed(t)
	for _, test := range []struct {
		args    string
		columns bool // of csv and tsv, too
		kept    bool // bad records stay in the output
	}{
		{args: "--where margin>0 --rejects no", columns: true},
		{args: "--where margin>0 --rejects no --shard 1/2", columns: true},
		{args: "--where margin>-1000", columns: true},
		{args: "--add-field quality", kept: true},
		{args: "--add-field quality --label good --where margin>0 --rejects no"},
	} {
		for _, on := range []string{"skip", "quarantine=bad"} {
			t.Run(test.args+" "+on, func(t *testing.T) {
				must.OK(t, os.MkdirAll("work", 0o700))
				t.Chdir("work")
				defer func() { must.OK(t, os.RemoveAll("../work")) }()
				files := slices.DeleteFunc(slices.Clone(mixed), func(of mixedFile) bool { return !test.columns && separatorOf(of.name) != "" })
				run := func(args ...string) string {
					command := append(strings.Fields("score --threads 2 --text-field text --out-dir yes ../m.nbm --on-bad "+on), args...)
					for _, of := range files {
						command = append(command, "../"+of.name)
					}
					code, _, said := invoke(t.Context(), command...)
					if code != exitDone && code != exitBad {
						t.Errorf("exit code %d: %s", code, said)
					}
					return said
				}
				args := strings.Fields(test.args)
				named := run(args...)
				if slices.Contains(args, "--shard") {
					args[len(args)-1] = "2/2"
					named += run(args...)
				}
				for _, of := range files {
					got := map[int]int{}
					for _, folder := range []string{"yes", "no"} {
						for n, line := range recordsIn(t, folder+"/"+of.name) {
							if got[n]++; line != lines[n] && !strings.Contains(test.args, "add-field") || n == of.bad && !test.kept {
								t.Errorf("%s %s: record %d is %q, was %q", folder, of.name, n, line, lines[n])
							}
						}
					}
					if of.bad >= 0 && !test.kept && strings.Contains(named, "bad record: ../"+of.name+":") {
						got[of.bad]++
					}
					for n := of.first; n < of.first+of.n; n++ {
						got[n]--
					}
					for n, more := range got {
						if more != 0 {
							t.Errorf("%s: record %d is there %d times too often", of.name, n, more)
						}
					}
					switch {
					case on == "skip":
					case isParquet(of.name):
						rows, err := os.ReadFile("bad/" + strings.TrimSuffix(of.name, ".parquet") + map[bool]string{true: ".parquet.jsonl"}[of.name != "rows"])
						must.OK(t, err)
						if (of.bad >= 0) != bytes.HasPrefix(rows, []byte(`{"path":"../`+of.name+`","row":`)) || bytes.Count(rows, []byte("\n")) > 1 {
							t.Errorf("%s: %q is quarantined", of.name, rows)
						}
					default:
						kept := recordsIn(t, "bad/"+of.name)
						if line, is := kept[of.bad]; is != (of.bad >= 0) || line != lines[of.bad] || len(kept) > 1 {
							t.Errorf("%s: %v is quarantined, want record %d", of.name, kept, of.bad)
						}
					}
				}
				if again := run(args...); !strings.Contains(again, " 0 written, ") {
					t.Errorf("again: %s", again)
				}
			})
		}
	}
}

// TestQuarantine: the file of bad records has them whole, behind the header of their file; and names rows of Parquet.
func TestQuarantine(t *testing.T) {
	ofReviews(t, 40, 20)
	lines := writeMixed(t)
	const row = `{"path":"d.parquet","row":6,"reason":"null text"}` + "\n"
	for _, test := range []struct{ args, file, kept string }{
		{"d.parquet", "kept", row},
		{"d.parquet d.parquet", "kept", row + row},
		{"--text-field text x.csv d.parquet nulls.jsonl", "kept", "id,text,date\n" + lines[53] + "\n" + row + lines[48] + "\n"},
		{"--text-field text x.csv x.csv", "kept.csv", "id,text,date\n" + lines[53] + "\n" + lines[53] + "\n"},
		{"--text-field text y.tsv", "kept", "id\ttext\tdate\n" + lines[62] + "\n"},
		{"--text-field text e.parquet", "kept", ""},
	} {
		code, _, said := invoke(t.Context(), strings.Fields("score --on-bad quarantine="+test.file+" m.nbm "+test.args)...)
		got, err := os.ReadFile(test.file)
		if err != nil || string(got) != test.kept {
			t.Errorf("%s: exit code %d, %s%v\n%s, want\n%s", test.args, code, said, err, got, test.kept)
		}
		os.Remove(test.file)
	}
	_, rows, said := invoke(t.Context(), strings.Fields("score -q --on-bad skip --id-field id --output-format csv m.nbm d.parquet")...)
	if !strings.Contains(rows, "\n29,,\n") {
		t.Errorf("the row of a bad record is missing: %s%s", said, rows)
	}
}
