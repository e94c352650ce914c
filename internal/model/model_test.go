package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

var update = flag.Bool("update", false, "write testdata/*.nbm anew")

// sample is a small model that has every section but those of dense weights and
// of a sparse ratio.
func sample() *Model {
	text := hashing.DefaultOptions()
	text.Bits, text.Families[0].Tokenizer, text.Seed = 8, hashing.Char, math.MaxUint64
	return &Model{
		Meta: Meta{
			Labels: []string{"", "caf\xe9", "ham & <spam>"}, Task: "multilabel", Link: "platt",
			Source: "text", Text: text, Values: "log-tfidf", Normalize: true,
			Made: json.RawMessage(`{"seed":18446744073709551615}`), Version: "0.1.0",
		},
		Universe: 256, Keys: keysOf(256, 0, 3, 63, 64, 130, 255), Outputs: 3,
		Sparse: sparseOf([]entry{
			{0, 0, 1}, {0, 2, -0.5}, {2, 1, 0.25}, {3, 0, -3e-40}, {3, 1, math.MaxFloat32}, {3, 2, 1. / 3}, {5, 0, -7},
		}, 6),
		Bias: []float64{0.1, -0.2, 1e-300}, Base: []float64{0, -5.5, 0.3}, Threshold: []float64{-1, 0, math.MaxFloat64},
		Platt: []Platt{{-1.5, 0.25}, {-2, 0}, {0, 1}},
		IDF:   []float32{1, 1.5, 2, 2.5, 3, 3.5},
		Ratio: Float32s{0.5, 1, 1. / 3, math.MaxFloat32, 0, -2},
		Names: []Name{{0, "the"}, {3, "not good"}, {5, "\xff"}},
	}
}

// keysOf is a set of keys.
func keysOf(universe uint64, keys ...uint64) KeySet {
	set, _, err := NewKeySet(universe, keys)
	if err != nil {
		panic(err)
	}
	return *set
}

// dense is a small model with dense weights and little else.
func dense() *Model {
	return &Model{
		Meta:     Meta{Labels: []string{"-1", "1"}, Task: "binary", Link: "margin", Source: "svmlight", Values: "count"},
		Universe: 100, Keys: keysOf(100, 1, 99), Outputs: 1, Dense: Float32s{0.5, -2},
		Bias: []float64{1}, Base: []float64{0}, Threshold: []float64{0},
	}
}

// tempered is dense with probabilities by a temperature.
func tempered() *Model {
	m := dense()
	m.Meta.Labels, m.Meta.Task, m.Meta.Link = []string{"a", "b"}, "multiclass", "temperature"
	m.Outputs, m.Dense, m.Temperature = 2, Float32s{0.5, -2, 1, 3}, 0.25
	m.Bias, m.Base, m.Threshold = []float64{1, 0}, []float64{0, 0}, []float64{0, 0}
	return m
}

// ofPaths is a model whose labels are paths, one of which may end above another.
func ofPaths() *Model {
	m := tempered()
	m.Meta.Labels, m.Meta.Link = []string{"a", "a/b", "c"}, "paths"
	m.Meta.Paths = &Paths{Separator: "/", Scale: 0.25, Inner: []int32{0}}
	m.Outputs, m.Dense = 4, Float32s{0.5, -2, 1, 3, 1, 2, 3, 4}
	m.Bias, m.Base, m.Threshold = make([]float64, 4), make([]float64, 4), make([]float64, 4)
	return m
}

// grown is a model whose three classes are in a tree that was grown over them: two are below the only inner node.
func grown() *Model {
	m := ofPaths()
	m.Meta.Paths = &Paths{Scale: 0.25, Parents: []int32{3, -1, 3, -1}}
	return m
}

