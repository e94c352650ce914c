package parquetfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestKept: rows that are kept are plain, in pages of the first version, which old readers know, too, and neither their
// pages nor the footer repeat long values.
func TestKept(t *testing.T) {
	all := rows(40)
	for i := range all {
		all[i].Text = strings.Repeat(string(rune('a'+i%26)), 100_000)
	}
	path := filepath.Join(t.TempDir(), "in.parquet")
	in := write(t, all, 40, parquet.Compression(&parquet.Zstd))
	must.OK(t, os.WriteFile(path, in, 0o600))
	var out bytes.Buffer
	w, err := NewWriter(&out, path, Added{Of: []Scores{{Label: "label2"}}})
	must.OK(t, err)
	var kept []byte
	for number := int64(2); number <= 40; number += 2 {
		kept = (&Row{Number: number, Of: []Scored{{true, []string{"good"}, []float64{1}}}}).Append(kept)
	}
	_, err = w.Write(kept)
	must.OK(t, w.Close(err))
	if out.Len() > len(in) {
		t.Errorf("half of the rows take %d bytes, and all %d", out.Len(), len(in))
	}
	f := open(t, out.Bytes())
	for _, c := range f.Metadata().RowGroups[0].Columns {
		m := c.MetaData
		for _, used := range m.EncodingStats {
			if used.PageType == format.DataPageV2 || used.PageType == format.DataPage && used.Encoding != format.Plain {
				t.Errorf("%s has pages %v in %v", m.PathInSchema, used.PageType, used.Encoding)
			}
		}
		if s := m.Statistics; len(s.MinValue)+len(s.MaxValue)+len(s.Min)+len(s.Max) > 0 {
			t.Errorf("the footer has bounds of %s", m.PathInSchema)
		}
	}
	got, err := read(f, Options{Unlabelled: true, Keep: []string{"label2"}})
	must.OK(t, err)
	for i, row := range got {
		if row[0] != all[2*i+1].Text || row[len(row)-1] != `"good"` {
			t.Errorf("row %d: %.20s, %s", i+1, row[0], row[len(row)-1])
		}
	}
	if len(got) != 20 {
		t.Errorf("%d rows", len(got))
	}
}
