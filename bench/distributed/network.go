package distributed

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Network is what messages take between any two machines.
type Network struct {
	Gbit    float64 // a second, in each direction
	Latency time.Duration
}

// UnmarshalText reads GBIT@LATENCY, such as 10@0.1ms.
func (n *Network) UnmarshalText(text []byte) error {
	gbit, latency, found := strings.Cut(string(text), "@")
	speed, err := strconv.ParseFloat(gbit, 64)
	took, failed := time.ParseDuration(latency)
	if !found || err != nil || failed != nil || !(speed > 0) || took < 0 {
		return fmt.Errorf("distributed: network %q, want gigabits a second and latency, such as 10@0.1ms", text)
	}
	*n = Network{speed, took}
	return nil
}

func (n Network) String() string { return fmt.Sprintf("%g@%v", n.Gbit, n.Latency) }

// MarshalText writes what UnmarshalText reads.
func (n Network) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// bytes is how many seconds it takes to send so many.
func (n Network) bytes(b float64) float64 { return 8 * b / (n.Gbit * 1e9) }

// Seconds is what the messages of a round take, the faster of the two ways.
func (n Network) Seconds(m Messages) float64 {
	if m.Workers < 2 {
		return 0
	}
	latency := n.Latency.Seconds()
	messages, share := 2*float64(bits.Len(uint(m.Workers-1))), 2*float64(m.Workers-1)/float64(m.Workers)
	reduced := float64(messages*latency) + n.bytes(float64(share*float64(m.Dense)))
	if m.Sent+m.Received == 0 {
		return reduced
	}
	return min(reduced, float64(2*latency)+n.bytes(float64(m.Sent+m.Received)))
}

// Messages are what a round exchanges, in bytes.
type Messages struct {
	Workers int
	Dense   int64 // the changes of all columns that several workers have, float32 each
	// Changes alone; 0 where all are sent.
	Sent     int64 // changes that are not 0, with their columns: by the worker that sends most
	Received int64 // likewise, to the worker that receives most
	All      int64 // sent and received by all workers
}
