package parquetfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// row is what files of these tests hold.
type row struct {
	Text   string    `parquet:"text"`
	Label  int64     `parquet:"label"`
	Maybe  *string   `parquet:"maybe,optional"`
	Coded  string    `parquet:"coded,dict"`
	Lang   *string   `parquet:"lang,optional,dict"`
	Stars  int32     `parquet:"stars"`
	Weight float64   `parquet:"weight"`
	Tags   []string  `parquet:"tags,list"`
	Meta   meta      `parquet:"meta"`
	At     time.Time `parquet:"at,timestamp(millisecond)"`
	Good   bool      `parquet:"good"`
}

type meta struct {
	URL  *string `parquet:"url,optional"`
	Size uint32  `parquet:"size"`
}

// rows are so many rows, with line ends, tabs, quotes, invalid UTF-8 and empty texts.
func rows(n int) []row {
	all := make([]row, n)
	for i := range all {
		text := fmt.Sprintf("text %d\twith \"quotes\"\nand lines\r\n%s", i, strings.Repeat("é😀 ", i%17))
		switch i % 11 {
		case 3:
			text = ""
		case 4:
			text = "\xff\x00 no UTF-8"
		}
		all[i] = row{
			Text: text, Label: int64(i % 3), Coded: fmt.Sprint("word ", i%5), Stars: int32(i%5 - 1), Weight: float64(i%4) / 4,
			Meta: meta{Size: uint32(i) << 20}, At: time.UnixMilli(int64(i) * 1000), Good: i%2 == 0,
		}
		if i%5 != 0 {
			maybe, lang, url := fmt.Sprint("m", i), []string{"en", "de"}[i%2], fmt.Sprint("http://", i)
			all[i].Maybe, all[i].Lang, all[i].Meta.URL = &maybe, &lang, &url
		}
		for k := range i % 4 {
			all[i].Tags = append(all[i].Tags, fmt.Sprint("tag", k))
		}
	}
	return all
}

const classLabels = `{"info":{"features":{"label":{"names":["neg","pos"],"_type":"ClassLabel"},"text":{"dtype":"string","_type":"Value"}}}}`

func write(t testing.TB, all []row, groupRows int64, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	options = append(options, parquet.MaxRowsPerRowGroup(groupRows), parquet.PageBufferSize(4<<10))
	w := parquet.NewGenericWriter[row](&b, options...)
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	return b.Bytes()
}

func open(t testing.TB, data []byte) *File {
	t.Helper()
	f, err := OpenAt(bytes.NewReader(data), int64(len(data)))
	must.OK(t, err)
	return f
}

// read are the rows of a file: of each the values, with | between those of a list.
func read(f *File, o Options) (all [][]string, err error) {
	blocks, err := f.Blocks(o)
	if err != nil {
		return nil, err
	}
	defer blocks.Close()
	var b Block
	for {
		if err := blocks.Next(&b); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, err
		}
		for i := range b.Rows {
			var row []string
			for k := range b.Columns {
				row = append(row, show(&b.Columns[k], i))
			}
			all = append(all, row)
		}
	}
}

func show(c *Column, row int) string {
	var parts []string
	for _, v := range c.Row(nil, row) {
		parts = append(parts, map[Kind]string{Null: "null", Bad: "bad: ", Long: "long: "}[v.Kind]+string(v.Bytes))
	}
	if c.IsList() {
		return "[" + strings.Join(parts, "|") + "]"
	}
	return strings.Join(parts, "|")
}

