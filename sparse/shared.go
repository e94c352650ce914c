package sparse

// SharedColumns is the number of leading columns up to the last that two rows or more
// have: columns from there on occur in one row at most. Numbered by falling document
// frequency, all columns that occur once are there.
func (m *CSR) SharedColumns() int {
	if m.Shared > 0 {
		return m.Shared
	}
	seen := make([]bool, m.Cols)
	shared := 0
	for i := range m.Rows {
		idx, _ := m.Row(i)
		// From its end, for ids below shared make no difference any more.
		for k := len(idx) - 1; k >= 0 && int(idx[k]) >= shared; k-- {
			if seen[idx[k]] {
				shared = int(idx[k]) + 1
			}
			seen[idx[k]] = true
		}
	}
	return shared
}