// wide is a model with so many outputs that they may be further apart than a byte says.
func wide() *Model {
	const outputs = 300
	m := dense()
	m.Meta.Labels, m.Meta.Task, m.Outputs, m.Dense = nil, "multilabel", outputs, nil
	for k := range outputs {
		m.Meta.Labels = append(m.Meta.Labels, fmt.Sprint(k))
	}
	m.Bias, m.Base, m.Threshold = make([]float64, outputs), make([]float64, outputs), make([]float64, outputs)
	m.Sparse = sparseOf([]entry{{0, 3, 1}, {0, 7, 2}, {0, 299, 5}, {1, 299, 0.5}}, 2)
	return m
}

// entry is one of a Sparse.
type entry struct {
	row    uint32
	output int
	number float32
}

// sparseOf is a Sparse of so many rows.
func sparseOf(entries []entry, rows int) *Sparse {
	return NewSparse(rows, func(visit func(row uint32, output int, number float32)) {
		for _, e := range entries {
			visit(e.row, e.output, e.number)
		}
	})
}

func encode(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := m.WriteTo(&b)
	must.OK(t, err)
	if n != int64(b.Len()) {
		t.Fatalf("WriteTo says %d bytes and wrote %d", n, b.Len())
	}
	return b.Bytes()
}

// decode is read, and sections is what read finds out about these.
func decode(data []byte) (*Model, error) {
	m, _, err := read(data)
	return m, err
}

func sections(data []byte) ([]Section, error) {
	_, list, err := read(data)
	return list, err
}

// rounded has numbers of fewer bits where a model has wide ones, dense or sparse.
func rounded(m *Model) *Model {
	other := *m
	round := func(s *Numbers) {
		if *s == nil {
			return
		}
		*s = newNumbers8((*s).(Float32s), levelFactor)
	}
	round(&other.Dense)
	round(&other.Ratio)
	if m.Sparse != nil {
		s := *m.Sparse
		round(&s.Value)
		other.Sparse = &s
	}
	return &other
}

// samples are models that together have every section that is written, by the names of their files.
func samples() map[string]*Model {
	return map[string]*Model{
		"dense": dense(), "dense-8": rounded(dense()),
		"tempered": tempered(), "tempered-8": rounded(tempered()), "paths": ofPaths(),
		"trees": ruled(Trees), "neighbours": voting(), "plurality": plurality(),
		"sample": sample(), "sample-8": rounded(sample()),
		"wide": wide(), "wide-8": rounded(wide()),
		"few": few(1<<16, 1000, 37), "far": few(1<<40, 40, 1<<34+12345),
	}
}

// few has so many features of a universe, at about equal distances.
func few(universe uint64, rows int, distance uint64) *Model {
	var keys []uint64
	for i := range uint64(rows) {
		keys = append(keys, i*distance+i%7)
	}
	m := dense()
	m.Universe, m.Keys = universe, keysOf(universe, keys...)
	numbers := make(Float32s, rows*m.Outputs)
	for i := range numbers {
		numbers[i] = float32(i%9) - 4
	}
	m.Dense, m.Ratio, m.IDF, m.Names = numbers, nil, nil, nil
	return m
}

// golden is the file of a sample.
func golden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".nbm"))
	must.OK(t, err)
	return data
}

// ruled is a model that is not linear.
func ruled(section string) *Model {
	m := sample()
	m.Base = make([]float64, len(m.Base))
	m.Sparse, m.Ratio, m.Rule = nil, nil, &Rule{Section: section, Data: []byte("some form of " + section)}
	return m
}

// voting is a model of four documents, one of them without a label, and plurality one whose documents have one each.
func voting() *Model {
	m := ruled(Neighbours)
	m.Rule = &Rule{Section: Neighbours, Documents: &Documents{
		K:        3,
		Postings: sparseOf([]entry{{0, 1, 0.5}, {0, 3, -1}, {2, 0, 1}, {5, 2, 0.25}, {5, 3, 3}}, 6),
		Votes:    sparseOf([]entry{{0, 0, 1}, {0, 2, 1}, {1, 3, 0.5}, {2, 1, 2}, {3, 2, 1}}, 4),
		Factors:  []float64{1, 1, 0.5, 2, 0, 1}, Numbers: []uint32{0, 4, 5, 9},
	}}
	return m
}

