package hashing

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// allOptions are enough combinations to meet every rule with every other.
func allOptions() []Options {
	var all []Options
	for _, tokenizer := range []Tokenizer{Word, Char, Space, CharWB} {
		for flags := range 8 {
			for _, order := range [][2]int{{1, 2}, {1, 1}, {1, 3}, {2, 5}, {3, 3}, {1, 8}, {8, 8}} {
				o := DefaultOptions()
				o.Families[0].Tokenizer = tokenizer
				o.Lowercase, o.Punctuation, o.StripHTML = flags&1 != 0, flags&2 != 0, flags&4 != 0
				o.Families[0].NgramLo, o.Families[0].NgramHi = order[0], order[1]
				o.Seed = uint64(flags)
				all = append(all, o)
			}
		}
	}
	for flags := range 8 {
		for _, families := range [][]Family{
			{{Word, 1, 2}, {CharWB, 2, 5}},
			{{Word, 1, 1}, {Char, 1, 3}},
			{{Char, 2, 2}, {CharWB, 1, 2}},
			{{Word, 2, 3}, {Char, 3, 4}, {Space, 1, 2}, {CharWB, 1, 1}},
		} {
			o := DefaultOptions()
			var err error
			o.Families, err = NewFamilies(families...)
			if err != nil {
				panic(err)
			}
			o.Lowercase, o.Punctuation, o.StripHTML = flags&1 != 0, flags&2 != 0, flags&4 != 0
			all = append(all, o)
		}
	}
	return all
}

// newExtractor makes one of whole hashes.
func newExtractor(t testing.TB, o Options) *Extractor {
	t.Helper()
	o.Bits = MaxBits
	e, err := NewExtractor(o)
	must.OK(t, err)
	return e
}

// compare checks every method of e on doc against the reference.
func compare(t *testing.T, e *Extractor, doc []byte) {
	t.Helper()
	grams, wantInvalid := reference(e.options, doc)
	var want []uint64
	for _, g := range grams {
		want = append(want, g.hash)
	}
	fail := func(what string) {
		t.Helper()
		t.Fatalf("%s differs from the reference on %q with %+v", what, doc, e.options)
	}

	before := e.InvalidBytes()
	got := e.AppendHashes([]uint64{7}, doc)
	if got[0] != 7 || !slices.Equal(got[1:], want) {
		fail("AppendHashes")
	}
	if n := e.InvalidBytes() - before; n != wantInvalid {
		t.Fatalf("InvalidBytes counts %d, reference %d, on %q with %+v", n, wantInvalid, doc, e.options)
	}

	before = e.InvalidBytes()
	k := 0
	for h, name := range e.Ngrams(doc) {
		if k >= len(grams) || grams[k].hash != h || grams[k].name != string(name) {
			fail("Ngrams")
		}
		k++
	}
	if k != len(grams) {
		fail("Ngrams")
	}
	k = 0
	for name, tokens := range e.Spans(doc) {
		end := 0
		for _, t := range tokens {
			if t.Begin < end || t.End < t.Begin || t.End > len(doc) {
				fail("Spans")
			}
			end = t.End
		}
		if k >= len(grams) || grams[k].name != string(name) {
			fail("Spans")
		}
		k++
	}
	const missing = 1 // as a hash
	hashes, names := []uint64{missing}, []string{""}
	for k := 0; k < len(grams); k += 1 + len(grams)/5 {
		hashes, names = append(hashes, grams[k].hash), append(names, grams[k].name)
	}
	for k, name := range e.Spell(doc, hashes) {
		if string(name) != names[k] || (name == nil) != (k == 0) {
			fail("Spell")
		}
	}
	if e.InvalidBytes() != before {
		t.Fatal("Ngrams or Spell count invalid bytes")
	}

	wantHashes, wantCounts := referenceDistinct(grams)
	hashes, counts := e.AppendDistinct([]uint64{7, 7}, []uint32{9}, doc)
	if !slices.Equal(hashes[2:], wantHashes) || !slices.Equal(counts[1:], wantCounts) || hashes[0] != 7 || counts[0] != 9 {
		fail("AppendDistinct with counts")
	}
	hashes, counts = e.AppendDistinct(nil, nil, doc)
	if !slices.Equal(hashes, wantHashes) || counts != nil {
		fail("AppendDistinct without counts")
	}
	if !e.options.ByWord() {
		return
	}
	wantHashes, wantCounts = referenceByWord(e.options, doc)
	hashes, counts = e.AppendByWord([]uint64{7, 7}, []uint32{9}, doc)
	if !maps.Equal(countsOf(hashes[2:], counts[1:]), countsOf(wantHashes, wantCounts)) || len(hashes) != len(wantHashes)+2 ||
		hashes[0] != 7 || counts[0] != 9 {
		fail("AppendByWord")
	}
	var across []uint64
	for _, h := range e.AppendHashes(nil, doc) {
		if !e.options.WithinWord(Key(h, e.options.Bits)) {
			across = append(across, h)
		}
	}
	if got, err := e.AppendAcross(nil, doc, nil); err != nil || !slices.Equal(got, across) {
		fail("AppendAcross")
	}
}

