package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// dated is a document of mixed folders: text is null in some, and only the whole record has the date.
type dated struct {
	ID   int64   `parquet:"id" json:"id"`
	Text *string `parquet:"text,optional" json:"text"`
	Date string  `parquet:"date" json:"date"`
}

// mixedInputs writes files of all formats to a folder, each with documents of its own, and returns the ids of each, and
// the bad record of those that have one.
func mixedInputs(t *testing.T, folder string) (ids map[string][]int64, bad map[string]int64) {
	t.Helper()
	ids, bad = map[string][]int64{}, map[string]int64{}
	next := int64(0)
	file := func(name string, nulls bool, n int, encode func(w io.Writer, all []dated) error) {
		all := make([]dated, n)
		for i := range all {
			text := []string{"lovely fine film", "dull boring plot"}[i%2]
			all[i] = dated{ID: next, Text: &text, Date: fmt.Sprintf("day %d", next)}
			if nulls && i == n/2 {
				all[i].Text, bad[name] = nil, next
			}
			ids[name] = append(ids[name], next)
			next++
		}
		var b bytes.Buffer
		must.OK(t, encode(&b, all))
		must.OK(t, os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o666))
	}
	jsonl := func(w io.Writer, all []dated) (err error) {
		for _, r := range all {
			err = json.NewEncoder(w).Encode(r)
		}
		return err
	}
	columns := func(comma rune) func(io.Writer, []dated) error {
		return func(w io.Writer, all []dated) error {
			c := csv.NewWriter(w)
			c.Comma = comma
			c.Write([]string{"id", "text", "date"})
			for _, r := range all {
				record := []string{strconv.FormatInt(r.ID, 10), "", r.Date}
				if r.Text == nil { // too few columns
					record = record[:1]
				} else {
					record[1] = *r.Text
				}
				c.Write(record)
			}
			c.Flush()
			return c.Error()
		}
	}
	rows := func(w io.Writer, all []dated) error {
		p := parquet.NewGenericWriter[dated](w, parquet.MaxRowsPerRowGroup(4))
		p.Write(all)
		return p.Close()
	}
	file("a.jsonl", false, 9, jsonl)
	file("b.jsonl.gz", true, 8, func(w io.Writer, all []dated) error {
		z := gzip.NewWriter(w)
		jsonl(z, all)
		return z.Close()
	})
	file("c.jsonl.zst", false, 7, func(w io.Writer, all []dated) error {
		z, err := zstd.NewWriter(w)
		if err == nil {
			jsonl(z, all)
			err = z.Close()
		}
		return err
	})
	file("d.parquet", true, 11, rows)
	file("e.parquet", false, 6, rows)
	file("rows", true, 7, rows)
	file("empty.jsonl", false, 0, jsonl)
	file("none.parquet", false, 0, rows)
	file("nulls.jsonl", true, 1, jsonl)
	file("x.csv", true, 9, columns(','))
	file("y.tsv", true, 8, columns('\t'))
	return ids, bad
}