func plurality() *Model {
	m := voting()
	m.Meta.Task = "multiclass"
	m.Rule.Documents.Votes = sparseOf([]entry{{0, 0, 1}, {1, 2, 0.5}, {2, 1, 2}, {3, 2, 1}}, 4)
	m.Rule.Documents.Factors, m.Rule.Documents.Numbers = nil, nil
	return m
}

// TestGolden: files stay readable for ever, to the same numbers.
func TestGolden(t *testing.T) {
	present := map[string]bool{}
	for name, m := range samples() {
		if *update {
			must.OK(t, os.WriteFile(filepath.Join("testdata", name+".nbm"), encode(t, m), 0o644))
		}
		data := golden(t, name)
		got, _, err := Open(filepath.Join("testdata", name+".nbm"))
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		if !reflect.DeepEqual(got.Model, m) {
			t.Errorf("%s holds\n%+v, want\n%+v", name, got.Model, m)
		}
		for _, s := range takeApart(t, data).sections {
			present[s.Name] = true
		}
		if !bytes.Equal(encode(t, m), data) {
			t.Errorf("the model of %s gives other bytes now", name)
		}
	}
	for name := range known {
		if !present[name] {
			t.Errorf("no file has section %s", name)
		}
	}
}

// anyModel draws a valid model.
func anyModel(t *rapid.T) *Model {
	universe := rapid.OneOf(rapid.Uint64Range(0, 2000), rapid.Uint64Range(0, 1<<hashing.MaxKeyBits)).Draw(t, "universe")
	text := hashing.Options{}
	source := rapid.SampledFrom([]string{"text", "svmlight"}).Draw(t, "source")
	if source == "text" {
		text = hashing.DefaultOptions()
		text.Bits = rapid.IntRange(hashing.MinBits, hashing.MaxKeyBits).Draw(t, "bits")
		universe = 1 << text.Bits
	}
	var ids []uint64
	if universe > 0 {
		ids = rapid.SliceOfNDistinct(rapid.Uint64Range(0, universe-1), 0, int(min(universe, 300)), rapid.ID).Draw(t, "keys")
	}
	task := rapid.SampledFrom([]string{"binary", "multiclass", "multilabel"}).Draw(t, "task")
	k, labels := 1, 2
	if task != "binary" {
		k = rapid.IntRange(1, 9).Draw(t, "outputs")
		labels = k
	}
	float := rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)
	floats := func(name string, n int) []float32 {
		s := rapid.SliceOfN(float, n, n).Draw(t, name)
		return append(make([]float32, 0, n), s...)
	}
	numbers := func(name string, n int) Numbers {
		if rapid.Bool().Draw(t, name+" of 8 bits") {
			b := &numbers8{codes: append([]uint8{}, rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, name)...)}
			copy(b.levels[:], floats(name+" levels", rapid.IntRange(0, len(b.levels)).Draw(t, name+" levels used")))
			return b
		}
		return Float32s(floats(name, n))
	}
	wide := func(name string, n int) []float64 {
		return rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat32, math.MaxFloat32), n, n).Draw(t, name)
	}
	distinct := rapid.SliceOfNDistinct(rapid.SliceOfN(rapid.Byte(), 0, 5), labels, labels, func(b []byte) string { return string(b) })
	m := &Model{
		Meta: Meta{
			Task: task, Source: source, Text: text, Link: "margin", Values: rapid.String().Draw(t, "values"),
			Prenormalize: rapid.Bool().Draw(t, "prenormalize"),
			Normalize:    rapid.Bool().Draw(t, "normalize"), Version: rapid.String().Draw(t, "version"),
		},
		Universe: universe, Keys: keysOf(universe, ids...), Outputs: k,
		Bias: wide("bias", k), Base: wide("base", k), Threshold: wide("threshold", k),
	}
	for _, label := range distinct.Draw(t, "labels") {
		m.Meta.Labels = append(m.Meta.Labels, string(label))
	}
	if rapid.Bool().Draw(t, "made") {
		m.Meta.Made = json.RawMessage(fmt.Sprintf(`{"x":[%d,"<é"]}`, len(ids)))
		m.Meta.Made, _ = json.Marshal(m.Meta.Made) // the form in which it comes back
	}
	if rapid.Bool().Draw(t, "platt") {
		m.Meta.Link = "platt"
		for _, a := range wide("platt numbers", k) {
			m.Platt = append(m.Platt, Platt{A: a, B: -a / 2})
		}
	} else if task == "multiclass" && rapid.Bool().Draw(t, "tempered") {
		m.Meta.Link = "temperature"
		m.Temperature = rapid.Float64Range(leastTemperature, mostTemperature).Draw(t, "temperature")
	}
	if rapid.Bool().Draw(t, "idf") {
		m.IDF = floats("idf numbers", len(ids))
	}
	if rapid.Bool().Draw(t, "ratio") {
		m.Ratio = numbers("ratio numbers", len(ids))
	}
	for row := range ids {
		if rapid.IntRange(0, 9).Draw(t, "named") == 0 {
			m.Names = append(m.Names, Name{uint32(row), rapid.String().Draw(t, "name")})
		}
	}
	if rapid.Bool().Draw(t, "dense") {
		m.Dense = numbers("weights", len(ids)*k)
		return m
	}
	if m.Ratio == nil && rapid.Bool().Draw(t, "rule") {
		clear(m.Base)
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "rule's data")
		m.Rule = &Rule{Section: Trees, Data: append([]byte{}, data...)}
		return m
	}
	var entries []entry
	for row := range ids {
		for o := range k {
			if rapid.Bool().Draw(t, "stored") {
				entries = append(entries, entry{row: uint32(row), output: o})
			}
		}
	}
	m.Sparse = sparseOf(entries, len(ids))
	m.Sparse.Value = numbers("weights", len(entries))
	return m
}