func countsOf(hashes []uint64, counts []uint32) map[uint64]uint32 {
	all := map[uint64]uint32{}
	for k, h := range hashes {
		all[h] = counts[k]
	}
	return all
}

// seams are documents at which something begins, ends or almost does. The sums
// of TestGoldenSums are over them: a new document changes the sums, and is the
// only thing that may.
func seams() []string {
	docs := []string{
		"", " ", "\n\t ", "a", "I", "!", "...", "Don't panic!", "it’s 'quoted' rock'n'roll, y'all'", "don''t a'",
		"couldn't've shouldn't abcdefg'h abcdefgh'i abcdefghijklmno'p abcdefghijklmnop'q",
		"under_score e-mail a@b.c 3.14 1,000 C++ $5", "«Quoted» “text” „hier‟ ‘single’ … ... …!",
		"Ünïcödé ΣΊΣΥΦΟΣ Σίσυφος STRASSE straße ẞ Ⅷ ǅ K Å", "İstanbul i̇stanbul I\u0307 i\u0307\u0307 ı \u0307i j\u0307",
		"e\u0301te\u0301 l'e\u0301te\u0301 \u0301x '\u0301 e\u0301's", "❤️love 1️⃣ ☺ 👍🏽", "日本語テキスト、です。「はい」！",
		"ภาษาไทย ພາສາລາວ ភាសាខ្មែរ မြန်မာ", "한국어 텍스트", "データー ｶﾞ ﾃﾞｰﾀ 〆切 々 〇 人々abc漢字def", "中a'b中'c'中",
		"क्षेत्र العربية؟ עברית", "𝔘𝔫𝔦 𐐀𐐨 𠀀𠀁 😀", "a\u00a0b\u2003c\u3000d\u0085e", "\ufeffbom", "a\x00b\x00", "\x00", "a\x00 a",
		"bad \xff\xfe bytes \xc3( \xe2\x82 \xf0\x9f\x98", "i\xff\u0307", "a\xffb", "\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\xaf \xe0\x80\x80",
		"<b>bold</b> a<br />b <3 < c <!-- x --> <", "x<y z", "<a", "<a>", "</", "</>", "<!>", "<p\xff>", "i<b>\u0307", "<<b>>",
		"<a " + strings.Repeat("x", 1020) + ">y", "<a " + strings.Repeat("x", 1021) + ">y", strings.Repeat("<a", 600) + ">",
		strings.Repeat("<b ", 2000), strings.Repeat("<b>", 500) + "x",
		strings.Repeat("a", 100), strings.Repeat("é", 100), strings.Repeat("!", 1200), strings.Repeat("a ", 1100),
		strings.Repeat("漢", 1100), "a" + strings.Repeat("b c", 600), "ab" + strings.Repeat("i ", 600), strings.Repeat(" ", 1000) + "x",
	}
	for n := range 40 {
		word := strings.Repeat("Abcdefghij0123456789", 3)[:n]
		docs = append(docs, word, word+" ", word+"'s", word+"é", word+"!", " "+word, word+"' "+word, word+"’T", word+"\xff",
			strings.Repeat("x", 30)+" "+word+" Y", "aé "+word+" bc")
	}
	return docs
}

func TestAgainstReference(t *testing.T) {
	for i, o := range allOptions() {
		e := newExtractor(t, o)
		for k, doc := range seams() {
			// A seventeenth of the pairs; over the documents all options come.
			if (i+k)%17 != 0 {
				continue
			}
			compare(t, e, []byte(doc))
		}
	}
}

// pieces are what random documents are made of.
var pieces = []string{
	"|", "|t ", ":2", ":0", ":-2.5", " x:1e-3", " ", " ", " ", "\n", "\t", "'", "’", ".", "!", "…", "“", "」", "<b>", "</i>", "<", ">", "<a ", "_", "-", "\x00", "\xff", "\xe2\x82", "\xc3",
	"a", "I", "i", "it", "Word", "AZaz", "Zürich", "don't", "42", "7", "longerword", "averylongwordindeed", strings.Repeat("Xy", 20),
	"é", "Ü", "Σ", "ς", "İ", "ı", "\u0307", "\u0301", "한", "漢", "字", "ー", "か", "\u3099", "ท", "ี่", "က", "ို", "😀", "\ufe0f", "\u200d", "\u00a0", "\u3000", "𐐀", "𠀀", "𝟘",
}

