// Package parquet tests commands on Parquet files.
package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// program is the path of nbsvm.
var program string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "nbsvm-test")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(folder, "nbsvm")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	command := exec.Command("go", "build", "-o", program, "../../cmd/nbsvm")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// result is what a command has written, and its exit code.
type result struct {
	out, err string
	code     int
}

// nbsvm runs a command in a folder.
func nbsvm(t testing.TB, folder string, args ...string) (r result) {
	t.Helper()
	c := exec.Command(program, args...)
	var out, stderr bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = folder, &out, &stderr
	err := c.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return result{out.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// ran is nbsvm that succeeds.
func ran(t testing.TB, folder string, args ...string) string {
	t.Helper()
	r := nbsvm(t, folder, args...)
	if r.code != 0 {
		t.Fatalf("nbsvm %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.err)
	}
	return r.out
}

// review is a document of these tests.
type review struct {
	ID    int64    `parquet:"id"`
	Text  string   `parquet:"text"`
	Label int64    `parquet:"label"`
	Name  string   `parquet:"name"`
	Tags  []string `parquet:"tags,list"`
	W     float64  `parquet:"w"`
	Maybe *string  `parquet:"maybe,optional"`
}

const labelNames = `{"info":{"features":{"label":{"names":["bad","good"],"_type":"ClassLabel"}}}}`

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
			Tags: []string{"x", "y"}[:i%3], W: float64(i%3 + 1),
		}
		if i%4 > 0 {
			maybe := "maybe " + strconv.Itoa(i)
			all[i].Maybe = &maybe
		}
	}
	return all
}

func writeParquet(t testing.TB, path string, all []review, groupRows int64, options ...parquet.WriterOption) {
	t.Helper()
	options = append([]parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(groupRows), parquet.PageBufferSize(2 << 10), parquet.Compression(&parquet.Snappy), parquet.KeyValueMetadata("huggingface", labelNames),
	}, options...)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[review](&b, options...)
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// writeJSONL writes the same documents as JSON lines.
func writeJSONL(t testing.TB, path string, all []review) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, r := range all {
		tags := r.Tags
		if tags == nil {
			tags = []string{}
		}
		must.OK(t, e.Encode(map[string]any{"id": r.ID, "text": r.Text, "label": r.Name, "tags": tags, "w": r.W, "maybe": r.Maybe}))
	}
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// TestVectors: vectors with a place for each class are no lists of labels, and a column of type null is no label; lists
// of numbers are labels.
func TestVectors(t *testing.T) {
	folder := t.TempDir()
	type vectors struct {
		Text   string    `parquet:"text"`
		Ints   []int64   `parquet:"ints,list"`
		Bools  []bool    `parquet:"bools,list"`
		Floats []float32 `parquet:"floats,list"`
		Labels []int64   `parquet:"labels,list"`
	}
	all := make([]vectors, 60)
	for i := range all {
		v := vectors{Text: []string{"ball goal", "law vote", "film actor"}[i%3], Ints: make([]int64, 3), Bools: make([]bool, 3), Floats: make([]float32, 3)}
		v.Ints[i%3], v.Bools[i%3], v.Floats[i%3], v.Labels = 1, true, 1, []int64{int64(i % 3), 7}
		all[i] = v
	}
	must.OK(t, parquet.WriteFile(filepath.Join(folder, "a.parquet"), all))
	for _, field := range []string{"ints", "bools", "floats"} {
		for _, command := range []string{"train -o m.nbm", "pack -o m.nbc", "cv", "tune -o m.nbm"} {
			r := nbsvm(t, folder, append(strings.Fields(command), "--label-field", field, "a.parquet")...)
			if want := "a.parquet: row 1 (row group 1): a vector with a number for each class (multi-hot)"; r.code != 1 || !strings.Contains(r.err, want) {
				t.Errorf("%s of %s: exit code %d, %s", command, field, r.code, r.err)
			}
		}
	}
	if out := ran(t, folder, "train", "--label-field", "labels", "a.parquet", "-o", "m.nbm"); !strings.Contains(out, "4: 0 20, 1 20, 2 20, 7 60") {
		t.Errorf("trained on %s", out)
	}
}

// TestAsJSONLines: documents of Parquet train and score as the same documents of JSON lines do, with labels' names,
// weights, several labels, ids and fields to keep, in shards, and with any number of threads.
func TestAsJSONLines(t *testing.T) {
	folder := t.TempDir()
	all := reviews(1000)
	writeParquet(t, filepath.Join(folder, "a.parquet"), all, 130)
	writeJSONL(t, filepath.Join(folder, "a.jsonl"), all)
	scores := map[string]string{}
	for _, of := range []string{"a.jsonl", "a.parquet"} {
		model := of + ".nbm"
		ran(t, folder, "train", "-q", of, "-o", model)
		ran(t, folder, "train", "-q", "--weight-field", "w", of, "-o", "w-"+model)
		ran(t, folder, "train", "-q", "--label-field", "tags", "--label-sep", ",", of, "-o", "tags-"+model)
		ran(t, folder, "pack", "-q", of, "-o", of+".nbc")
		ran(t, folder, "train", "-q", of+".nbc", "-o", "packed-"+model)
		scores[of] = ran(t, folder, "score", "--all-scores", model, of) +
			ran(t, folder, "score", "--all-scores", "--threads", "1", "w-"+model, of) +
			ran(t, folder, "score", "--all-scores", "--threads", "3", "tags-"+model, of) +
			ran(t, folder, "score", "packed-"+model, of) +
			ran(t, folder, "score", "--json", "--id-field", "id", "--keep-fields", "maybe,tags", model, of) +
			ran(t, folder, "eval", model, of)
		var joined []string
		for k := 1; k <= 3; k++ {
			part := fmt.Sprintf("%s.%d.tsv", of, k)
			ran(t, folder, "score", "-q", "--shard", fmt.Sprintf("%d/3", k), model, of, of, "-o", part)
			joined = append(joined, part)
		}
		ran(t, folder, append([]string{"merge", "-q", "-o", of + ".tsv"}, joined...)...)
		merged, err := os.ReadFile(filepath.Join(folder, of+".tsv"))
		must.OK(t, err)
		if want := ran(t, folder, "score", model, of, of); string(merged) != want {
			t.Errorf("%s: the shards' scores are not those of the whole", of)
		}
	}
	if scores["a.jsonl"] != scores["a.parquet"] {
		a, b := strings.Split(scores["a.jsonl"], "\n"), strings.Split(scores["a.parquet"], "\n")
		for i := range a {
			if i >= len(b) || a[i] != b[i] {
				t.Fatalf("line %d: JSON lines give %q, Parquet %q", i+1, a[i], b[min(i, len(b)-1)])
			}
		}
		t.Fatalf("JSON lines give %d lines, Parquet %d", len(a), len(b))
	}
}