// TestRoundTrip: what is written is read, on hosts of either byte order and from
// memory of any alignment.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t)
		var viewed, copied bytes.Buffer
		if _, err := m.WriteTo(&viewed); err != nil {
			t.Fatal(err)
		}
		mem.Copying(func() {
			if _, err := m.WriteTo(&copied); err != nil {
				t.Fatal(err)
			}
		})
		if !bytes.Equal(viewed.Bytes(), copied.Bytes()) {
			t.Fatal("views and copies give different bytes")
		}
		odd := append(make([]byte, 1, viewed.Len()+1), viewed.Bytes()...)[1:]
		for name, decoded := range map[string]func() (*Model, error){
			"view":       func() (*Model, error) { return decode(viewed.Bytes()) },
			"copy":       func() (m *Model, err error) { mem.Copying(func() { m, err = decode(viewed.Bytes()) }); return m, err },
			"misaligned": func() (*Model, error) { return decode(odd) },
		} {
			got, err := decoded()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !reflect.DeepEqual(got, m) {
				t.Fatalf("%s: got\n%+v, want\n%+v", name, got, m)
			}
			var again bytes.Buffer
			if _, err := got.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), viewed.Bytes()) {
				t.Fatalf("%s: written again it differs (error %v)", name, err)
			}
		}
	})
}

// TestTextOptions are not written where they mean nothing.
func TestTextOptions(t *testing.T) {
	m := dense()
	m.Meta.Text = hashing.DefaultOptions()
	got, err := decode(encode(t, m))
	if err != nil || got.Meta.Text != (hashing.Options{}) {
		t.Errorf("got %+v, error %v", got.Meta.Text, err)
	}
	if m.Meta.Text != hashing.DefaultOptions() || m.Meta.Labels == nil {
		t.Error("writing has changed the model")
	}
}

