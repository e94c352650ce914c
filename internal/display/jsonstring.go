// Package jsonstring writes strings of JSON.
package display

import "unicode/utf8"

// AppendJSON appends text as a JSON string. Invalid UTF-8 becomes U+FFFD, a byte each.
func AppendJSON[T string | []byte](dst []byte, text T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0 // of what stands as it is
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, text[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		case c == '"' || c == '\\':
			dst = append(append(dst, text[start:i]...), '\\', c)
			start = i + 1
		case c < ' ':
			dst = append(append(dst, text[start:i]...), '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			start = i + 1
		}
		i++
	}
	return append(append(dst, text[start:]...), '"')
}