// TestFaults: what is said of files that can't be used, and of rows that can't.
func TestFaults(t *testing.T) {
	folder := t.TempDir()
	all := reviews(100)
	writeParquet(t, filepath.Join(folder, "a.parquet"), all, 30)
	ran(t, folder, "train", "-q", "a.parquet", "-o", "m.nbm")
	data, err := os.ReadFile(filepath.Join(folder, "a.parquet"))
	must.OK(t, err)
	os.WriteFile(filepath.Join(folder, "cut.parquet"), data[:len(data)/2], 0o666)
	torn := bytes.Clone(data)
	copy(torn[len(torn)/3:], make([]byte, 400))
	os.WriteFile(filepath.Join(folder, "torn.parquet"), torn, 0o666)
	for _, test := range []struct {
		args string
		code int
		want []string
	}{
		{"train -o x --text-field body a.parquet", 1, []string{"a.parquet", `no column "body" (text)`, "--text-field", `"id", "text", "label"`}},
		{"train -o x --text-field id a.parquet", 1, []string{"a.parquet", `column "id" (text) is INT(64,true)`, "--text-field"}},
		{"train -o x --text-field maybe a.parquet", 1, []string{"a.parquet: row 1 (row group 1)", `column "maybe" (text) is null`}},
		{"score --on-bad skip --text-field maybe m.nbm a.parquet", 3, []string{"25 bad records"}},
		{"train -o x cut.parquet", 1, []string{"cut.parquet", "cut off or damaged"}},
		{"score m.nbm torn.parquet", 1, []string{"torn.parquet", "row group"}},
		{"score --format tsv m.nbm a.parquet", 1, []string{"a.parquet", "not tsv"}},
		{"score --on-bad quarantine=q.jsonl --text-field maybe --id-field id m.nbm a.parquet", 3, []string{"25 bad records"}},
	} {
		r := nbsvm(t, folder, strings.Fields(test.args)...)
		if r.code != test.code {
			t.Errorf("nbsvm %s: exit code %d, want %d: %s", test.args, r.code, test.code, r.err)
		}
		for _, want := range test.want {
			if !strings.Contains(r.err, want) {
				t.Errorf("nbsvm %s: %q does not mention %q", test.args, r.err, want)
			}
		}
	}
	bad, _ := os.ReadFile(filepath.Join(folder, "q.jsonl"))
	if want := `{"path":"a.parquet","row":1,"reason":"null text"}` + "\n"; !strings.HasPrefix(string(bad), want) {
		t.Errorf("the quarantine begins with %.200q, want %q", bad, want)
	}
}

// forge is a file of one text, whose page claims to be so long once it is decompressed.
func forge(t testing.TB, claimed int32) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[struct {
		Text string `parquet:"text"`
	}](&b, parquet.Compression(&parquet.Zstd))
	w.Write([]struct {
		Text string `parquet:"text"`
	}{{"x"}})
	must.OK(t, w.Close())
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must.OK(t, err)
	data := []byte("not of zstd")
	header, err := thrift.Marshal(&thrift.CompactProtocol{}, &format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: claimed, CompressedPageSize: int32(len(data)),
		DataPageHeader: thrift.New(format.DataPageHeader{
			NumValues: 1, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		}),
	})
	must.OK(t, err)
	meta := *f.Metadata()
	column := &meta.RowGroups[0].Columns[0].MetaData
	column.DataPageOffset, column.DictionaryPageOffset, column.TotalCompressedSize = 4, 0, int64(len(header)+len(data))
	footer, err := thrift.Marshal(&thrift.CompactProtocol{}, &meta)
	must.OK(t, err)
	file := slices.Concat([]byte("PAR1"), header, data, footer)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// TestMemory: a page that claims to be far longer than the file is an error that names the row group, and takes no
// memory.
func TestMemory(t *testing.T) {
	folder := t.TempDir()
	ran(t, folder, "bench", "gen", "-q", "--documents", "10", "-o", "a.tsv")
	ran(t, folder, "train", "-q", "a.tsv", "-o", "m.nbm")
	must.OK(t, os.WriteFile(filepath.Join(folder, "big.parquet"), forge(t, 1<<31-1), 0o666))
	r := nbsvm(t, folder, "score", "m.nbm", "big.parquet")
	if r.code != 1 || !strings.Contains(r.err, "big.parquet") || !strings.Contains(r.err, "row group 1") || !strings.Contains(r.err, "a page has 2147483647 bytes") {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}
