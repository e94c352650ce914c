package outdir

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Shard is every N-th of the inputs, I/N: the I-th and so on. auto/N is that of this pod of an indexed job of
// Kubernetes, which counts from 0. The zero value is all inputs.
type Shard struct{ Number, Of int }

// UnmarshalText reads it.
func (s *Shard) UnmarshalText(text []byte) error {
	number, of, _ := strings.Cut(string(text), "/")
	auto := number == "auto"
	if auto {
		number = os.Getenv("JOB_COMPLETION_INDEX")
	}
	var errs [2]error
	s.Number, errs[0] = strconv.Atoi(number)
	s.Of, errs[1] = strconv.Atoi(of)
	if auto {
		if errs[0] != nil || s.Number < 0 {
			return fmt.Errorf("%s takes the shard from JOB_COMPLETION_INDEX, which must be a number from 0, got %q: give I/N", text, number)
		}
		s.Number++
	}
	if errors.Join(errs[:]...) != nil || s.Number < 1 || s.Number > s.Of {
		if auto {
			return fmt.Errorf("JOB_COMPLETION_INDEX is %s, but %s takes 0 to N-1", number, text)
		}
		return fmt.Errorf("a shard must be I/N, such as 2/13, with I from 1 to N; got %s", display.Excerpt(text))
	}
	return nil
}
