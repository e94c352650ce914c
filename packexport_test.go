package nbsvm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// TestExportBitmaps: the bitmaps of documents are their rows in SVMlight's format.
func TestExportBitmaps(t *testing.T) {
	s := small.with(func(s *shape) { s.docs = 500 })
	o := options()
	po := o.Pack()
	po.AutoNgrams = false
	path := pack(t, s.input(), po, 0)
	var text, sets bytes.Buffer
	if err := ExportPacked(t.Context(), path, &text); err != nil {
		t.Fatal(err)
	}
	if err := ExportPackedBitmaps(t.Context(), path, &sets); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		line, err := text.ReadString('\n')
		if err == io.EOF {
			break
		}
		var size uint64
		if err := binary.Read(&sets, binary.LittleEndian, &size); err != nil {
			t.Fatalf("document %d: %v", n, err)
		}
		set := roaring.New()
		if _, err := set.FromBuffer(bytes.Clone(sets.Next(int(size)))); err != nil {
			t.Fatalf("document %d: %v", n, err)
		}
		if err := set.Validate(); err != nil {
			t.Fatalf("document %d: %v", n, err)
		}
		want := line[:len(line)-1]
		got := want[:bytes.IndexByte([]byte(want+" "), ' ')]
		for it := set.Iterator(); it.HasNext(); {
			got += fmt.Sprintf(" %d:1", it.Next())
		}
		if got != want {
			t.Fatalf("document %d has the set %s, the row %s", n, got, want)
		}
	}
	if sets.Len() > 0 {
		t.Errorf("%d bytes follow the last set", sets.Len())
	}
}