func randomDoc(r *rand.Rand) []byte {
	var b []byte
	n := r.IntN(60)
	if n == 0 {
		n = 3 * blockTokens
	}
	for range n {
		b = append(b, pieces[r.IntN(len(pieces))]...)
	}
	return b
}

func TestRandomAgainstReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := allOptions()
	for range 1500 {
		compare(t, newExtractor(t, all[r.IntN(len(all))]), randomDoc(r))
	}
}

func TestEveryCodePointAgainstReference(t *testing.T) {
	for _, tokenizer := range []Tokenizer{Word, Char} {
		o := DefaultOptions()
		o.Families[0].Tokenizer = tokenizer
		e := newExtractor(t, o)
		step := rune(1)
		if testing.Short() {
			step = 37
		}
		for r := rune(0); r < 0x20000; r += 16 * step {
			var doc []byte
			for k := range rune(16) {
				doc = fmt.Appendf(doc, "a%cb'%c %c ", r+k, r+k, r+k)
			}
			compare(t, e, doc)
		}
	}
}

func TestDistinctOfManyDocuments(t *testing.T) {
	o := DefaultOptions()
	e := newExtractor(t, o)
	r := rand.New(rand.NewPCG(5, 6))
	// Small after large, and over again, so that the table grows, shrinks and is
	// cleared with old entries in it.
	for i, size := range []int{3, 50000, 5, 700, 100, 20000, 0, 10, 200000, 30} {
		var doc []byte
		for range size {
			doc = fmt.Appendf(doc, "w%d ", r.IntN(size))
		}
		want := map[uint64]uint32{}
		var order []uint64
		for _, h := range e.AppendHashes(nil, doc) {
			if want[h] == 0 {
				order = append(order, h)
			}
			want[h]++
		}
		hashes, counts := e.AppendDistinct(nil, []uint32{}, doc)
		if !slices.Equal(hashes, order) {
			t.Fatalf("document %d: hashes are not those distinct, in order", i)
		}
		for k, h := range hashes {
			if counts[k] != want[h] {
				t.Fatalf("document %d: n-gram %d counted %d times, want %d", i, k, counts[k], want[h])
			}
		}
	}
	if n := 4 * len(e.seen.entries); n > keep {
		t.Errorf("%d bytes of table are kept, want at most %d", n, keep)
	}
}

func TestScratchIsGivenBack(t *testing.T) {
	e := newExtractor(t, DefaultOptions())
	e.AppendDistinct(nil, nil, bytes.Repeat([]byte("x"), keep+1))
	if n := cap(e.families[0].normal); n > keep {
		t.Errorf("%d bytes of a long word are kept", n)
	}
}

