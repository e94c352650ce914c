// Package wording puts numbers, switches and commands as people read them.
package display

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Some returns a number of things, of which there may be one.
func Some[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "s"):
		thing += "es"
	default:
		thing += "s"
	}
	return Count(int64(n)) + " " + thing
}

// Count writes a number in groups of three digits.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Counts lists counts by name, the largest first, such as "12 null text, 1 too long".
func Counts[K ~string](counts map[K]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var texts []string
	for _, name := range names {
		texts = append(texts, Count(counts[name])+" "+string(name))
	}
	return strings.Join(texts, ", ")
}

// LeftOut returns how many records were left out, and for which reasons, if those are known.
func LeftOut[K ~string](records int64, reasons map[K]int64) string {
	if len(reasons) == 0 {
		return Count(records) + " left out"
	}
	return Count(records) + " left out: " + Counts(reasons)
}

// Bytes writes a size in the unit that suits it.
func Bytes(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
}

// ParseBytes reads a size such as 512MiB, in bytes.
func ParseBytes(text string) (int64, error) {
	size := strings.ToUpper(strings.TrimSpace(text))
	number := strings.TrimRight(size, "KMGTIB")
	unit, known := byteUnits[size[len(number):]]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !known || !(n >= 0) || n*unit > 1<<62 {
		return 0, fmt.Errorf("%q is not a size such as 512MiB or 8GiB; units are KiB, MiB, GiB and TiB (or K, Ki and so on), KB, MB, GB and TB, and none for bytes", text)
	}
	return int64(n * unit), nil
}

// byteUnits are the units in capitals. A letter alone is a multiple of 1024, as most programs take it.
var byteUnits = map[string]float64{
	"": 1, "B": 1,
	"K": 1 << 10, "KI": 1 << 10, "KIB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MI": 1 << 20, "MIB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GI": 1 << 30, "GIB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TI": 1 << 40, "TIB": 1 << 40, "TB": 1e12,
}

// Decimal writes four decimals or, where these are all zeros or digits are many, five digits and an exponent.
func Decimal(v float64) string {
	if size := math.Abs(v); size >= 1e6 || 0 < size && size < 5e-5 {
		return strconv.FormatFloat(v, 'g', 5, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// OnOff returns the state of a switch.
func OnOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Shell quotes words for a POSIX shell, where they need it.
func Shell(words []string) string {
	const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%"
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.Trim(word, harmless) != "" {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// Few lists the first names.
func Few(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// Excerpt quotes a text that may be anything, shortened, so that it is fit for a terminal.
func Excerpt[T string | []byte](text T) string { return excerpt(string(text), strconv.Quote) }

func excerpt(text string, quote func(string) string) string {
	limit := 60
	if strings.ContainsRune(text, 0) { // no text, and most of it would be escaped
		limit = 16
	}
	if len(text) <= limit {
		return quote(text)
	}
	cut := limit
	for k := 1; k < utf8.UTFMax && !utf8.RuneStart(text[cut]); k++ {
		cut--
	}
	return quote(text[:cut]) + "..."
}

// Name quotes a name, shortened. One that is not in Unicode's composed form is shown in ASCII: it looks like another.
func Name(name string) string {
	if norm.NFC.IsNormalString(name) {
		return Excerpt(name)
	}
	return excerpt(name, strconv.QuoteToASCII)
}

// Alike returns what names have in common that differ alone by case, white space, characters that do not show, the form
// of Unicode's characters, or how a number is written.
func Alike(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, name)
	name = strings.ToLower(norm.NFKC.String(strings.Join(strings.Fields(name), " ")))
	if len(name) <= 15 { // digits that a number keeps
		if x, err := strconv.ParseFloat(name, 64); err == nil {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return name
}

// Excerpts quotes the first of some names.
func Excerpts(names []string) string {
	const most = 8
	var b strings.Builder
	for i, name := range names[:min(len(names), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Name(name))
	}
	if len(names) > most {
		fmt.Fprintf(&b, " and %d more", len(names)-most)
	}
	return b.String()
}