// found are the records of a file of any format, by id.
func found(t *testing.T, path string) (all map[int64]dated) {
	t.Helper()
	all = map[int64]dated{}
	add := func(r dated) {
		if _, twice := all[r.ID]; twice {
			t.Errorf("%s: record %d is there twice", path, r.ID)
		}
		all[r.ID] = r
	}
	data, err := os.ReadFile(path)
	must.OK(t, err)
	if bytes.HasPrefix(data, []byte("PAR1")) {
		for _, r := range readParquet[dated](t, path) {
			add(r)
		}
		return all
	}
	r := io.Reader(bytes.NewReader(data))
	switch filepath.Ext(path) {
	case ".gz":
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	case ".zst":
		if r, err = zstd.NewReader(r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	case ".parquet":
		t.Errorf("%s is not Parquet: %.40q", path, data)
		return all
	case ".csv", ".tsv":
		c := csv.NewReader(r)
		c.FieldsPerRecord = -1
		if filepath.Ext(path) == ".tsv" {
			c.Comma = '\t'
		}
		records, err := c.ReadAll()
		if err != nil || len(records) > 0 && strings.Join(records[0], " ") != "id text date" {
			t.Errorf("%s: %v, %v", path, records, err)
			return all
		}
		for _, record := range records[min(1, len(records)):] {
			id, err := strconv.ParseInt(record[0], 10, 64)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			of := dated{ID: id}
			if len(record) == 3 {
				of.Text, of.Date = &record[1], record[2]
			}
			add(of)
		}
		return all
	}
	for d := json.NewDecoder(r); ; {
		var r dated
		if err := d.Decode(&r); err == io.EOF {
			return all
		} else if err != nil {
			t.Errorf("%s: %v", path, err)
			return all
		}
		add(r)
	}
}

// TestEveryRecord: of a folder of all formats, every record is in exactly one output, in the format of its input, or
// named as bad, and then in the quarantine.
func TestEveryRecord(t *testing.T) {
	folder, _ := withModel(t, 100, 50)
	ids, bad := mixedInputs(t, folder)
	text := []string{"a.jsonl", "b.jsonl.gz", "c.jsonl.zst", "empty.jsonl", "nulls.jsonl"}
	binary := []string{"d.parquet", "e.parquet", "none.parquet", "rows"}
	all := slices.Concat(text, binary, []string{"x.csv", "y.tsv"})
	for i, test := range []struct {
		args   string
		inputs []string
		kept   bool // bad records stay in the output
	}{
		{"--where margin>0 --rejects no", all, false},
		{"--where margin>0 --rejects no --shard 1/2", all, false},
		{"--where margin>-1000", all, false},
		{"--add-field quality", slices.Concat(text, binary), true},
		{"--add-field quality --label good --where margin>0 --rejects no", slices.Concat(text, binary), false},
	} {
		for _, on := range []string{"skip", "quarantine=bad"} {
			t.Run(fmt.Sprint(test.args, " ", on), func(t *testing.T) {
				work := filepath.Join(folder, fmt.Sprintf("%d-%.4s", i, on))
				must.OK(t, os.Mkdir(work, 0o777))
				run := func(args ...string) string {
					command := append([]string{"score", "--threads", "2", "--on-bad", on, "--text-field", "text", "--out-dir", "yes"}, args...)
					command = append(command, "../m.nbm")
					for _, name := range test.inputs {
						command = append(command, "../"+name)
					}
					r := nbsvm(t, work, command...)
					if r.code != 0 && r.code != 3 {
						t.Errorf("exit code %d: %s", r.code, r.err)
					}
					return r.err
				}
				args := strings.Fields(test.args)
				named := run(args...)
				if slices.Contains(args, "--shard") {
					args[len(args)-1] = "2/2"
					named += run(args...)
				}
				for _, name := range test.inputs {
					want := map[int64]int{}
					for _, id := range ids[name] {
						want[id]++
					}
					got := map[int64]int{}
					for _, of := range []string{"yes", "no"} {
						if _, err := os.Stat(filepath.Join(work, of)); err != nil {
							continue
						}
						for id, r := range found(t, filepath.Join(work, of, name)) {
							if got[id]++; r.Date != fmt.Sprintf("day %d", id) {
								t.Errorf("%s %s: record %d is %+v", of, name, id, r)
							}
							if r.Text == nil && !test.kept {
								t.Errorf("%s %s: record %d is bad", of, name, id)
							}
						}
					}
					if id, is := bad[name]; is && !test.kept && strings.Contains(named, "bad record: ../"+name+":") {
						got[id]++
					}
					if on != "skip" {
						id, is := bad[name]
						quarantine := filepath.Join(work, "bad", name)
						if filepath.Ext(name) == ".parquet" || name == "rows" { // of which only the places are told
							if filepath.Ext(name) == ".parquet" {
								quarantine += ".jsonl"
							}
							rows, err := os.ReadFile(quarantine)
							must.OK(t, err)
							if is != bytes.HasPrefix(rows, []byte(`{"path":"../`+name+`","row":`)) || bytes.Count(rows, []byte("\n")) > 1 {
								t.Errorf("%s: %q is quarantined", name, rows)
							}
							continue
						}
						for kept, r := range found(t, quarantine) {
							if whole := fmt.Sprintf("day %d", id); !is || kept != id || r.Date != whole && !strings.HasSuffix(name, "sv") {
								t.Errorf("%s: record %d is quarantined as %+v, want %d", name, kept, r, id)
							}
							is = false
						}
						if is {
							t.Errorf("%s: record %d is not quarantined", name, id)
						}
					}
					if !maps.Equal(got, want) {
						t.Errorf("%s: records are there so often: %v", name, got)
					}
				}
				if again := run(args...); !strings.Contains(again, " 0 written, ") {
					t.Errorf("again: %s", again)
				}
			})
		}
	}
}

// TestMixedOutput: one output does not take records of Parquet and of text, however that is found out, and nothing is
// written.
func TestMixedOutput(t *testing.T) {
	folder, _ := withModel(t, 20, 10)
	mixedInputs(t, folder)
	for _, test := range []struct{ args, want string }{
		{"--where margin>0 m.nbm a.jsonl d.parquet -o out", "d.parquet is parquet, and a.jsonl is jsonl: "},
		{"--where margin>0 m.nbm d.parquet a.jsonl -o out", "a.jsonl is jsonl, and d.parquet is parquet: "},
		{"--where margin>0 m.nbm a.jsonl rows -o out.jsonl --rejects out", "rows is parquet, and a.jsonl is jsonl: "},
		{"--add-field q m.nbm b.jsonl.gz rows -o out", "rows is parquet, and b.jsonl.gz is jsonl: "},
		{"--where margin>0 --shard 1/2 m.nbm a.jsonl c.jsonl.zst rows -o out", "rows is parquet, and a.jsonl is jsonl: "},
		{"--where margin>0 --shard 2/2 m.nbm d.parquet a.jsonl -o out", "a.jsonl is jsonl, and d.parquet is parquet: "},
		{"--where margin>0 --shard 2/2 m.nbm a.jsonl x.csv -o out", "x.csv is csv, and a.jsonl is jsonl: "},
		{"--where margin>0 m.nbm - d.parquet -o out", "d.parquet is parquet, and - is text: "},
		{"--output-format parquet m.nbm a.jsonl d.parquet -o out", "a.jsonl is not a Parquet file, "},
		{"--output-format parquet m.nbm d.parquet a.jsonl --out-dir out", "a.jsonl is not a Parquet file, "},
		{"--output-format tsv m.nbm d.parquet -o out.parquet", "named as Parquet, but the rows are tsv"},
		{"--json m.nbm d.parquet -o out.parquet", "named as Parquet, but the rows are jsonl"},
		{"--where margin>0 m.nbm - -o out.parquet", "out.parquet is named as parquet, but the records are text"},
		{"--where margin>0 m.nbm a.jsonl -o ok --rejects out.parquet", "out.parquet is named as parquet, but the records are jsonl"},
		{"--where margin>0 m.nbm rows -o out.jsonl", "out.jsonl is named as jsonl, but the records are parquet"},
		{"--compress zstd --where margin>0 m.nbm a.jsonl rows --out-dir out", "--compress zstd: rows is Parquet"},
		{"--add-field a.b m.nbm a.jsonl rows --out-dir out", "rows is Parquet and gets a new column"},
	} {
		r := nbsvm(t, folder, append([]string{"score"}, strings.Fields(test.args)...)...)
		if r.code != 2 || !strings.Contains(r.err, test.want) {
			t.Errorf("nbsvm score %s: exit code %d, %s; want %q", test.args, r.code, r.err, test.want)
		}
		for _, name := range []string{"out", "ok", "out.parquet", "out.jsonl"} {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				t.Fatalf("nbsvm score %s: there is %s", test.args, name)
			}
		}
	}
}

