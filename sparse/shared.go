package sparse

// SharedColumns is the number of leading columns up to the last that two rows or more
// have: columns from there on occur in one row at most. Numbered by falling document
// frequency, all columns that occur once are there.
func (m *CSR) SharedColumns() int {
	seen := make([]bool, m.Cols)
	shared := 0
	for _, j := range m.Indices {
		if seen[j] {
			shared = max(shared, int(j)+1)
		}
		seen[j] = true
	}
	return shared
}
