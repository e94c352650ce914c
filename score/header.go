package score

import (
	"bytes"
	"fmt"
)

// header is the one that the files of an input share.
type header struct {
	first []byte
	path  string // whose it is
}

// of is what to write of a file's header: the first as it stands, unless another
// shard has it, and nothing of those that are the same.
func (h *header) of(s *scored) ([]byte, error) {
	switch {
	case h.path == "":
		h.first, h.path = s.header, s.path
		if s.begins {
			return s.header, nil
		}
	case !bytes.Equal(bytes.TrimRight(s.header, "\r\n"), bytes.TrimRight(h.first, "\r\n")):
		return nil, fmt.Errorf("nbsvm: %s has another header than %s, so that their records can't stand under one; take them one by one", s.path, h.path)
	}
	return nil, nil
}
