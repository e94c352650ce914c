package corpus

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestInterruptible passes on what it reads, however it comes.
func TestInterruptible(t *testing.T) {
	never := make(chan struct{})
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(t, "data")
		r := io.Reader(bytes.NewReader(data))
		switch rapid.IntRange(0, 3).Draw(t, "reader") {
		case 0:
			r = iotest.OneByteReader(r)
		case 1:
			r = iotest.HalfReader(r)
		case 2:
			r = iotest.DataErrReader(r)
		}
		must.OK(t, iotest.TestReader(&interruptible{r, never}, data))
	})
	broken := errors.New("broken")
	r := &interruptible{io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)), never}
	if got, err := io.ReadAll(r); string(got) != "ab" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, broken) {
		t.Errorf("after an error: %v", err)
	}
}

// TestInterrupt: a reader that waits for a pipe stops, whatever was read of it.
func TestInterrupt(t *testing.T) {
	for _, some := range []string{"", "a", "a\tb\n", "a\tb\nc"} {
		for _, again := range []bool{false, true} {
			in, out := io.Pipe()
			reader, err := Open(from(nil, in, unlabelled(TSV)))
			if again {
				replay := NewReplay(from(nil, in, unlabelled(TSV)), t.TempDir())
				defer replay.Close()
				reader, err = replay.Open()
			}
			must.OK(t, err)
			go func() {
				io.WriteString(out, some)
				reader.Interrupt()
				reader.Interrupt()
			}()
			for err == nil {
				_, err = reader.Next()
			}
			if !errors.Is(err, errInterrupted) {
				t.Errorf("%q: %v", some, err)
			}
			reader.Close()
			out.Close()
		}
	}
}
