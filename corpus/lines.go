package corpus

// Lines is one text per line, without labels. It is for scoring, and for files that Input.Classes labels.
const Lines Format = "lines"

var linesFormat = format{
	name: Lines, extensions: []string{".txt"}, shape: "text", noLabels: true,
	sniff: func(_ []byte, o *Input) bool { return o.Unlabelled && !o.fieldsGiven() },
	open:  openText,
	parse: func(_ *parser, d *Document, record []byte) error {
		d.Text = record
		return nil
	},
}
