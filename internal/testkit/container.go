package testkit

import (
	"bytes"

	"github.com/seed-167f963f/nbsvm/internal/container"
)

// Mended returns a file with sections that were changed in place, and their right checksums; more sections follow,
// which are empty. It returns data as they are if their table can't be read.
func Mended(f *container.Format, data []byte, more ...container.Section) []byte {
	t, bad := f.Read(data)
	if bad != nil {
		return data
	}
	var b bytes.Buffer
	w := f.NewWriter(&b)
	for i := range t.Sections {
		s := &t.Sections[i]
		w.Begin(s.Name, s.Optional)
		_, _ = w.Write(s.Bytes(data)) // Close returns the error
	}
	for _, s := range more {
		w.Begin(s.Name, s.Optional)
	}
	if err := w.Close(); err != nil {
		panic(err) // a buffer takes all
	}
	return b.Bytes()
}
