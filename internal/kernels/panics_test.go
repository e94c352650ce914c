package kernels

import "testing"

// TestPanics: arguments that do not fit each other are refused, by every implementation, before anything is read or
// written beside them.
func TestPanics(t *testing.T) {
	bytes, shorts, ids, hashes, floats, sums := make([]uint8, 9), make([]uint16, 16), make([]uint32, 9), make([]uint64, 9), make([]float32, 64), make([]int32, 32)
	found, lines, seen, entries, rows := new(Found), make([]BucketLine, 8), NewSeen(65), make([]Entry, 66), []uint32{3, 66}
	w := NewWords(textClasses(), 0, 1, 2)
	w.Split([]byte("two words"))
	chars := NewChars(testFolds, 0xff, 3, 5)
	folding := func(other rune) *CharFolds {
		return NewCharFolds(func(r rune) rune {
			if r == other {
				return r + 1
			}
			return testFold(r)
		}, testPlain)
	}
	spans, many := NewSpanBuckets(7), NewSpanBuckets(65)
	find := func(starts, least, most int) {
		spans.Find(new(FoundSpans), new(SpanText), new(ChosenSpans), starts, least, most, nil)
	}
	calls := map[string]func(){
		"MulMatrix of 31 rows":            func() { MulMatrix(floats[:31], floats[:31], floats[:1]) },
		"DotTiles of three columns":       func() { DotTiles(make([]float64, 3), new(Tile), make([]Tile, 3)) },
		"DotTiles with too many sums":     func() { DotTiles(make([]float64, 8), new(Tile), make([]Tile, 4)) },
		"MulMatrix of too much":           func() { MulMatrix(floats[:32], floats[:33], floats[:1]) },
		"Exps of seven":                   func() { Exps(floats[:7]) },
		"MarkDistinct, too few marks":     func() { MarkDistinct(bytes[:8], ids, hashes, shorts, 1) },
		"MarkDistinct, too few left":      func() { MarkDistinct(bytes, ids[:8], hashes, shorts, 1) },
		"MarkDistinct, no power of two":   func() { MarkDistinct(bytes, ids, hashes, shorts[:15], 1) },
		"MarkDistinct, too small a table": func() { MarkDistinct(bytes, ids, hashes, shorts[:1], 1) },
		"MarkDistinct, too many": func() {
			MarkDistinct(make([]uint8, MaxDistinct+1), make([]uint32, MaxDistinct+1), make([]uint64, MaxDistinct+1), shorts, 1)
		},
		"CountKeys, no table":                   func() { CountKeys(nil, hashes, 1, 0) },
		"CountKeys, too few numbers":            func() { CountKeys(make([]CountLine, 3), hashes, 1, 1<<NumberBits-8) },
		"KeepMarked, too few marks":             func() { KeepMarked(hashes, bytes[:8]) },
		"SumDistinct, another table's rows":     func() { seen.SumDistinct(rows, rows, entries, 0, 0) },
		"KeepDistinct, another table's entries": func() { seen.KeepDistinct(rows, rows, rows, entries) },
		"SumDistinct, too few queries":          func() { NewSeen(66).SumDistinct(rows, rows[:1], entries, 0, 0) },
		"KeepDistinct, too few queries":         func() { NewSeen(66).KeepDistinct(rows, rows, rows[:1], entries) },
		"KeepDistinct, too little room":         func() { NewSeen(66).KeepDistinct(rows[:1], rows, rows, entries) },
		"Find, no lines":                        func() { found.Find(hashes, 9, 9, nil, nil, found) },
		"Find, too few lines":                   func() { found.Find(hashes, 19, 19, lines, nil, found) },
		"Find, no bits":                         func() { found.Find(hashes, 0, 0, lines[:1], nil, found) },
		"Find, more lines than buckets":         func() { found.Find(hashes, 2, 2, lines, nil, found) },
		"Find, too many bits":                   func() { found.Find(hashes, 33, 33, make([]BucketLine, 1<<18), nil, found) },
		"Find, too short a tag":                 func() { found.Find(hashes, 28, 11, lines, nil, found) },
		"Find, too many hashes":                 func() { found.Find(make([]uint64, LookupBlock+1), 8, 8, lines, nil, found) },
		"Word(2)":                               func() { w.Word(2) },
		"Word(-1)":                              func() { w.Word(-1) },
		"Hash from 3":                           func() { w.Hash(hashes[:3], 3) },
		"Hash from -1":                          func() { w.Hash(hashes[:3], -1) },
		"MixSums of too few":                    func() { MixSums(hashes[:3], hashes[:2], hashes[:3], 0) },
		"MixSums into too few":                  func() { MixSums(hashes[:2], hashes[:3], hashes[:3], 0) },
		"Interleave into too few":               func() { Interleave(hashes[:3], hashes[:3], hashes[:3]) },
		"Interleave of a few more":              func() { Interleave(hashes[:3], hashes[:2]) },
		"NewSpanBuckets of none":                func() { NewSpanBuckets(0) },
		"spans, no starts":                      func() { find(0, 1, 1) },
		"spans, too many starts":                func() { find(SpanStarts+1, 1, 1) },
		"spans of nothing":                      func() { find(1, 0, 1) },
		"spans, most below least":               func() { find(1, 2, 1) },
		"spans, too long":                       func() { find(1, 1, SpanLengths+1) },
		"spans, too few bits":                   func() { many.Find(new(FoundSpans), new(SpanText), new(ChosenSpans), 1, 1, 1, hashes[:1]) },
		"chars, too little room":                func() { chars.Hash(make([]uint64, CharBlock-1), nil, false) },
		"chars, a fold of 5":                    func() { NewChars(folding('5'), 0xff, 3, 5) },
		"chars, a fold of 中":                    func() { NewChars(folding('中'), 0xff, 3, 5) },
		"whole rows, no multiple":               func() { AddWholeRows(sums[:24], make([]int16, 240), 24, []uint32{1}, 1) },
		"whole rows, beyond the table":          func() { AddWholeRows(sums[:16], make([]int16, 63), 16, []uint32{1, 3, 2}, 2) },
		"whole rows that are not there":         func() { AddWholeRows(sums[:16], make([]int16, 64), 16, ids[:2:2], 3) },
		"whole rows that overlap":               func() { AddWholeRows(sums, make([]int16, 64), 16, ids[:3], 3) },
		"whole rows, too many": func() {
			AddWholeRows(sums[:16], make([]int16, 64), 16, make([]uint32, MostWholeRows+1), MostWholeRows+1)
		},
	}
	for name, c := range map[string]struct {
		width, table, pitch int
		rows                []uint32
		n                   int
	}{
		"a width that is no multiple": {9, 90, 9, []uint32{1}, 1},
		"a row beyond the table":      {8, 31, 8, []uint32{1, 3, 2}, 2},
		"rows that are not there":     {8, 32, 8, make([]uint32, 3)[:2], 3},
		"rows that overlap":           {16, 32, 8, make([]uint32, 3), 3},
	} {
		s, table := make([]float64, c.width), make([]float32, c.table)
		calls[name] = func() { AddRows(s, table, c.pitch, c.rows, c.n) }
	}
	eachImplementation(t, func(t *testing.T) {
		for name, call := range calls {
			if panics(call) == "" {
				t.Errorf("no panic: %s", name)
			}
		}
	})
}
