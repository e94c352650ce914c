package hashing

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The package's meaning once more, as plainly as it can be written: code points
// and strings, one pass per rule. The tests compare everything else with it.

type referenceNgram struct {
	hash uint64
	name string
}

// reference is referenceFamily of all families. Those behind the first have hashes and names of their own, and only
// the first counts invalid bytes.
func reference(o Options, doc []byte) (grams []referenceNgram, invalid int64) {
	grams, invalid = referenceFamily(o, o.Families[0], doc)
	for _, f := range o.Families.List()[1:] {
		o := o
		o.Seed = referenceMix(referenceMix(o.Seed) + (256+map[Tokenizer]uint64{Char: 1, Space: 2, CharWB: 4}[f.Tokenizer])*0x9e3779b97f4a7c15)
		more, _ := referenceFamily(o, f, doc)
		for k := range more {
			more[k].name = f.Tokenizer.String() + ":" + more[k].name
		}
		grams = append(grams, more...)
	}
	for k := range grams {
		if !o.ByWord() {
			break
		}
		grams[k].hash &^= 1 << (64 - o.Bits)
		if len(o.Families.List()) == 1 || strings.HasPrefix(grams[k].name, "char-wb:") {
			grams[k].hash |= 1 << (64 - o.Bits)
		}
	}
	return grams, invalid
}

// referenceByWord returns the distinct hashes of a document, and what each counts where n-grams of CharWB count once for
// each distinct word.
func referenceByWord(o Options, doc []byte) (hashes []uint64, counts []uint32) {
	grams, _ := reference(o, doc)
	hashes, counts = referenceDistinct(grams)
	within := map[uint64]uint32{} // by hash, the number of distinct words
	tokens, _ := referenceChars(o, doc)
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.Join(tokens, ""), func(r rune) bool { return r == ' ' }) {
		if seen[word] {
			continue
		}
		seen[word] = true
		grams, _ := reference(o, []byte(word))
		before := slices.IndexFunc(grams, func(g referenceNgram) bool { return g.name == " " || g.name == "char-wb: " })
		for k, g := range grams {
			if k != before { // the space before the word is the one behind another
				within[g.hash]++
			}
		}
	}
	for k, h := range hashes {
		if counts[k] = 1; o.WithinWord(Key(h, o.Bits)) {
			counts[k] = within[h]
		}
	}
	return hashes, counts
}

func referenceFamily(o Options, f Family, doc []byte) (grams []referenceNgram, invalid int64) {
	var tokens []string
	switch f.Tokenizer {
	case Word:
		tokens, invalid = referenceWords(o, doc)
	case Char, CharWB:
		tokens, invalid = referenceChars(o, doc)
	case Space:
		tokens, invalid = referenceFields(o, doc)
	}
	joint := " "
	if f.Tokenizer == Char || f.Tokenizer == CharWB {
		joint = ""
	}
	for p := range tokens {
		for n := f.NgramLo; n <= f.NgramHi && n <= p+1; n++ {
			part := tokens[p+1-n : p+1]
			if f.Tokenizer == CharWB && n > 2 && slices.Contains(part[1:n-1], " ") {
				continue
			}
			grams = append(grams, referenceNgram{referenceHash(o.Seed, part), strings.Join(part, joint)})
		}
	}
	return grams, invalid
}

// A document is first a list of code points, of which two are ours.
const (
	badByte  rune = -1 // stands for an invalid byte
	tagSpace rune = -2 // stands for a tag
)

func referenceRunes(o Options, doc []byte) []rune {
	var runes []rune
	for i := 0; i < len(doc); {
		if n := referenceTag(string(doc[i:])); o.StripHTML && n > 0 {
			runes = append(runes, tagSpace)
			i += n
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		if r == utf8.RuneError && size == 1 {
			r = badByte
		}
		i += size
		if !o.Lowercase || r < 0 {
			runes = append(runes, r)
			continue
		}
		r = unicode.ToLower(r)
		if r == 'ς' {
			r = 'σ'
		}
		if r == '\u0307' && len(runes) > 0 && runes[len(runes)-1] == 'i' {
			continue
		}
		runes = append(runes, r)
	}
	return runes
}

// referenceTag is the length of the tag at the start of s, or 0.
func referenceTag(s string) int {
	if len(s) < 3 || s[0] != '<' || !strings.ContainsRune("/!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", rune(s[1])) {
		return 0
	}
	end := strings.Index(s, ">")
	if end < 0 || end+1 > 1024 {
		return 0
	}
	return end + 1
}

func referenceWords(o Options, doc []byte) (tokens []string, invalid int64) {
	runes := referenceRunes(o, doc)
	isWord := func(i int) bool {
		return i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.In(runes[i], unicode.Nd, unicode.Nl)) && !referenceAlone(runes[i])
	}
	for i := 0; i < len(runes); {
		r := runes[i]
		i++
		switch {
		case r == badByte:
			invalid++
		case r < 0:
		case isWord(i - 1):
			token := string(r)
			for i < len(runes) {
				next := runes[i]
				if (next == '\'' || next == '’') && isWord(i+1) {
					next = '\''
				} else if !isWord(i) && !unicode.IsMark(next) {
					break
				}
				token += string(next)
				i++
			}
			tokens = append(tokens, token)
		case referenceAlone(r) && !unicode.IsMark(r):
			token := string(r)
			for i < len(runes) && unicode.IsMark(runes[i]) {
				token += string(runes[i])
				i++
			}
			tokens = append(tokens, token)
		case o.Punctuation:
			for _, list := range []string{"!！", "?？", ".。．｡", ",，、､", ";；", ":：", "(（", ")）", "\"“”„‟«»＂「」『』｢｣", "…"} {
				if strings.ContainsRune(list, r) {
					first, _ := utf8.DecodeRuneInString(list)
					tokens = append(tokens, string(first))
				}
			}
		}
	}
	return tokens, invalid
}

