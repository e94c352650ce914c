package solver

// fall tells from two estimates of the gap how far it has fallen since. An epoch's
// estimate is of the weights on the way, and the gap by then below it: by about what it is
// below the last epoch's estimate, as the gap falls by much the same factor from epoch to
// epoch. Estimates compare if both epochs visited all rows.
type fall struct {
	before float64 // the last estimate, 0 if it was not of all rows
}

// gap is the gap to expect after an epoch, trusted where nothing better is known.
func (f *fall) gap(trusted, estimate float64, full bool) float64 {
	const margin = 3 // the gap has been 0.3 to 3 times what it should be
	before := f.before
	f.before = 0
	if !full {
		return trusted
	}
	f.before = estimate
	if before > 0 {
		trusted = min(trusted, margin*estimate*estimate/before)
	}
	return trusted
}
