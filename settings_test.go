package nbsvm

import (
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// TestTaken: what a kind of model takes is an option, and not one that all kinds take.
func TestTaken(t *testing.T) {
	for _, k := range kinds {
		for _, option := range strings.Fields(k.takes) {
			if optionNamed(option) == nil || len(kindsTaking(option)) == len(kinds) {
				t.Errorf("%s takes %q, which is no option, or one of all kinds", k.kind, option)
			}
		}
	}
}

// TestTreeChosen: auto grows a tree for very many classes, and for fewer where it saves much: not with few documents,
// several labels a document, or one class far larger than others.
func TestTreeChosen(t *testing.T) {
	for _, test := range []struct {
		kind      Kind
		classes   int
		documents int64
		largest   float64
		several   bool
		want      Tree
	}{
		{NBSVM, 2, 1 << 40, 0.5, false, NeverTree},
		{NBSVM, 63, 1 << 40, 0.02, false, NeverTree},
		{NBSVM, 64, 1 << 20, 0.24, false, AlwaysTree},
		{NBSVM, 64, 1<<20 - 1, 0.02, false, NeverTree},
		{NBSVM, 64, 1 << 20, 0.25, false, NeverTree},
		{NBSVM, 64, 1 << 20, 0.02, true, NeverTree},
		{NBSVM, 2000, 40000, 0.001, false, AlwaysTree},
		{SVM, 2000, 40000, 0.001, false, NeverTree},
		{SVM, 512, 512 * 512, 0.01, false, AlwaysTree},
		{Logistic, 512, 512*512 - 1, 0.01, false, NeverTree},
		{SVM, 4096, 5000, 0.001, false, AlwaysTree},
		{NBSVM, 4095, 4000, 0.001, false, NeverTree},
		{NBSVM, 4096, 5000, 0.5, true, AlwaysTree},
		{NBSVM, 4096, 5000, 0.5, false, AlwaysTree},
	} {
		got := AutoTree.chosenFor(test.kind, test.classes, test.documents, test.largest, test.several)
		if got != test.want {
			t.Errorf("%+v: auto is %q", test, got)
		}
		for _, tree := range []Tree{"", AlwaysTree, NeverTree} {
			if got := tree.chosenFor(test.kind, test.classes, test.documents, test.largest, test.several); got != tree {
				t.Errorf("%q became %q", tree, got)
			}
		}
	}
}

// TestMinDF: rare n-grams are left out of very many documents alone, and not where classes are small.
func TestMinDF(t *testing.T) {
	many := func(classes int, documents int64) (sizes []int64) {
		for range classes {
			sizes = append(sizes, documents/int64(classes))
		}
		return sizes
	}
	words, chars := hashing.DefaultOptions(), hashing.DefaultOptions()
	chars.Families[0].Tokenizer = hashing.Char
	for _, test := range []struct {
		documents  int64
		classes    []int64
		want       int
		characters int
	}{
		{0, nil, 2, 2},
		{24_575, many(2, 24_575), 2, 2},
		{24_576, many(2, 24_576), 2, 3},
		{1 << 40, nil, 1 << 12, 256}, // of no classes
		{589_823, many(2, 589_823), 2, 71},
		{589_824, many(2, 589_824), 3, 72},
		{1 << 22, many(2, 1<<22), 8, 256},
		{1 << 20, many(1<<16, 1<<20), 2, 2}, // 16 documents each
		{1 << 20, many(1<<10, 1<<20), 4, 32},
		{1 << 22, many(1<<14, 1<<22), 4, 8}, // 256 documents each
		{1 << 20, []int64{1, 1<<20 - 1}, 2, 2},
		{1 << 20, append(many(19, 1<<20-1), 1), 4, 128},    // one mistaken label
		{1 << 20, append(many(9, 1<<20-128), 128), 4, 128}, // one of ten classes is small
		{1 << 20, append(many(8, 1<<20-256), 128, 128), 2, 4},
	} {
		for text, want := range map[*hashing.Options]int{&words: test.want, &chars: test.characters} {
			if got := autoMinDF(*text, test.documents, 0, test.classes); got != want {
				t.Errorf("%s, %d documents, %d classes: %d, want %d", text.Families[0].Tokenizer, test.documents, len(test.classes), got, want)
			}
		}
	}
}

// TestMinDFOfTrigrams: where much text led to trigrams, the amount of text counts.
func TestMinDFOfTrigrams(t *testing.T) {
	text := hashing.DefaultOptions()
	text.Families[0].NgramHi = 3
	for _, test := range []struct {
		text    int64
		classes []int64
		want    int
	}{
		{6_000_000, []int64{3000, 3000}, 2},
		{16_600_000, []int64{6250, 6250}, 3},
		{33_200_000, []int64{12_500, 12_500}, 5},
		{33_200_000, []int64{24_900, 100}, 2}, // a class is small
		{640_000_000_000, []int64{1 << 28, 1 << 28}, 707},
	} {
		bytes := trigramText(NBSVM, true, text, test.text)
		if got := autoMinDF(text, test.classes[0]+test.classes[1], bytes, test.classes); got != test.want {
			t.Errorf("%d bytes of %d documents: %d, want %d", test.text, test.classes, got, test.want)
		}
	}
	bigrams, chars := hashing.DefaultOptions(), text
	chars.Families[0].Tokenizer = hashing.Char
	if trigramText(NBSVM, false, text, 1) != 0 || trigramText(Multinomial, true, text, 1) != 0 || trigramText(NBSVM, true, bigrams, 1) != 0 ||
		trigramText(NBSVM, true, chars, 1) != 0 || trigramText(SVM, true, text, 1) != 1 {
		t.Error("text counts where trigrams were asked for, or in other models")
	}
}