// TestViews: a decoded model costs no memory for its large arrays but that of keys and of sparse rows, and
// lies within the data.
func TestViews(t *testing.T) {
	if !mem.Native() {
		t.Skip("this host copies")
	}
	const rows = 1 << 18
	keys := make([]uint64, rows)
	for i := range keys {
		keys[i] = uint64(4*i + 1)
	}
	m := dense()
	m.Universe, m.Dense, m.IDF, m.Ratio = 4*rows, make(Float32s, rows), make([]float32, rows), make(Float32s, rows)
	m.Keys = keysOf(m.Universe, keys...)
	got, placed := decodeViews(t, m)
	placed("weights", unsafe.Pointer(&got.Dense.(Float32s)[0]))
	placed("idf", unsafe.Pointer(&got.IDF[0]))
	placed("ratio", unsafe.Pointer(&got.Ratio.(Float32s)[0]))

	full := NewSparse(rows, func(entry func(row uint32, output int, number float32)) {
		for row := range uint32(rows) {
			entry(row, 0, 1)
		}
	})
	m.Dense, m.Sparse = nil, full
	got, placed = decodeViews(t, m)
	placed("values", unsafe.Pointer(&got.Sparse.Value.(Float32s)[0]))

	got, placed = decodeViews(t, rounded(m))
	for name, s := range map[string]Numbers{"values": got.Sparse.Value, "ratios": got.Ratio} {
		placed(name, unsafe.Add(unsafe.Pointer(&s.(*numbers8).codes[0]), -levelBytes))
	}
}

// decodeViews encodes and decodes a model, and gives a function that finds out
// whether an array of it lies in the encoded data.
func decodeViews(t *testing.T, m *Model) (got *Model, placed func(name string, p unsafe.Pointer)) {
	t.Helper()
	data := encode(t, m)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := decode(data)
	runtime.ReadMemStats(&after)
	must.OK(t, err)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16+24*uint64(m.Keys.Size()) {
		t.Errorf("decoding %d bytes allocated %d", len(data), n)
	}
	return got, func(name string, p unsafe.Pointer) {
		t.Helper()
		offset := uintptr(p) - uintptr(unsafe.Pointer(&data[0]))
		if offset >= uintptr(len(data)) || offset%64 != 0 {
			t.Errorf("%s: not in the data, or not aligned: at %#x", name, offset)
		}
	}
}

// TestWriteErrors: whichever write fails, the error comes out, and what was
// written is counted.
func TestWriteErrors(t *testing.T) {
	m := sample()
	whole := encode(t, m)
	mine := errors.New("mine")
	for n := range len(whole) {
		if n%7 != 0 {
			continue
		}
		w := &limited{left: n, err: mine}
		if got, err := m.WriteTo(w); err != mine || got != int64(n) {
			t.Fatalf("room for %d bytes: %d written, error %v", n, got, err)
		}
	}
	if _, err := m.WriteTo(&limited{left: 100}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("a short write without an error: %v", err)
	}
	if n, err := m.WriteTo(io.Discard); err != nil || n != int64(len(whole)) {
		t.Errorf("%d of %d bytes, error %v", n, len(whole), err)
	}
}

// limited is a writer with room for so many bytes.
type limited struct {
	left int
	err  error
}

func (w *limited) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.left -= n
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

// refuses finds out whether a model that is changed so is refused with the message,
// before a byte is written.
func refuses(t *testing.T, model func() *Model, cases map[string]func(m *Model)) {
	t.Helper()
	for message, change := range cases {
		m := model()
		change(m)
		var b bytes.Buffer
		n, err := m.WriteTo(&b)
		if err == nil || !strings.HasPrefix(err.Error(), "model: "+message) || n != 0 || b.Len() != 0 {
			t.Errorf("got error %v and %d bytes, want an error that begins with %q", err, b.Len(), message)
		}
	}
}

