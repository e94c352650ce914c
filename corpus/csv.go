package corpus

import "bytes"

// CSV is RFC 4180: a header, commas, double quotes, line breaks in quotes. There is no
// header if all the fields needed are given by number. A quote in the middle of a field
// without quotes is data.
const CSV Format = "csv"

var csvFormat = format{
	name: CSV, extensions: []string{".csv"}, shape: "comma-separated columns under a header", fields: true,
	sniff:   csvHeader,
	open:    openText,
	parse:   (*parser).columnar,
	columns: csvColumns,
	quoted:  true,
}

// csvHeader tells whether a line is a CSV header that has the fields needed.
func csvHeader(line []byte, o *Options) bool {
	c := csvColumns(o)
	return bytes.IndexByte(line, ',') >= 0 && c.header && c.resolve(line, o) == nil
}

func csvColumns(o *Options) *columns {
	needed := o.TextField == "" || o.LabelField == "" && !o.Unlabelled
	return &columns{header: needed || o.fieldsNamed(), otherwise: [fieldCount]int{1, -1, -1}, fieldAt: csvFieldAt}
}