// TestQuarantine: the file of bad records has them whole, behind the header of their file; and names rows of Parquet.
func TestQuarantine(t *testing.T) {
	folder, _ := withModel(t, 40, 20)
	_, bad := mixedInputs(t, folder)
	const row = `{"path":"d.parquet","row":6,"reason":"null text"}` + "\n"
	for _, test := range []struct{ args, kept string }{
		{"score --on-bad quarantine=kept m.nbm d.parquet", row},
		{"score --on-bad quarantine=kept m.nbm d.parquet d.parquet", row + row},
		{"score --on-bad quarantine=kept --text-field text m.nbm x.csv d.parquet nulls.jsonl", "id,text,date\n53\n" + row + `{"id":48,"text":null,"date":"day 48"}` + "\n"},
		{"score --on-bad quarantine=kept.csv --text-field text m.nbm x.csv x.csv", "id,text,date\n53\n53\n"},
		{"score --on-bad quarantine=kept --text-field text m.nbm y.tsv", "id\ttext\tdate\n62\n"},
		{"score --on-bad quarantine=kept --text-field text m.nbm e.parquet", ""},
	} {
		file := "kept"
		if strings.Contains(test.args, "kept.csv") {
			file = "kept.csv"
		}
		r := nbsvm(t, folder, strings.Fields(test.args)...)
		got, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil || string(got) != test.kept {
			t.Errorf("nbsvm %s: exit code %d, %s%v\n%s, want\n%s", test.args, r.code, r.err, err, got, test.kept)
		}
		os.Remove(filepath.Join(folder, file))
	}
	if r := nbsvm(t, folder, "score", "-q", "--on-bad", "skip", "--id-field", "id", "--output-format", "csv", "m.nbm", "d.parquet"); !strings.Contains(r.out, fmt.Sprintf("\n%d,,\n", bad["d.parquet"])) {
		t.Errorf("exit code %d, %s\n%s", r.code, r.err, r.out)
	}
	for _, args := range []string{
		"score --on-bad quarantine=no.parquet m.nbm a.jsonl",
		"score --on-bad quarantine=no.parquet m.nbm d.parquet",
		"train --on-bad quarantine=no.parquet a.parquet -o out",
		"score --on-bad quarantine=no.parquet.zst m.nbm d.parquet",
	} {
		if r := nbsvm(t, folder, strings.Fields(args)...); r.code == 0 || !strings.Contains(r.err, "--on-bad quarantine=no.parquet") || r.out != "" {
			t.Errorf("nbsvm %s: exit code %d: %s", args, r.code, r.err)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*no.parquet*")); left != nil {
			t.Errorf("nbsvm %s: there is %s", args, left)
		}
	}
}
