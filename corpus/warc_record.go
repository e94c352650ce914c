package corpus

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// warcHead is the header of a record.
type warcHead struct {
	size        int    // with the blank line
	length      int64  // of the content
	kind, media []byte // WARC-Type, Content-Type
	end         string // of the record
	wrong       string // what is wrong with it
}

// warcSingle are the fields that every record has, once.
var warcSingle = [...]string{"WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length"}

var warcKinds = []string{
	"conversion", "response", "resource", "warcinfo", "request", "metadata", "revisit", "continuation",
}

// What records hold.
const (
	warcText = "text"
	warcPage = "HTML"
)

// eachField calls field for the fields of a header, which follow a first line, and returns how many bytes there are up
// to and with the blank line behind them; 0 if data end before it. A line that is no field has no value.
func eachField(data []byte, field func(name, value []byte)) int {
	rest := data
	for first := true; ; first = false {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return 0
		}
		line := trimEOL(rest[:i+1])
		rest = rest[i+1:]
		switch {
		case first, len(line) > 0 && (line[0] == ' ' || line[0] == '\t'): // or a value that goes on
			continue
		case len(line) == 0:
			return len(data) - len(rest)
		}
		name, value, is := bytes.Cut(line, []byte{':'})
		if !is {
			field(line, nil)
			continue
		}
		end := len(bytes.TrimRight(value, " \t"))
		field(bytes.TrimRight(name, " \t"), trimBlanks(value[:end:end]))
	}
}

// parseWARC reads the header with which a record begins; false if data end within it.
func parseWARC(data []byte) (h warcHead, whole bool) {
	h.length, h.end = -1, "\n\n"
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		h.end = warcEnd
	}
	var seen [len(warcSingle)]bool
	h.size = eachField(data, func(name, value []byte) {
		if h.wrong != "" {
			return
		}
		for k, single := range warcSingle {
			if isName(name, single) {
				if seen[k] {
					h.wrong = "the header of the record has " + single + " twice, as where the rest of a record is missing"
					return
				}
				seen[k] = true
			}
		}
		switch {
		case value == nil:
			h.wrong = "the header of the record has a line that is no field, " + display.Excerpt(name)
		case isName(name, "Content-Length"):
			n, err := strconv.ParseInt(string(value), 10, 64)
			if h.length = n; err != nil || n < 0 || n >= 1<<62 || value[0] == '+' {
				h.wrong = "Content-Length must be a number of bytes, not " + display.Excerpt(value)
			}
		case isName(name, "WARC-Type"):
			h.kind = value
		case isName(name, "Content-Type"):
			h.media = value
		}
	})
	if h.size > 0 && h.wrong == "" && h.length < 0 {
		h.wrong = "the record has no Content-Length"
	}
	return h, h.size > 0
}

func isName(name []byte, other string) bool {
	return len(name) == len(other) && strings.EqualFold(string(name), other)
}

// isMedia reports whether a content type is of a kind.
func isMedia(value []byte, kinds ...string) bool {
	value, _, _ = bytes.Cut(value, []byte{';'})
	for _, kind := range kinds {
		if isName(bytes.TrimSpace(value), kind) {
			return true
		}
	}
	return false
}

// holds returns what a record holds, of which content has the beginning, and whether that is an HTTP response.
func (h *warcHead) holds(content []byte) (what string, web bool) {
	media, kind := h.media, "other"
	for _, known := range warcKinds {
		if isName(h.kind, known) {
			kind = known
		}
	}
	switch kind {
	case "conversion":
		if len(media) == 0 {
			return warcText, false
		}
	case "response":
		if web = isMedia(media, "application/http"); web {
			media = nil
			eachField(content, func(name, value []byte) {
				if isName(name, "Content-Type") {
					media = value
				}
			})
		}
	case "resource":
	default:
		return kind, false
	}
	switch {
	case isMedia(media, "text/plain"):
		return warcText, web
	case isMedia(media, "text/html", "application/xhtml+xml"):
		return warcPage, web
	}
	return kind + " of another type", web
}

// findRecord returns where in data the next record begins; if none is found, up to where there is none.
func findRecord(data []byte) (at int, found bool) {
	for {
		i := bytes.Index(data[at:], []byte(warcMagic))
		if i < 0 {
			break
		}
		at += i
		is, sure := isRecord(data[at:])
		if is || !sure {
			return at, is
		}
		at++
	}
	end := data[max(at, len(data)-len(warcMagic)+1):]
	for len(end) > 0 && !strings.HasPrefix(warcMagic, string(end)) {
		end = end[1:]
	}
	return len(data) - len(end), false
}

// nextRecord returns where the next record begins from a place on; the length of data if none does.
func nextRecord(data []byte, from int) int {
	if at, found := findRecord(data[from:]); found {
		return from + at
	}
	return len(data)
}