func referenceAlone(r rune) bool {
	if !unicode.In(r, unicode.L, unicode.Nd, unicode.Nl) {
		return false
	}
	for _, script := range []string{"Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"} {
		if unicode.Is(unicode.Scripts[script], r) {
			return true
		}
	}
	return strings.ContainsRune("〆〱〲〳〴〵〼ーｰﾞﾟ", r)
}

func referenceChars(o Options, doc []byte) (tokens []string, invalid int64) {
	runes := append([]rune{' '}, append(referenceRunes(o, doc), ' ')...)
	for _, r := range runes {
		if r == badByte {
			invalid++
		}
		if r < 0 || unicode.IsSpace(r) {
			r = ' '
		}
		if r == ' ' && len(tokens) > 0 && tokens[len(tokens)-1] == " " {
			continue
		}
		tokens = append(tokens, string(r))
	}
	if len(tokens) == 1 {
		return nil, invalid
	}
	return tokens, invalid
}

func referenceFields(o Options, doc []byte) (tokens []string, invalid int64) {
	// Invalid bytes are kept, so code points from 0x110000 on stand for them
	// until all else is done.
	const keepByte = unicode.MaxRune + 1
	var token []rune
	flush := func() {
		if len(token) == 0 {
			return
		}
		var b []byte
		for _, r := range token {
			if r >= keepByte {
				b = append(b, byte(r-keepByte))
			} else {
				b = utf8.AppendRune(b, r)
			}
		}
		tokens, token = append(tokens, string(b)), nil
	}
	var bad []byte
	for i := 0; i < len(doc); {
		if n := referenceTag(string(doc[i:])); o.StripHTML && n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		if r == utf8.RuneError && size == 1 {
			bad = append(bad, doc[i])
		}
		i += size
	}
	for _, r := range referenceRunes(o, doc) {
		switch {
		case r == tagSpace || r >= 0 && strings.ContainsRune(" \t\n\v\f\r", r):
			flush()
		case r == badByte:
			token = append(token, keepByte+rune(bad[invalid]))
			invalid++
		default:
			token = append(token, r)
		}
	}
	flush()
	return tokens, invalid
}

// The hash as the package comment has it.

func referenceMix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return x
}

func referenceKey(seed, i uint64) uint64 {
	return referenceMix(referenceMix(seed) + i*0x9e3779b97f4a7c15)
}

func referenceToken(seed uint64, token string) uint64 {
	word := func(s string) (x uint64) {
		for i := 7; i >= 0; i-- {
			x = x<<8 | uint64(s[i])
		}
		return x
	}
	var parts []string
	if len(token) <= 16 {
		parts = []string{token + strings.Repeat("\x00", 16-len(token))}
	} else {
		for i := 0; i < len(token)-16; i += 16 {
			parts = append(parts, token[i:i+16])
		}
		parts = append(parts, token[len(token)-16:])
	}
	var s uint64
	for _, p := range parts {
		hi, lo := bits.Mul64(referenceKey(seed, 1)^word(p), referenceKey(seed, 2)^word(p[8:])^s)
		s = hi ^ lo
	}
	return s + uint64(len(token))*0x9e3779b97f4a7c15
}

func referenceHash(seed uint64, tokens []string) (h uint64) {
	for i, t := range tokens {
		h = referenceMix(h + referenceToken(seed, t) + referenceKey(seed, uint64(17+i)))
	}
	return h
}

func referenceDistinct(grams []referenceNgram) (hashes []uint64, counts []uint32) {
	for _, g := range grams {
		k := slices.Index(hashes, g.hash)
		if k < 0 {
			k = len(hashes)
			hashes, counts = append(hashes, g.hash), append(counts, 0)
		}
		counts[k]++
	}
	return hashes, counts
}
