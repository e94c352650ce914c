package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm/internal/base/jsonstring"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
	"github.com/seed-167f963f/nbsvm/parquet/records"
)

// catCmd writes documents as JSON lines.
type catCmd struct {
	Paths     []string `arg:"" name:"file" help:"Files."`
	Text      string   `name:"text-field" placeholder:"NAME" help:"Column of the text (default: text); dots descend into groups."`
	Label     string   `name:"label-field" placeholder:"NAME" help:"Column of the label, likewise (default: label, where there is one)."`
	Weight    string   `name:"weight-field" placeholder:"NAME" help:"Column of the document's weight, likewise."`
	Keep      []string `name:"keep-fields" placeholder:"NAME,..." help:"Further fields."`
	Only      string   `placeholder:"COND" help:"Only rows that pass: FIELD OP VALUE, joined by and. OP is =, !=, <, <=, > or >=; VALUE is a number, a text in quotes, true, false or null."`
	Threads   int      `default:"1" placeholder:"N" help:"Row groups read side by side (default: 1)."`
	MaxRecord int      `default:"1073741823" placeholder:"BYTES" help:"Longest value (default: 1073741823)."`
}

func (c *catCmd) Help() string {
	return `Every row becomes an object with "text", "label" and "weight", as far as there are such columns, and
the fields of --keep-fields by their names. Labels that are numbers get the names that the file's metadata has for
them, as Hugging Face's datasets do.

--only 'lang = "en" and date >= "2024-01-01"' leaves out all other rows. Row groups of which the statistics show that
no row passes are not read.

    nbsvm-parquet cat --only 'stars >= 4' reviews.parquet | nbsvm score m.nbm -`
}

func (c *catCmd) Run(g *guard) (err error) {
	o := records.Options{
		Text: c.Text, Label: c.Label, Weight: c.Weight, Keep: c.Keep, Unlabelled: c.Label == "" && c.Weight == "",
		MaxValue: c.MaxRecord, Threads: c.Threads, Beat: g.beat,
	}
	if c.Only != "" {
		if o.Only, err = records.ParseCondition(c.Only); err != nil {
			return fmt.Errorf("--only: %w", err)
		}
	}
	g.watch()
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	for _, path := range c.Paths {
		if err := c.file(w, path, o); err != nil {
			w.Flush()
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return w.Flush()
}

func (c *catCmd) file(w *bufio.Writer, path string, o records.Options) error {
	f, err := records.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	names := []string{"text", "label"}
	raw := []bool{false, false}
	if c.Weight != "" {
		names, raw = append(names, "weight"), append(raw, true)
		o.Unlabelled = false
	}
	for _, name := range c.Keep {
		names, raw = append(names, name), append(raw, true)
	}
	heads := make([][]byte, len(names))
	for i, name := range names {
		heads[i] = append(jsonstring.Append(nil, name), ':')
	}
	columns := make([][]byte, len(names))
	var line []byte
	return f.Blocks(o, func(frame []byte) error {
		head, rest, err := recordstream.ParseHead(frame[recordstream.FrameHeader:])
		for i := 0; err == nil && i < len(columns); i++ {
			columns[i], rest, err = recordstream.NextColumn(rest)
		}
		for row := 0; err == nil && row < head.Records; row++ {
			line = line[:0]
			for i := range columns {
				before := len(line)
				line = append(append(line, ','), heads[i]...)
				there := false
				if line, columns[i], there, err = appendField(line, columns[i], raw[i]); err != nil {
					return fmt.Errorf("row %d: %w", head.First+int64(row)+1, err)
				}
				if i == 1 && !there {
					line = line[:before]
				}
			}
			line[0] = '{'
			if _, err = w.Write(append(line, "}\n"...)); err != nil {
				return err
			}
		}
		return err
	})
}

// appendField appends a value as JSON, which it is already if it is raw. there is false of null.
func appendField(dst, values []byte, raw bool) (line, behind []byte, there bool, err error) {
	v, behind, err := recordstream.Next(values)
	if err != nil {
		return dst, behind, false, err
	}
	switch v.Kind {
	case recordstream.Null:
		return append(dst, "null"...), behind, false, nil
	case recordstream.Text:
		if raw {
			return append(dst, v.Bytes...), behind, true, nil
		}
		return jsonstring.Append(dst, v.Bytes), behind, true, nil
	case recordstream.List:
		dst = append(dst, '[')
		for i := range v.Count {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, behind, _, err = appendField(dst, behind, raw); err != nil {
				return dst, behind, true, err
			}
		}
		return append(dst, ']'), behind, true, nil
	case recordstream.Bad:
		return dst, behind, true, errors.New(string(v.Bytes))
	}
	return dst, behind, true, errors.New("a value is longer than --max-record allows")
}