// isRecord reports whether data begin as a record does: with its version and the name of a field. It is not sure where
// data end too early.
func isRecord(data []byte) (is, sure bool) {
	if !bytes.HasPrefix(data, []byte(warcMagic)) {
		return false, len(data) >= len(warcMagic) || !strings.HasPrefix(warcMagic, string(data))
	}
	rest := bytes.TrimLeft(data[len(warcMagic):min(len(data), len(warcMagic)+4)], "0123456789")
	digits := min(len(data)-len(warcMagic), 4) - len(rest)
	rest = data[len(warcMagic)+digits:]
	if len(rest) > 0 && rest[0] == '\r' {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return false, false
	}
	if digits == 0 || rest[0] != '\n' {
		return false, true
	}
	for i, c := range rest[1:] {
		switch {
		case c == ':' && i > 0:
			return true, true
		case i == longestField, c != '-' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9'):
			return false, true
		}
	}
	return false, false
}

// warc fills in a document from a record.
func (p *parser) warc(d *Document, r *warcRecord) (err error) {
	d.Kept = p.keep(len(p.file.keeps))
	if len(d.Kept) > 0 && bytes.HasPrefix(r.record, []byte(warcMagic)) {
		eachField(r.record, func(name, value []byte) {
			for k, field := range p.file.keeps {
				if value != nil && d.Kept[k].raw == nil && isName(name, field) {
					d.Kept[k] = Value{value, true}
				}
			}
		})
	}
	switch {
	case r.err != nil:
		return r.err
	case p.file.o.ID != "" && d.Kept[0].raw == nil:
		var names []string
		eachField(r.record, func(name, _ []byte) { names = append(names, string(name)) })
		return &fault{
			reason: noID, what: "no id: the record has no field " + display.Excerpt(p.file.o.ID),
			hint: "it has " + display.Excerpts(names),
		}
	}
	if err := p.file.checkID(d, r.record); err != nil {
		return err
	}
	text := r.record[r.head:]
	if r.web {
		if text, err = p.body(text); err != nil {
			return err
		}
	}
	if bytes.Contains(text, hole) {
		return &fault{reason: damagedRecord, err: errHole}
	}
	d.Text = text
	return nil
}

// body returns what an HTTP response means.
func (p *parser) body(response []byte) (body []byte, err error) {
	var transfer, coding []byte
	head := eachField(response, func(name, value []byte) {
		switch {
		case isName(name, "Transfer-Encoding"):
			transfer = value
		case isName(name, "Content-Encoding"):
			coding = value
		}
	})
	if head == 0 {
		return nil, &fault{reason: wrongCoding, what: "the header of the HTTP response does not end", near: response}
	}
	body = response[head:]
	switch {
	case isMedia(transfer, "chunked"):
		if body, err = p.unchunk(body); err != nil {
			return nil, err
		}
	case !isMedia(transfer, "", "identity"):
		return nil, unknownCoding("Transfer-Encoding", transfer, "chunked")
	}
	switch {
	case isMedia(coding, "gzip", "x-gzip"):
		return p.gunzip(body)
	case !isMedia(coding, "", "identity"):
		return nil, unknownCoding("Content-Encoding", coding, "gzip")
	}
	return body, nil
}

func unknownCoding(field string, coding []byte, known string) error {
	return &fault{
		reason: wrongCoding, what: fmt.Sprintf("the HTTP response has %s %s, and only %s and identity are read",
			field, display.Excerpt(coding), known),
	}
}

// unchunk joins the chunks of a body.
func (p *parser) unchunk(body []byte) ([]byte, error) {
	joined := p.room(len(body))
	for rest := body; ; {
		line, behind, _ := bytes.Cut(rest, lineFeed)
		digits, _, _ := bytes.Cut(line, []byte{';'})
		n, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 32)
		if err != nil || uint64(len(behind)) < n {
			return nil, &fault{
				reason: wrongCoding, near: rest[:min(len(rest), headOfLong)],
				what: fmt.Sprintf("the HTTP response is chunked, and byte %d of its body begins no whole chunk",
					len(body)-len(rest)),
			}
		}
		if n == 0 {
			return joined[:len(joined):len(joined)], nil
		}
		joined = append(joined, behind[:n]...)
		rest = bytes.TrimPrefix(bytes.TrimPrefix(behind[n:], []byte{'\r'}), lineFeed)
	}
}

// gunzip decompresses a body.
func (p *parser) gunzip(body []byte) ([]byte, error) {
	most := p.file.o.maxRecord()
	z, err := gzip.NewReader(bytes.NewReader(body))
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(z, int64(most)+1))
	}
	switch {
	case err != nil:
		return nil, &fault{reason: wrongCoding, what: "the gzip data of the HTTP response cannot be read: " + err.Error()}
	case len(text) > most:
		_, err := tooLong(text, most)
		return nil, err
	}
	return text, nil
}
