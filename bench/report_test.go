package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestMeasureTakesTurns(t *testing.T) {
	var order []string
	sample := func(name string) func(context.Context) ([]Value, error) {
		return func(context.Context) ([]Value, error) {
			order = append(order, name)
			return []Value{{"s", float64(len(order))}}, nil
		}
	}
	done := 0
	results, err := Measure(t.Context(), 3, []Case{{Labels("case", "a"), sample("a")}, {Labels("case", "b"), sample("b")}}, func(d, total int) {
		if done++; d != done || total != 6 {
			t.Errorf("progress %d of %d, want %d of 6", d, total, done)
		}
	})
	must.OK(t, err)
	if got := strings.Join(order, ""); got != "ababab" {
		t.Errorf("cases ran in the order %s", got)
	}
	if got := results[1].Metrics[0].Samples; !slices.Equal(got, []float64{2, 4, 6}) {
		t.Errorf("samples of b: %v", got)
	}
}

func TestMeasureStops(t *testing.T) {
	broken := errors.New("broken")
	fails := Case{Labels("case", "a"), func(context.Context) ([]Value, error) { return nil, broken }}
	if _, err := Measure(t.Context(), 1, []Case{fails}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want the sample's", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, 1, []Case{fails}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancellation", err)
	}
}

func sampleReport(scale float64) *Report {
	r := &Report{Workload: "test", Machine: ThisMachine()}
	r.Results = []Result{
		{Labels("kernel", "sum", "row", 21), []Metric{
			{"ns/nnz", []float64{1 * scale, 1.1 * scale, 1.2 * scale, 1.05 * scale, 1.15 * scale}},
			{"bytes", []float64{8, 8, 8, 8, 8}},
		}},
		{Labels("kernel", "dot"), []Metric{{"GB/s", []float64{100 * scale, 101 * scale, 102 * scale, 103 * scale, 104 * scale}}}},
	}
	return r
}

func TestWriteText(t *testing.T) {
	var b strings.Builder
	r := sampleReport(1)
	r.Notes = []string{"A note."}
	must.OK(t, r.WriteText(&b))
	lines := strings.Split(b.String(), "\n")
	var got []string
	for _, line := range lines[3:] {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"kernel row ns/nnz range bytes GB/s range",
		"sum 21 1.10 1–1.20 8",
		"dot 102 100–104",
		"", "A note.", "",
	}
	if !slices.Equal(got, want) {
		t.Errorf("table\n%q\nwant\n%q", got, want)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 0.5: "0.500", 1.25: "1.25", 12.34: "12.3", 123.4: "123", 12345.6: "12346", 0.00123: "0.00123", 1e-9: "1e-09",
		1e7: "10000000", -2.5: "-2.50", 99.99: "100", math.NaN(): "",
	} {
		if got := Number(x); got != want {
			t.Errorf("Number(%v) = %q, want %q", x, got, want)
		}
	}
}

func TestBinarySize(t *testing.T) {
	for bytes, want := range map[int]string{0: "0 B", 1000: "1000 B", 32 << 10: "32 KiB", 1 << 20: "1 MiB", 3 << 29: "1536 MiB", 1 << 30: "1 GiB"} {
		if got := binarySize(bytes); got != want {
			t.Errorf("binarySize(%d) = %q, want %q", bytes, got, want)
		}
	}
}
