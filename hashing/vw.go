package hashing

import (
	"bytes"
	"math"
	"strconv"
	"unsafe"
)

// vwCursor is the position up to which a document of namespaces is tokenized.
type vwCursor struct {
	prefix, prefixEnd int     // where the name of the namespace under way is
	scale             float32 // its value
	value             float32 // of the last token
	number, last      int     // of the namespace under way, and of that of the last token
}

// turned reports whether the last token is of another namespace than the one before: n-grams end where namespaces do.
func (v *vwCursor) turned() bool {
	turned := v.number != v.last
	v.last = v.number
	return turned
}

// scanVW returns nextVW for many tokens of a namespace at once.
func (f *family) scanVW(c *cursor, doc []byte) int {
	n := 0
	for n < len(f.tokens) {
		before := *c
		token := f.nextVW(c, doc)
		if token == nil {
			break
		}
		if c.vw.turned() {
			if n > 0 {
				*c = before
				break
			}
			f.ngrams.start()
		}
		f.tokens[n] = f.keys.token(token)
		n++
	}
	return n
}

// nextVW returns the next feature with a value other than 0, as Vowpal Wabbit names it: behind the name of its
// namespace, if that has one, and a ^. Case and everything else stay as they are.
func (f *family) nextVW(c *cursor, doc []byte) []byte {
	v := &c.vw
	for c.pos < len(doc) {
		bar := doc[c.pos] == '|'
		if c.pos++; !bar {
			if doc[c.pos-1] == ' ' || doc[c.pos-1] == '\t' {
				continue
			}
			c.pos--
		}
		start := c.pos
		name, value := vwField(doc[start:])
		x := float32(1)
		if c.pos += len(name); value != nil {
			x = vwValue(value)
			c.pos += 1 + len(value)
		}
		if bar {
			v.prefix, v.prefixEnd, v.scale = start, start+len(name), x
			v.number++
			continue
		}
		if v.value = product(v.scale, x); v.value != 0 {
			c.begin = start
			return f.vwName(doc[v.prefix:v.prefixEnd], name)
		}
	}
	return nil
}

func (f *family) vwName(namespace, name []byte) []byte {
	if len(namespace) == 0 && len(name) > 0 {
		return name
	}
	f.normal = append(append(append(f.normal[:0], namespace...), '^'), name...)
	return f.normal
}

// vwField returns the name with which a text begins, and the value behind a colon; nil if there is none.
func vwField(text []byte) (name, value []byte) {
	end := bytes.IndexAny(text, "| \t")
	if end < 0 {
		end = len(text)
	}
	if colon := bytes.IndexByte(text[:end], ':'); colon >= 0 {
		return text[:colon:colon], text[colon+1 : end : end]
	}
	return text[:end:end], nil
}

// vwValue returns the value of a feature; what is no number is 1.
func vwValue(text []byte) float32 {
	if len(text) == 1 && text[0] >= '0' && text[0] <= '9' {
		return float32(text[0] - '0')
	}
	// ParseFloat keeps nothing of its argument unless it fails.
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 1
	}
	return float32(v)
}

// product returns a product that stays within float32.
func product(a, b float32) float32 { return bounded(float64(a) * float64(b)) }

func bounded(x float64) float32 {
	return float32(max(-math.MaxFloat32, min(x, math.MaxFloat32)))
}

// Valued reports whether AppendValued has found a token whose value is not 1.
func (e *Extractor) Valued() bool { return e.valued }

// AppendValued appends the distinct n-gram hashes of a document, in order of first occurrence, and the value of each:
// with the tokenizer VW the product of the values of its tokens, otherwise 1. The values of an n-gram that occurs
// several times are added up. N-grams whose value is 0 are left out.
func (e *Extractor) AppendValued(hashes []uint64, values []float32, doc []byte) ([]uint64, []float32) {
	if e.options.Tokenizer != VW || bytes.IndexByte(doc, ':') < 0 {
		hashes, e.counts = e.AppendDistinct(hashes, e.counts[:0], doc)
		for _, n := range e.counts {
			values = append(values, float32(n))
		}
		return hashes, values
	}
	sums := map[uint64]float64{}
	first := len(hashes)
	var last [maxNgram]float32 // values of the last tokens, the latest first
	f := e.families[0]
	f.ngrams.start()
	for c := newCursor(); ; {
		token := f.nextVW(&c, doc)
		if token == nil {
			break
		}
		if c.vw.turned() {
			f.ngrams.start()
		}
		copy(last[1:], last[:])
		last[0] = c.vw.value
		e.valued = e.valued || last[0] != 1
		longest := f.ngrams.step(f.keys.token(token))
		value := float32(1)
		for n := 1; n <= longest; n++ {
			value = product(value, last[n-1])
			if n < e.options.NgramLo {
				continue
			}
			hash := f.ngrams.last[n] & e.mask
			sum, again := sums[hash]
			if !again {
				hashes = append(hashes, hash)
			}
			sums[hash] = sum + float64(value)
		}
	}
	kept := hashes[:first]
	for _, hash := range hashes[first:] {
		if value := bounded(sums[hash]); value != 0 {
			kept, values = append(kept, hash), append(values, value)
		}
	}
	e.release()
	return kept, values
}
