package parquet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// added is what score adds. (parquet-go gives fields of embedded structs values where there are none.)
type added struct {
	Predicted *string  `parquet:"predicted,optional"`
	Score     *float64 `parquet:"score,optional"`
}

func readParquet[T any](t testing.TB, path string) []T {
	t.Helper()
	all, err := parquet.ReadFile[T](path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return all
}

// jsonScore is a row of score --json.
type jsonScore struct {
	Labels  []string
	Margins map[string]float64
}

func jsonScores(t testing.TB, out string) (all []jsonScore) {
	t.Helper()
	for line := range strings.Lines(out) {
		var row jsonScore
		must.OK(t, json.Unmarshal([]byte(line), &row))
		all = append(all, row)
	}
	return all
}

// withModel makes a folder with a file of reviews and a model of them.
func withModel(t testing.TB, n int, groupRows int64, options ...parquet.WriterOption) (folder string, all []review) {
	folder, all = t.TempDir(), reviews(n)
	writeParquet(t, filepath.Join(folder, "a.parquet"), all, groupRows, options...)
	ran(t, folder, "train", "-q", "a.parquet", "-o", "m.nbm")
	return folder, all
}

// TestScored: an output in Parquet has all columns of the input as they are, and behind them what rows of JSON lines
// have.
func TestScored(t *testing.T) {
	codecs := []compress.Codec{&parquet.Uncompressed, &parquet.Zstd, &parquet.Brotli}
	for _, codec := range codecs {
		folder, all := withModel(t, 700, 90, parquet.Compression(codec))
		ran(t, folder, "score", "-q", "m.nbm", "a.parquet", "-o", "scored.parquet")
		want := jsonScores(t, ran(t, folder, "score", "--json", "m.nbm", "a.parquet"))
		got := readParquet[added](t, filepath.Join(folder, "scored.parquet"))
		rows := readParquet[review](t, filepath.Join(folder, "scored.parquet"))
		if len(got) != len(all) || len(rows) != len(all) {
			t.Fatalf("%v: %d rows, want %d", codec, len(got), len(all))
		}
		for i, r := range got {
			if rows[i].Tags == nil && all[i].Tags != nil {
				rows[i].Tags = []string{}
			}
			if !reflect.DeepEqual(rows[i], all[i]) {
				t.Fatalf("%v: row %d is %+v, was %+v", codec, i, rows[i], all[i])
			}
			if label := want[i].Labels[0]; *r.Predicted != label || *r.Score != want[i].Margins[label] {
				t.Fatalf("%v: row %d has %s %v, want %+v", codec, i, *r.Predicted, *r.Score, want[i])
			}
		}
		if twice := nbsvm(t, folder, "score", "m.nbm", "scored.parquet", "-o", "twice.parquet"); twice.code != 1 || !strings.Contains(twice.err, `the file already has a column "predicted"`) {
			t.Errorf("scored twice: exit code %d: %s", twice.code, twice.err)
		}
		if _, err := os.Stat(filepath.Join(folder, "twice.parquet")); err == nil {
			t.Error("an output that failed is there")
		}
		// The scored file is read as the input was.
		if ran(t, folder, "score", "m.nbm", "scored.parquet") != ran(t, folder, "score", "m.nbm", "a.parquet") {
			t.Error("the scored file has other scores")
		}
	}
}

// TestScoredColumns: the shapes of what is added.
func TestScoredColumns(t *testing.T) {
	folder, all := withModel(t, 120, 50)
	ran(t, folder, "score", "-q", "--label", "good", "m.nbm", "a.parquet", "-o", "label.parquet")
	type labelled struct {
		Score float64 `parquet:"score"`
	}
	margins := jsonScores(t, ran(t, folder, "score", "--json", "--all-scores", "m.nbm", "a.parquet"))
	for i, r := range readParquet[labelled](t, filepath.Join(folder, "label.parquet")) {
		if r.Score != margins[i].Margins["good"] {
			t.Fatalf("row %d has %v, want %+v", i, r.Score, margins[i])
		}
	}
	ran(t, folder, "score", "-q", "--all-scores", "m.nbm", "a.parquet", "-o", "all.parquet")
	type lists struct {
		Predicted []string  `parquet:"predicted,list,optional"`
		Score     []float64 `parquet:"score,list,optional"`
	}
	for i, r := range readParquet[lists](t, filepath.Join(folder, "all.parquet")) {
		if len(r.Predicted) != 2 || len(r.Score) != 2 || r.Score[0] < r.Score[1] ||
			r.Score[1] != margins[i].Margins[r.Predicted[1]] {
			t.Fatalf("row %d has %+v, want %+v", i, r, margins[i])
		}
	}
	ran(t, folder, "score", "-q", "--add-field", "quality", "m.nbm", "a.parquet", "-o", "group.parquet")
	type grouped struct {
		ID      int64 `parquet:"id"`
		Quality struct {
			Label string  `parquet:"label"`
			Score float64 `parquet:"score"`
		} `parquet:"quality"`
	}
	for i, r := range readParquet[grouped](t, filepath.Join(folder, "group.parquet")) {
		want := margins[i]
		if r.ID != all[i].ID || r.Quality.Score != want.Margins[r.Quality.Label] || r.Quality.Label != want.Labels[0] {
			t.Fatalf("row %d has %+v, want %+v", i, r.Quality, margins[i])
		}
	}
	// A model of any number of labels, some rows without one.
	ran(t, folder, "train", "-q", "--label-field", "tags", "--label-sep", ",", "a.parquet", "-o", "tags.nbm")
	ran(t, folder, "score", "-q", "tags.nbm", "a.parquet", "-o", "tags.parquet")
	several := jsonScores(t, ran(t, folder, "score", "--json", "tags.nbm", "a.parquet"))
	for i, r := range readParquet[lists](t, filepath.Join(folder, "tags.parquet")) {
		if !slices.Equal(r.Predicted, several[i].Labels) && len(r.Predicted)+len(several[i].Labels) > 0 {
			t.Fatalf("row %d has %+v, want %+v", i, r, several[i])
		}
	}
	// Rows that can't be scored stay, and have no score.
	if r := nbsvm(t, folder, "score", "-q", "--on-bad", "skip", "--text-field", "maybe", "m.nbm", "a.parquet", "-o", "maybe.parquet"); r.code != 3 {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	for i, r := range readParquet[added](t, filepath.Join(folder, "maybe.parquet")) {
		if (r.Score == nil) != (all[i].Maybe == nil) || (r.Predicted == nil) != (r.Score == nil) {
			t.Fatalf("row %d: %+v", i, r)
		}
	}
}

// TestWhere: rows that pass and those that don't are the rows of the input, in order, each once; and the same as of
// JSON lines.
func TestWhere(t *testing.T) {
	codecs := []compress.Codec{
		&parquet.Uncompressed, &parquet.Lz4Raw, // TestRead of parquetfile has all
	}
	for _, codec := range codecs {
		folder, all := withModel(t, 600, 70, parquet.Compression(codec))
		writeJSONL(t, filepath.Join(folder, "a.jsonl"), all)
		for _, where := range []string{`label == "good"`, "margin > -1000", "margin > 1000", "margin >= 0.9"} {
			ran(t, folder, "score", "-q", "--where", where, "m.nbm", "a.parquet", "-o", "pass.parquet", "--rejects", "rest.parquet")
			want := map[int64]bool{}
			for line := range strings.Lines(ran(t, folder, "score", "--where", where, "m.nbm", "a.jsonl")) {
				var r struct{ ID int64 }
				json.Unmarshal([]byte(line), &r)
				want[r.ID] = true
			}
			pass := readParquet[review](t, filepath.Join(folder, "pass.parquet"))
			rest := readParquet[review](t, filepath.Join(folder, "rest.parquet"))
			if len(pass) != len(want) || len(pass)+len(rest) != len(all) {
				t.Fatalf("%s: %d rows pass and %d do not, want %d of %d", where, len(pass), len(rest), len(want), len(all))
			}
			for _, r := range all {
				from := &rest
				if want[r.ID] {
					from = &pass
				}
				first := (*from)[0]
				if *from = (*from)[1:]; first.Tags == nil && r.Tags != nil {
					first.Tags = []string{}
				}
				if !reflect.DeepEqual(first, r) {
					t.Fatalf("%v, %s: row %+v, want %+v", codec, where, first, r)
				}
			}
		}
	}
}

// TestRefusedOutputs: what is said of outputs that can't be Parquet.
func TestRefusedOutputs(t *testing.T) {
	folder, _ := withModel(t, 20, 10)
	os.WriteFile(filepath.Join(folder, "a.txt"), []byte("lovely\n"), 0o666)
	for _, test := range []struct{ args, want string }{
		{"score m.nbm a.txt -o x.parquet", "Parquet output needs Parquet input"},
		{"score m.nbm a.parquet a.parquet -o x.parquet", "--out-dir"},
		{"score --shard 1/2 m.nbm a.parquet -o x.parquet", "can't be merged"},
		{"score --where label=='good' m.nbm a.parquet -o x.jsonl", "x.jsonl is named as jsonl, but the records are parquet"},
		{"score --compress zstd m.nbm a.parquet -o x.parquet", "--compress"},
		{"score --add-field a.b m.nbm a.parquet -o x.parquet", "whose name can't have dots"},
		{"score --id-field id m.nbm a.parquet -o x.parquet", "--id-field"},
	} {
		if r := nbsvm(t, folder, strings.Fields(test.args)...); r.code != 2 || !strings.Contains(r.err, test.want) {
			t.Errorf("nbsvm %s: exit code %d, %s; want %q", test.args, r.code, r.err, test.want)
		}
	}
	if r := nbsvm(t, folder, "score", "--add-field", "name", "m.nbm", "a.parquet", "-o", "x.parquet"); r.code != 1 || !strings.Contains(r.err, `the file already has a column "name"`) {
		t.Errorf("exit code %d: %s", r.code, r.err)
	}
}
