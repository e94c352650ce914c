package serve

import (
	"net/http"
	"time"
)

// held is how many bytes of an answer are kept back, so that an error can take their place: answers that are not longer
// are sent whole, or not at all. Others are sent as they are made, so that they never are in memory.
const held = 1 << 20

// stream is an answer of JSON that is made piece by piece.
type stream struct {
	w       http.ResponseWriter
	until   time.Time // when the client must have taken it
	pending []byte
	begun   bool
}

// Write sends a piece, or keeps it while the answer is short.
func (s *stream) Write(piece []byte) (int, error) {
	if !s.begun && len(s.pending)+len(piece) <= held {
		s.pending = append(s.pending, piece...)
		return len(piece), nil
	}
	if !s.begun {
		s.begun = true
		_ = http.NewResponseController(s.w).SetWriteDeadline(s.until) // writers of tests have none
		begin(s.w, http.StatusOK)
		if _, err := s.w.Write(s.pending); err != nil {
			return 0, err
		}
		s.pending = nil
	}
	return s.w.Write(piece)
}

// end ends the answer, with an error if there is one. Where the answer has begun, it breaks the connection off, so that
// a client can't take what it has for the whole.
func (s *stream) end(err error) {
	switch {
	case err == nil && s.begun:
		_, _ = s.w.Write([]byte("\n")) // who asked may have gone
	case err == nil:
		answer(s.w, http.StatusOK, s.pending)
	case s.begun:
		panic(http.ErrAbortHandler)
	default:
		refuse(s.w, err)
	}
}
