package model

import "io"

// WriteTo writes the model in the form of its file. Equal models give equal
// bytes. A model that is not valid is refused before anything is written.
//
// For other sources than text, Meta.Text is left out.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if bad := m.check(); bad != nil {
		bad.Offset = -1 // there is no file
		return 0, bad
	}
	c := format.NewWriter(w)
	for _, f := range m.fields(m.Keys.Size()) {
		name, data := f.encode()
		if data == nil && !f.required {
			continue
		}
		c.Begin(name, f.optional)
		_, _ = c.Write(data) // Close returns the error
	}
	err := c.Close()
	return c.Written(), err
}
