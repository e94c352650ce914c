package mutate

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
)

// JSON changes a JSON text: a value in it, or some of its bytes.
func JSON(r *rand.Rand, text []byte) []byte {
	var root any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&root); err != nil || r.IntN(10) == 0 {
		return some(r, text)
	}
	places := values(nil, root, func(v any) { root = v })
	place := one(r, places)
	place.set(other(r, place.value, one(r, places).value))
	b, err := json.Marshal(root)
	if err != nil {
		return some(r, text)
	}
	return b
}

// place is a value in a JSON text.
type place struct {
	value any
	set   func(v any)
}

// absent in place of a member of an object takes it away.
type absent struct{}

// values lists a value and those in it.
func values(all []place, v any, set func(v any)) []place {
	all = append(all, place{v, set})
	switch v := v.(type) {
	case []any:
		for i := range v {
			all = values(all, v[i], func(x any) {
				if x == (absent{}) {
					x = nil
				}
				v[i] = x
			})
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names) // so that the same random numbers make the same change
		for _, name := range names {
			all = values(all, v[name], func(x any) {
				if v[name] = x; x == (absent{}) {
					delete(v, name)
				}
			})
		}
	}
	return all
}

var (
	numbers = []json.Number{"0", "-1", "1", "2", "3", "8", "12", "31", "32", "64", "1e3", "0.5", "1e308", "-1e308", "1e-320", "5e-324", "1e400", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "1e1000000"}
	strs    = []string{"", "x", "\x00", "\u202e", "\x1b[2J", "binary", "count", "tfidf", "margin", "sigmoid", "softmax", "platt", "temperature", "paths", "sum", "top-down", "multiclass", "multilabel", "svmlight", "text", "word", "char", "space", "nbsvm", "svm", "mnb", "bnb", "logistic", "hinge", "../../x", "1/2"}
)

// other is a value in place of an old one; another one is at hand.
func other(r *rand.Rand, old, another any) any {
	switch v := old.(type) {
	case bool:
		if r.IntN(4) > 0 {
			return !v
		}
	case json.Number:
		if r.IntN(6) > 0 {
			return one(r, numbers)
		}
	case string:
		switch r.IntN(8) {
		case 0:
			return v + v
		case 1:
			return strings.Repeat("x", 1<<r.IntN(17))
		case 2:
			return v[:len(v)/2]
		case 3, 4, 5, 6:
			return one(r, strs)
		}
	case []any:
		switch r.IntN(3) {
		case 0:
			return append(v, another)
		case 1:
			return v[:len(v)/2]
		}
	}
	switch r.IntN(8) {
	case 0:
		return another
	case 1:
		return []any{}
	case 2:
		return map[string]any{}
	case 3:
		return one(r, numbers)
	case 4:
		return one(r, strs)
	case 5:
		return r.IntN(2) == 0
	case 6:
		return nil
	}
	return absent{}
}