// TestLinearTime: documents made to be slow take no longer than others.
func TestLinearTime(t *testing.T) {
	const size = 1 << 19
	for _, unit := range []string{"<a", "<a ", "'", "a'", "\u0301", "\xff", "i\u0307", "…", "漢\u0301", "<", " ", "\x00"} {
		doc := bytes.Repeat([]byte(unit), size/len(unit))
		for _, tokenizer := range []Tokenizer{Word, Char, Space} {
			o := DefaultOptions()
			o.Families[0].Tokenizer, o.StripHTML = tokenizer, true
			e := newExtractor(t, o)
			start := time.Now()
			e.AppendDistinct(nil, nil, doc)
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("%v: 512 KiB of %q take %v", tokenizer, unit, d)
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	if must.RaceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	for _, tokenizer := range []Tokenizer{Word, Char, Space} {
		o := DefaultOptions()
		o.Families[0].Tokenizer = tokenizer
		e := newExtractor(t, o)
		doc := []byte(strings.Repeat("Some words, naïve ones, don't allocate 漢字. ", 30))
		hashes, counts := e.AppendDistinct(nil, []uint32{}, doc)
		all := e.AppendHashes(nil, doc)
		if n := testing.AllocsPerRun(20, func() {
			hashes, counts = e.AppendDistinct(hashes[:0], counts[:0], doc)
			all = e.AppendHashes(all[:0], doc)
		}); n != 0 {
			t.Errorf("%v: %v allocations a document, want none", tokenizer, n)
		}
	}
}

func TestNgramsStops(t *testing.T) {
	e := newExtractor(t, DefaultOptions())
	n := 0
	for range e.Ngrams([]byte("a b c")) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("stopped after %d, want 2", n)
	}
	// Other calls in between do not disturb it.
	var names []string
	for _, name := range e.Ngrams([]byte("one two")) {
		e.AppendHashes(nil, []byte("something else, ängstlich"))
		names = append(names, string(name))
	}
	if want := []string{"one", "two", "one two"}; !slices.Equal(names, want) {
		t.Errorf("names are %q, want %q", names, want)
	}
}

func FuzzExtractor(f *testing.F) {
	for i, doc := range seams() {
		f.Add([]byte(doc), uint16(i))
	}
	all := allOptions()
	f.Fuzz(func(t *testing.T, doc []byte, choice uint16) {
		if len(doc) > 1<<12 {
			return // the reference is slow
		}
		e := newExtractor(t, all[int(choice)%len(all)])
		compare(t, e, doc)
		offset := int(choice>>8) % 9
		buf := append(make([]byte, offset), doc...)
		want := e.AppendHashes(nil, doc)
		for _, after := range []byte{'x', '\'', 0x80, '>'} {
			buf = append(buf[:offset+len(doc)], bytes.Repeat([]byte{after}, 40)...)
			if !slices.Equal(e.AppendHashes(nil, buf[offset:offset+len(doc)]), want) {
				t.Fatalf("%q: other hashes when followed by %q", doc, after)
			}
		}
	})
}

// TestSpans: the part of a document that is a token is that token if it stands alone.
func TestSpans(t *testing.T) {
	for _, tokenizer := range []Tokenizer{Word, Char, CharWB, Space} {
		for _, html := range []bool{false, true} {
			o := DefaultOptions()
			o.Families[0].Tokenizer, o.Families[0].NgramLo, o.Families[0].NgramHi, o.StripHTML = tokenizer, 1, 1, html
			e, alone := newExtractor(t, o), newExtractor(t, o)
			for _, doc := range seams() {
				for name, tokens := range e.Spans([]byte(doc)) {
					token := string(name)
					if tokenizer.Characters() && token == " " {
						continue
					}
					found := false
					for _, name := range alone.Ngrams([]byte(doc[tokens[0].Begin:tokens[0].End])) {
						found = found || string(name) == token
					}
					if !found && token != "" {
						t.Errorf("%v of %q: the token %q is said to be %q", tokenizer, doc, name, doc[tokens[0].Begin:tokens[0].End])
					}
				}
			}
		}
	}
}

// TestBits: hashes of fewer bits are those of all bits without the rest, and distinct where they are said to be.
func TestBits(t *testing.T) {
	for _, text := range []string{"To be, or not to be: that is the question"} {
		for _, bits := range []int{MinBits, 17, 40, 63} {
			o := DefaultOptions()
			whole := newExtractor(t, o)
			o.Bits = bits
			e, err := NewExtractor(o)
			if err != nil {
				t.Fatal(err)
			}
			want := whole.AppendHashes(nil, []byte(text))
			for i := range want {
				want[i] = Key(want[i], bits) << (MaxBits - bits)
			}
			if got := e.AppendHashes(nil, []byte(text)); !slices.Equal(got, want) {
				t.Errorf("%d bits: %x, want %x", bits, got, want)
			}
			var named []uint64
			for h := range e.Ngrams([]byte(text)) {
				named = append(named, h)
			}
			if !slices.Equal(named, want) {
				t.Errorf("%d bits: names of %x, want %x", bits, named, want)
			}
			slices.Sort(want)
			want = slices.Compact(want)
			distinct, _ := e.AppendDistinct(nil, []uint32{}, []byte(text))
			if slices.Sort(distinct); !slices.Equal(distinct, want) {
				t.Errorf("%d bits: distinct %x, want %x", bits, distinct, want)
			}
		}
	}
}

// TestWithinWord: the lowest bit of a key tells n-grams within words from others, and nothing else of a key changes.
func TestWithinWord(t *testing.T) {
	o := DefaultOptions()
	o.Families = Families{{Word, 1, 2}, {CharWB, 2, 5}}
	doc := []byte("To be, or not to be: that is the question")
	whole := o
	whole.Bits = MaxBits
	want := newExtractor(t, whole).AppendHashes(nil, doc)
	e, err := NewExtractor(o)
	if err != nil {
		t.Fatal(err)
	}
	within := map[bool]int{}
	k := 0
	for h, name := range e.Ngrams(doc) {
		key := Key(h, o.Bits)
		if key>>1 != Key(want[k], o.Bits)>>1 || h != key<<(MaxBits-o.Bits) {
			t.Fatalf("%s has the hash %x, want the bits of %x", name, h, want[k])
		}
		if is := bytes.HasPrefix(name, []byte("char-wb:")); is != o.WithinWord(key) {
			t.Errorf("%s is said to be within a word: %t", name, !is)
		}
		within[o.WithinWord(key)]++
		k++
	}
	if within[true] == 0 || within[false] == 0 {
		t.Errorf("n-grams within words, and others: %v", within)
	}
}
