// Package hashing turns text into the 64-bit hashes of its n-grams.
//
// # Tokens
//
// A document is bytes, taken as UTF-8. An invalid byte is counted (see
// Extractor.InvalidBytes) and never fatal.
//
// Word: a token is a maximal run of letters (Unicode L), marks (M) and digits
// (Nd, Nl) that does not begin with a mark. An apostrophe, ' or U+2019, within it
// and before a letter or digit is part of it, and counts as '. Characters of the
// scripts Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar are not joined:
// each is a token of its own, with the marks that follow it. A mark after anything
// else (as the variation selector after an emoji) separates. With Punctuation,
// each of
//
//	! ? . , ; : ( ) " …
//
// is a token of its own, however many stand in a row; the typographic quotes
// “ ” „ ‟ « » count as ", and the CJK forms ！ ？ 。 ． ， 、 ； ： （ ） ＂ 「 」 『 』
// (and ｡ ､ ｢ ｣) as the mark they stand for. Everything else separates, invalid
// bytes too.
//
// Char: a token is a code point. Runs of white space, and of invalid bytes, are
// one space; the two ends of a document count as white space too, so that the
// first and the last word look like any other. A document of nothing else has
// no tokens.
//
// CharWB: tokens are those of Char, but an n-gram has a space at its ends alone:
// n-grams are of one word, with its edges marked.
//
// Space: a token is what stands between ASCII white space (space, \t, \n, \v,
// \f, \r), byte by byte; invalid bytes are kept.
//
// Lowercase folds letters one by one as unicode.ToLower does, and ς to σ. The
// capital İ becomes i, and U+0307, which other tools leave behind an i when they
// lower it, is dropped there. The tables are those of the Go release that
// compiled the program: they grow with Unicode, but a letter keeps its class.
//
// StripHTML makes a tag count as white space: a < followed by an ASCII letter, / or !,
// up to the next >, if that makes at most 1 KiB. Other angle brackets are ordinary
// characters, and entities are left as they are.
//
// # Hashes
//
// All arithmetic is modulo 2^64, words are little-endian, and mum(a, b) is the
// exclusive or of the two halves of the 128-bit product of a and b. With
//
//	mix(x): x ^= x>>30; x *= 0xbf58476d1ce4e5b9; x ^= x>>27; x *= 0x94d049bb133111eb; x ^= x>>31
//	g       = 0x9e3779b97f4a7c15
//	key(i)  = mix(mix(seed) + i·g)
//
// a token of n bytes, after folding, has the hash
//
//	n <= 16: t = mum(key(1)^a, key(2)^b) + n·g
//
// where a and b are its bytes, padded to 16 with zeros. A longer token has a state
// s, first 0: for every 16 bytes but the last 1 to 16, s = mum(key(1)^a,
// key(2)^b^s), and then once more with the last 16 bytes, which may overlap those
// before, + n·g. The n-gram of the tokens t1 ... tn has the hash
//
//	h1 = mix(t1 + key(16+1))
//	hn = mix(h(n-1) + tn + key(16+n))
//
// and its key, the feature number, is the top bits of it. No step depends on the
// n-gram before, so that any number of positions may be computed at once.
//
// Where a document has n-grams of several families ([Options.Families]), those of the
// first have these hashes. Those of another have them with the seed
// mix(mix(seed) + (256+t)·g), where t is 0 for word, 1 for char, 2 for space and 4 for
// char-wb, so that no n-gram of one family is that of another. Where there are n-grams of
// char-wb, the lowest bit of a key is 1 for these, and 0 for others.
package hashing
