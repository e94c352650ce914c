package solver

import "github.com/seed-167f963f/nbsvm/internal/hugepages"

// memory is what a solver has of the system.
type memory struct{ free []func() }

// table makes n zeros that last until m is closed.
func table[T any](m *memory, n int) []T {
	t, free := hugepages.Make[T](n)
	m.free = append(m.free, free)
	return t
}

// Close gives the memory back; the solver must not be used any more.
func (m *memory) Close() {
	for _, free := range m.free {
		free()
	}
	m.free = nil
}