// TestValidate: a model whose parts do not fit is refused before a byte is written.
func TestValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	nan32 := float32(nan)
	refuses(t, sample, map[string]func(m *Model){
		"SIZE: a universe of 1099511627777 keys":                    func(m *Model) { m.Universe = 1<<hashing.MaxKeyBits + 1 },
		"SIZE: 0 outputs":                                           func(m *Model) { m.Outputs = 0 },
		"SIZE: 16777217 outputs":                                    func(m *Model) { m.Outputs = MaxOutputs + 1 },
		"TABLE: there must be either":                               func(m *Model) { m.Dense = Float32s{} },
		"META: 1 labels and 3 outputs":                              func(m *Model) { m.Meta.Labels = m.Meta.Labels[:1] },
		"META: 3 labels and 3 outputs: a binary":                    func(m *Model) { m.Meta.Task = "binary" },
		`META: task "guess"`:                                        func(m *Model) { m.Meta.Task = "guess" },
		`META: link "guess"`:                                        func(m *Model) { m.Meta.Link = "guess" },
		"META: link platt needs":                                    func(m *Model) { m.Platt = nil },
		"META: no source":                                           func(m *Model) { m.Meta.Source = "" },
		"META: hashing: Options.Bits must be 8 to 64, got 7":        func(m *Model) { m.Meta.Text.Bits = 7 },
		"META: 9 bits of hash and a universe":                       func(m *Model) { m.Meta.Text.Bits = 9 },
		"META: features of svmlight have no":                        func(m *Model) { m.Meta.Source = "svmlight" },
		"BIAS: number 1 of the section is 1e+300":                   func(m *Model) { m.Bias[1] = 1e300 },
		"BASE: number 2 of the section is -1e+39":                   func(m *Model) { m.Base[2] = -1e39 },
		"META: how the model was made":                              func(m *Model) { m.Meta.Made = json.RawMessage("{") },
		"META: how the model was made is":                           func(m *Model) { m.Meta.Made = json.RawMessage{} },
		`LABELS: label "" is there twice`:                           func(m *Model) { m.Meta.Labels[2] = "" },
		"BIAS: it has 2 numbers":                                    func(m *Model) { m.Bias = m.Bias[:2] },
		"BIAS: number 1 of the section is NaN":                      func(m *Model) { m.Bias[1] = nan },
		"BASE: number 2 of the section is +Inf":                     func(m *Model) { m.Base[2] = inf },
		"THRESH: number 0 of the section is -Inf":                   func(m *Model) { m.Threshold[0] = -inf },
		"PLATT: it has 1 pairs":                                     func(m *Model) { m.Platt = m.Platt[:1] },
		"PLATT: number 3 of the section is NaN":                     func(m *Model) { m.Platt[1].B = nan },
		"IDF: it has 5 numbers":                                     func(m *Model) { m.IDF = m.IDF[:5] },
		"IDF: number 5 of the section is NaN":                       func(m *Model) { m.IDF[5] = nan32 },
		"RATIO: it has 0 numbers":                                   func(m *Model) { m.Ratio = Float32s{} },
		"RATIO: number 5 of the section is NaN":                     func(m *Model) { m.Ratio.(Float32s)[5] = nan32 },
		"OUTPUTS: it has 6 rows up to 6, which should be 6 up to 7": func(m *Model) { m.Sparse.starts[6] = 6 },
		"OUTPUTS: it has 5 rows up to 6, which should be 6 up to 7": func(m *Model) { m.Sparse.starts = m.Sparse.starts[:6] },
		"VALUE: it has 6 numbers, one per output of a row":          func(m *Model) { m.Sparse.Value = m.Sparse.Value.(Float32s)[:6] },
		"VALUE: number 6 of the section is NaN":                     func(m *Model) { m.Sparse.Value.(Float32s)[6] = nan32 },
		"OUTPUTS: row 0 has output 3 of 3":                          func(m *Model) { m.Sparse.outputs[1] = 3 },
		"OUTPUTS: row 0 has output 0 of 3":                          func(m *Model) { m.Sparse.outputs[1] = 0 },
		"NAMES: row 3 follows row 3":                                func(m *Model) { m.Names[0].Row = 3 },
		`NAMES: row 6, named`:                                       func(m *Model) { m.Names[2].Row = 6 },
		`NAMES: row 4294967295, named`:                              func(m *Model) { m.Names[2].Row = math.MaxUint32 },
	})
	refuses(t, tempered, map[string]func(m *Model){
		"META: link temperature needs":         func(m *Model) { m.Temperature = 0 },
		"TEMP: the temperature is NaN":         func(m *Model) { m.Temperature = nan },
		"TEMP: the temperature is -1":          func(m *Model) { m.Temperature = -1 },
		"TEMP: the temperature is 5e-324":      func(m *Model) { m.Temperature = 5e-324 },
		"META: link temperature needs the num": func(m *Model) { m.Meta.Task = "multilabel" },
	})
	refuses(t, sample, map[string]func(m *Model){
		"META: labels are to be all nodes of a tree": func(m *Model) { m.Meta.Closed = "f" },
	})
	refuses(t, ofPaths, map[string]func(m *Model){
		"META: link paths is for labels":            func(m *Model) { m.Meta.Link = "softmax" },
		"META: link paths is for labels that":       func(m *Model) { m.Meta.Paths, m.Meta.Labels = nil, []string{"a", "b", "c", "d"} },
		"META: 3 labels and 4 outputs":              func(m *Model) { m.Meta.Paths = nil },
		`META: task "multilabel"`:                   func(m *Model) { m.Meta.Task = "multilabel" },
		"META: the scale of paths is NaN":           func(m *Model) { m.Meta.Paths.Scale = nan },
		"META: the scale of paths is 1e-07":         func(m *Model) { m.Meta.Paths.Scale = 1e-7 },
		"META: the separator of paths is not":       func(m *Model) { m.Meta.Paths.Separator = "\xff" },
		"META: 4 outputs for 3 nodes and 0":         func(m *Model) { m.Meta.Paths.Inner = nil },
		"META: paths: node 1 can't be":              func(m *Model) { m.Meta.Paths.Inner[0] = 1 },
		"META: paths: node -1 can't":                func(m *Model) { m.Meta.Paths.Inner[0] = -1 },
		"META: paths: the separator of paths":       func(m *Model) { m.Meta.Paths.Separator = "" },
		`META: paths: the path "a/b" follows`:       func(m *Model) { m.Meta.Labels[0] = "b" },
		`META: paths: the path "c/b" has no parent`: func(m *Model) { m.Meta.Labels[2] = "c/b" },
		"META: paths: the label a/ has an":          func(m *Model) { m.Meta.Labels[1] = "a/" },
		"TEMP: the temperature is -1":               func(m *Model) { m.Temperature = -1 },
	})
	refuses(t, grown, map[string]func(m *Model){
		"META: link paths is for":                           func(m *Model) { m.Meta.Link = "sigmoid" },
		"META: a grown tree has no separator, and no inner": func(m *Model) { m.Meta.Paths.Separator = "/" },
		"META: a grown tree has":                            func(m *Model) { m.Meta.Paths.Inner = []int32{0} },
		"META: 4 outputs for 3 nodes of a tree":             func(m *Model) { m.Meta.Paths.Parents = []int32{-1, -1, -1} },
		"META: 4 outputs for 0 nodes of a tree":             func(m *Model) { m.Meta.Paths.Parents = []int32{} },
		"META: paths: node 0 can't have":                    func(m *Model) { m.Meta.Paths.Parents[0] = 2 },
		"META: paths: node 3 can't have":                    func(m *Model) { m.Meta.Paths.Parents[3] = 3 },
		"META: paths: node 3 has no children":               func(m *Model) { m.Meta.Paths.Parents = []int32{-1, -1, -1, -1} },
	})
	for _, task := range []string{"multiclass", "multilabel"} {
		m := grown()
		if m.Meta.Task = task; m.check() != nil {
			t.Errorf("a grown tree of task %s: %v", task, m.check())
		}
	}
	refuses(t, func() *Model { return ruled(Trees) }, map[string]func(m *Model){
		"TABLE: there are weights beside section TREES": func(m *Model) { m.Dense = Float32s{} },
		"TABLE: there is a ratio beside section TREES":  func(m *Model) { m.Ratio = Float32s{} },
		`TABLE: a rule of section "LEAVES"`:             func(m *Model) { m.Rule.Section = "LEAVES" },
		"BASE: a number is not zero":                    func(m *Model) { m.Base[1] = 1 },
	})
	refuses(t, voting, map[string]func(m *Model){
		"TABLE: section NEIGHBRS is for documents": func(m *Model) { m.Rule.Documents = nil },
		"NEIGHBRS: 0 neighbours":                   func(m *Model) { m.Rule.Documents.K = 0 },
		"POSTINGS: row 0 has output 3 of 3": func(m *Model) {
			m.Rule.Documents.Votes, m.Rule.Documents.Numbers = sparseOf([]entry{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}, 3), nil
		},
		"POSTVAL: number 3 of the section is NaN":     func(m *Model) { m.Rule.Documents.Postings.Value.(Float32s)[3] = nan32 },
		"POSTVAL: number 1 is 2.0000000300949324e+30": func(m *Model) { m.Rule.Documents.Postings.Value.(Float32s)[1] = 2e30 },
		"VOTEVAL: number 2 is 0":                      func(m *Model) { m.Rule.Documents.Votes.Value.(Float32s)[2] = 0 },
		"VOTES: document 3 has the labels []":         func(m *Model) { m.Rule.Documents.Votes.starts[3] = 5 },
		"VOTES: row 2 has output 4 of 4":              func(m *Model) { m.Rule.Documents.Votes.outputs[3] = 4 },
		"FACTORS: it has 5 numbers":                   func(m *Model) { m.Rule.Documents.Factors = m.Rule.Documents.Factors[:5] },
		"FACTORS: factor 1 is -1":                     func(m *Model) { m.Rule.Documents.Factors[1] = -1 },
		"NUMBERS: it has 3 numbers, one per document": func(m *Model) { m.Rule.Documents.Numbers = m.Rule.Documents.Numbers[:3] },
		"NUMBERS: document 5 follows document 5":      func(m *Model) { m.Rule.Documents.Numbers[1] = 5 },
		"TABLE: there is a ratio beside section NEIG": func(m *Model) { m.Ratio = Float32s{} },
	})
	refuses(t, plurality, map[string]func(m *Model){
		"FACTORS: there are factors":           func(m *Model) { m.Rule.Documents.Factors = make([]float64, 6) },
		"VOTES: document 2 has the labels [3]": func(m *Model) { m.Rule.Documents.Votes.outputs[2] = 3 },
		"VOTES: document 2 has the labels [1 2]": func(m *Model) {
			m.Rule.Documents.Votes.starts = []int{0, 1, 2, 4, 4}
		},
	})
	m := dense()
	m.Meta.Link = "softmax"
	if _, err := m.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), "softmax") {
		t.Errorf("a binary softmax: %v", err)
	}
	m = dense()
	m.Dense.(Float32s)[1] = nan32
	if _, err := m.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), "DENSE: number 1") {
		t.Errorf("a weight that is none: %v", err)
	}
}
