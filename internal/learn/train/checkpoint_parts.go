package train

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
)

// CheckpointParts are what a checkpoint's file consists of. Package mutate changes them.
type CheckpointParts struct {
	Fingerprint []byte
	Groups      []CheckpointGroup
}

// CheckpointGroup is the state of a group of classes that are solved side by side.
type CheckpointGroup struct {
	Epoch int
	Done  bool
	State []byte
}

// TakeApart is the reverse of Assemble.
func TakeApart(path string) (*CheckpointParts, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := checkSum(f)
	if err != nil {
		return nil, err
	}
	r := io.NewSectionReader(f, 0, size)
	p := &CheckpointParts{}
	if p.Fingerprint, err = readFingerprint(r); err != nil {
		return nil, err
	}
	for {
		var h frame
		switch err := binary.Read(r, binary.LittleEndian, &h); {
		case err == io.EOF:
			return p, nil
		case err != nil || h.Length > uint64(size):
			return nil, errDamagedCheckpoint
		}
		g := CheckpointGroup{int(h.Epoch), h.Done, make([]byte, h.Length)}
		if _, err := io.ReadFull(r, g.State); err != nil {
			return nil, errDamagedCheckpoint
		}
		p.Groups = append(p.Groups, g)
	}
}

// Assemble makes a file of the parts, with a checksum that is right.
func (p *CheckpointParts) Assemble() []byte {
	var sections []section
	for _, g := range p.Groups {
		sections = append(sections, section{g.Epoch, g.Done, g.State})
	}
	var b bytes.Buffer
	_ = writeCheckpoint(&b, p.Fingerprint, sections) // memory takes all that is written to it
	return b.Bytes()
}
