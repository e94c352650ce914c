package nbsvm

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm/hashing"
)

// PackOptions say how documents become rows of a packed corpus. Those of training
// (Options.Pack) make a corpus to train with these options on.
type PackOptions struct {
	Text       hashing.Options // Bits do not matter: a corpus keeps whole hashes
	AutoNgrams bool            // as in Options
	MinDF      int             // leave out n-grams of fewer documents
	Counts     bool            // keep how often a document has an n-gram
	Names      bool            // keep the texts of n-grams, for which the input is read twice
	// Memory is about how many bytes to take at most, for n-grams that wait to be
	// numbered; what does not fit waits in files in Temp. 0 stands for DefaultPackMemory.
	Memory int64
	// Temp is the folder for these files; "" is the system's.
	Temp string
	// Keep, if not empty, is a folder that keeps a corpus of every input file: what is
	// there already, from a run that was interrupted or had fewer inputs, is not read again.
	Keep     string
	Threads  int
	Progress func(Progress)
}

// DefaultPackMemory is 2 GiB.
const DefaultPackMemory = 2 << 30

// minPackMemory is what a few chunks of input and their n-grams take.
const minPackMemory = 64 << 20

// Pack are the options of a corpus to train with these options on.
func (o *Options) Pack() PackOptions {
	text := o.Text
	text.Seed = o.Seed
	return PackOptions{Text: text, AutoNgrams: o.AutoNgrams, MinDF: o.MinDF, Counts: o.counted(), Threads: o.Threads}
}

// options are those of training, as far as the two have something in common.
func (o *PackOptions) options() Options {
	t := DefaultOptions()
	bits := t.Text.Bits
	t.Text, t.AutoNgrams, t.MinDF, t.Threads, t.Progress = o.Text, o.AutoNgrams, o.MinDF, o.Threads, o.Progress
	t.Text.Bits = bits
	if o.Counts {
		t.Values = Count
	}
	t.firstOrders()
	return t
}

// MemoryOrDefault is Memory, or what 0 stands for.
func (o *PackOptions) MemoryOrDefault() int64 {
	if o.Memory == 0 {
		return DefaultPackMemory
	}
	return o.Memory
}

// Validate reports the first option that is out of its range.
func (o *PackOptions) Validate() error {
	if o.Memory != 0 && o.Memory < minPackMemory {
		return fmt.Errorf("nbsvm: %d bytes of memory to pack with, want %d or more", o.Memory, int64(minPackMemory))
	}
	t := o.options()
	return t.Validate()
}

// PackReport tells what came of packing.
type PackReport struct {
	Documents int64         `json:"documents"`
	Bytes     int64         `json:"bytes"`    // of text
	Invalid   int64         `json:"invalid"`  // bytes of invalid UTF-8 among them
	Bad       int64         `json:"bad"`      // records left out
	Entries   int64         `json:"entries"`  // distinct n-grams, summed over documents
	Distinct  uint64        `json:"distinct"` // distinct n-grams
	Columns   int           `json:"columns"`  // n-grams that are kept
	NonZeros  int64         `json:"non_zeros"`
	Classes   []ClassCount  `json:"classes"`
	Parts     int           `json:"parts"` // that did not fit into memory and were merged
	Took      time.Duration `json:"-"`
}

// Pack reads labelled documents and writes them to w as a packed corpus. Its bytes depend
// on the input and the options but for Memory, Temp and Threads.
func Pack(ctx context.Context, in Input, o PackOptions, w io.Writer) (*PackReport, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Keep != "" {
		return packKeeping(ctx, in, o, w)
	}
	return newPacker(in, o).pack(ctx, w)
}
