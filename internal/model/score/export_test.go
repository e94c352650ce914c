package score

// Search has trees of so many outputs or more searched, until the function that it returns is called.
func Search(outputs int) (restore func()) {
	before := fewSearched
	fewSearched = outputs
	return func() { fewSearched = before }
}

// SmallTables keeps the sums of few words, and has few wait, until the function that it returns is called.
func SmallTables() (restore func()) {
	was, wait := wordBytes, mostWaiting
	wordBytes, mostWaiting = 0, 100
	return func() { wordBytes, mostWaiting = was, wait }
}