// TestRead reads what parquet-go wrote, in every codec and with several encodings, and compares with what was written.
func TestRead(t *testing.T) {
	all := rows(3000)
	if testing.Short() {
		all = rows(900)
	}
	var want [][]string
	for _, r := range all {
		quoted := func(s *string) string {
			if s == nil {
				return "null"
			}
			text, _ := json.Marshal(*s)
			return string(text)
		}
		tags, _ := json.Marshal(r.Tags)
		if r.Tags == nil {
			tags = []byte("[]")
		}
		list := "[" + strings.Join(r.Tags, "|") + "]"
		want = append(want, []string{
			r.Text, list, fmt.Sprint(r.Weight), quoted(r.Maybe), quoted(r.Meta.URL), fmt.Sprint(r.Meta.Size), string(tags),
			quoted(&[]string{r.At.UTC().Format("2006-01-02T15:04:05.999999999Z")}[0]), fmt.Sprint(r.Good), fmt.Sprint(r.Stars),
		})
	}
	o := Options{Label: "tags", Weight: "weight", Keep: []string{"maybe", "meta.url", "META.size", "tags", "at", "good", "6"}}
	codecs := []compress.Codec{
		&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw,
	}
	for _, codec := range codecs {
		for version := 1; version <= 2; version++ {
			for _, groupRows := range []int64{3000, 700, 1} {
				if groupRows == 1 && codec != &parquet.Snappy {
					continue
				}
				data := write(t, all, groupRows, parquet.Compression(codec), parquet.DataPageVersion(version))
				got, err := read(open(t, data), o)
				must.OK(t, err)
				if len(got) != len(want) {
					t.Fatalf("%v, version %d, groups of %d: %d rows, want %d", codec, version, groupRows, len(got), len(want))
				}
				for i := range want {
					if !slices.Equal(got[i], want[i]) {
						t.Fatalf("%v, version %d, groups of %d: row %d is\n%q, want\n%q", codec, version, groupRows, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestTexts reads texts of columns that are null in part, or coded by a dictionary, or both.
func TestTexts(t *testing.T) {
	all := rows(5000)
	f := open(t, write(t, all, 1200))
	for _, test := range []struct {
		column string
		of     func(r *row) *string
	}{
		{"maybe", func(r *row) *string { return r.Maybe }},
		{"lang", func(r *row) *string { return r.Lang }},
		{"coded", func(r *row) *string { return &r.Coded }},
		{"meta.url", func(r *row) *string { return r.Meta.URL }},
	} {
		got, err := read(f, Options{Text: test.column})
		if err != nil || len(got) != len(all) {
			t.Fatalf("%s: %d rows, %v", test.column, len(got), err)
		}
		for i := range all {
			want := "null"
			if of := test.of(&all[i]); of != nil {
				want = *of
			}
			if got[i][0] != want {
				t.Fatalf("%s: row %d is %q, want %q", test.column, i, got[i][0], want)
			}
		}
	}
}

// TestLabelNames: numbers of labels get their names, no label is -1, and one without a name is bad.
func TestLabelNames(t *testing.T) {
	all := rows(3)
	all = append(all, row{Label: -1})
	f := open(t, write(t, all, 10, parquet.KeyValueMetadata("huggingface", classLabels)))
	got, err := read(f, Options{})
	must.OK(t, err)
	var labels []string
	for _, r := range got {
		labels = append(labels, r[1])
	}
	if want := []string{"neg", "pos", "bad: label 2 has no name: the file's metadata (huggingface) names 2 labels, from 0", "null"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	for _, test := range []struct {
		metadata string
		path     []string
		want     []string
	}{
		{classLabels, []string{"label"}, []string{"neg", "pos"}},
		{classLabels, []string{"text"}, nil},
		{classLabels, []string{"other"}, nil},
		{`{"info":{"features":{"tags":{"feature":{"names":["a"],"_type":"ClassLabel"},"_type":"Sequence"}}}}`, []string{"tags"}, []string{"a"}},
		{`{"info":{"features":{"tags":[{"names":["a"],"_type":"ClassLabel"}]}}}`, []string{"tags", "list", "element"}, []string{"a"}},
		{`{"info":{"features":{"meta":{"kind":{"names":["a","b"],"_type":"ClassLabel"}}}}}`, []string{"meta", "kind"}, []string{"a", "b"}},
		{`{"info":{"features":{"label":{"names":3,"_type":"ClassLabel"}}}}`, []string{"label"}, nil},
		{`{"info":`, []string{"label"}, nil},
		{"", []string{"label"}, nil},
	} {
		if got := labelNames(test.metadata, test.path); !slices.Equal(got, test.want) {
			t.Errorf("%s, %v: %q, want %q", test.metadata, test.path, got, test.want)
		}
	}
}

// TestLong: of values that are longer than allowed there is only the beginning.
func TestLong(t *testing.T) {
	all := []row{{Text: strings.Repeat("x", 5000)}, {Text: "y"}, {Text: strings.Repeat("z", 5<<20)}}
	f := open(t, write(t, all, 10))
	got, err := read(f, Options{MaxValue: 4999})
	must.OK(t, err)
	if want := "long: " + strings.Repeat("x", headOfLong); got[0][0] != want || got[1][0] != "y" || !strings.HasPrefix(got[2][0], "long: z") {
		t.Errorf("%.40q, %.40q, %.40q", got[0][0], got[1][0], got[2][0])
	}
	if got, err = read(f, Options{}); err != nil || len(got[2][0]) != 5<<20 {
		t.Errorf("%d bytes, %v", len(got[2][0]), err)
	}
}

// TestRefused: what is said of columns that are not there, or hold something else.
func TestRefused(t *testing.T) {
	f := open(t, write(t, rows(1), 10))
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Text: "body"}, `has no column "body" (text): name another column with Input.TextField; the file has "text", "label", "maybe"`},
		{Options{Text: "label"}, `column "label" (text) is INT(64,true): write it as strings, or name another column with Input.TextField`},
		{Options{Text: "tags"}, `column "tags" (text) is a list of STRING`},
		{Options{Text: "meta"}, `column "meta" (text) is a group: name one of its fields with Input.TextField: "meta.url", "meta.size"`},
		{Options{Label: "meta"}, `name one of its fields with Input.LabelField: "meta.url", "meta.size"`},
		{Options{Label: "kind"}, `has no column "kind" (label)`},
		{Options{Label: "kind", Numbers: true}, `has no column "kind" (target): name another column with Input.Numbers`},
		{Options{Weight: "text"}, `column "text" (weight) is STRING`},
		{Options{Label: "text"}, `column "text" is both text and label`},
		{Options{Keep: []string{"nothing"}}, `has no column "nothing" (field to keep)`},
	} {
		_, err := read(f, test.o)
		if !IsRefusal(err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
	if _, err := read(f, Options{Label: "kind", Unlabelled: true}); err != nil {
		t.Error(err)
	}
}

// TestNullColumns: columns of type null, as Arrow writes those without a value, are no texts, labels or weights. They
// may be kept. Other columns are read beside them.
func TestNullColumns(t *testing.T) {
	var b bytes.Buffer
	null := func() parquet.Node { return parquet.Optional(parquet.Leaf(parquet.NullType)) }
	w := parquet.NewWriter(&b, parquet.NewSchema("rows", parquet.Group{
		"text": parquet.String(), "label": parquet.String(), "none": null(), "tags": parquet.List(null()),
	}))
	for range 3 { // the columns are in the order of their names
		if _, err := w.WriteRows([]parquet.Row{{
			parquet.ValueOf("a").Level(0, 0, 0), parquet.NullValue().Level(0, 0, 1), parquet.NullValue().Level(0, 0, 2), parquet.ValueOf("x").Level(0, 0, 3),
		}}); err != nil {
			t.Fatal(err)
		}
	}
	must.OK(t, w.Close())
	f := open(t, b.Bytes())
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Text: "none"}, `column "none" (text) is of type null, so it has no values: write it as strings, or name another column with Input.TextField; the file has "label", "none", "tags", "text"`},
		{Options{Label: "none"}, `column "none" (label) is of type null, so it has no values: write it as strings or numbers, or name another column with Input.LabelField`},
		{Options{Label: "tags"}, `column "tags" (label) is of type null`},
		{Options{Weight: "none"}, `column "none" (weight) is of type null, so it has no values: write it as numbers, or name another column with Input.WeightField`},
		{Options{Text: "none", Unlabelled: true}, `column "none" (text) is of type null`},
	} {
		_, err := read(f, test.o)
		if !IsRefusal(err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
	for _, o := range []Options{{}, {Keep: []string{"none"}}, {Label: "none", Unlabelled: true}, {Label: "none", Unlabelled: true, Keep: []string{"tags"}}} {
		if got, err := read(f, o); err != nil || len(got) != 3 || got[2][0] != "x" {
			t.Errorf("%+v: %q, %v", o, got, err)
		}
	}
}

// TestDecimals: integers and numbers in two's complement have their point where the scale says.
func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		value parquet.Value
		scale int
		want  string
	}{
		{parquet.Int32Value(5), 0, "5"},
		{parquet.Int32Value(-5), 1, "-0.5"},
		{parquet.Int64Value(1234567890123456789), 4, "123456789012345.6789"},
		{parquet.Int64Value(0), 2, "0.00"},
		{parquet.Int64Value(-100), 2, "-1.00"},
		{parquet.FixedLenByteArrayValue([]byte{0xff, 0x9c}), 3, "-0.100"},
		{parquet.FixedLenByteArrayValue([]byte{0x00, 0x80, 0, 0, 0, 0, 0, 0, 0}), 0, "9223372036854775808"},
		{parquet.ByteArrayValue(nil), 1, "0.0"},
	} {
		s := scalar{meaning: asDecimal, scale: c.scale}
		if got, isNull := s.appendText([]byte("x"), c.value); string(got) != "x"+c.want || isNull {
			t.Errorf("%v of scale %d is %s, want %s", c.value, c.scale, got[1:], c.want)
		}
	}
}

// TestUUID: bytes have the hyphens of RFC 9562; those of another length are written whole.
func TestUUID(t *testing.T) {
	if got := string(appendUUID(nil, []byte("0123456789abcdef"))); got != "30313233-3435-3637-3839-616263646566" {
		t.Errorf("%s", got)
	}
}
