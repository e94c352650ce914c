package score

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/keyset"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestTableStaysMapped: the memory of a table, which the garbage collector does not know,
// stays until the last call with the table returns, also where nobody else holds the table.
func TestTableStaysMapped(t *testing.T) {
	const bits = 19
	ids := make([]uint64, 1<<bits)
	for i := range ids {
		ids[i] = uint64(i)
	}
	set, _, err := keyset.New(1<<bits, ids)
	must.OK(t, err)
	m := &model.Model{Universe: 1 << bits, Keys: *set, Outputs: 1, Dense: make(model.Float32s, len(ids))}
	m.Meta.Text = hashing.Options{Bits: bits}
	wide := *m
	wide.Dense, wide.Outputs = nil, 2
	wide.Sparse = model.NewSparse(len(ids), func(func(row uint32, output int, number float32)) {})
	rows := make([]uint32, 1<<21)
	for i := range rows {
		rows[i] = uint32(i) * 7919 % (1 << bits)
	}
	hashes := make([]uint64, 1<<16)
	for i := range hashes {
		hashes[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	active := kernels.Active()
	defer kernels.Use(active)
	if err := kernels.Use("generic"); err != nil { // assembly is not interrupted
		t.Fatal(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	add := func(t *table) { new(adder).add(t, make([]float64, t.width), rows, len(rows)) }
	for name, test := range map[string]struct {
		table func() *table
		use   func(*table)
	}{
		"squares": {func() *table { return newTable(&wide, wholeBytes(&wide), someMet(&wide)) }, func(t *table) { t.squares(rows) }},
		"summed":  {func() *table { return newTable(m, wholeBytes(m), someMet(m)) }, func(t *table) { newLookup(m).sumsOf(t, 0, hashes, []int{len(hashes)}) }},
		"lookup":  {func() *table { return newTable(m, wholeBytes(m), someMet(m)) }, func(t *table) { newLookup(m).rowsOf(t, 0, hashes, []int{len(hashes)}) }},
		"common":  {func() *table { return newTable(&wide, wholeBytes(&wide), someMet(&wide)) }, add},
		"rare":    {func() *table { return newTable(&wide, 0, someMet(&wide)) }, add},
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				tables, done := make(chan *table), make(chan any)
				go func() { // on a stack that the table has not been on
					defer func() { done <- recover() }()
					debug.SetPanicOnFault(true)
					test.use(<-tables)
				}()
				tables <- test.table()
				if fault := <-done; fault != nil {
					t.Fatal(fault)
				}
			}
		})
	}
}
