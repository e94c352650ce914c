package score

// Search has trees of so many outputs or more searched, until the function that it returns is called.
func Search(outputs int) (restore func()) {
	before := fewSearched
	fewSearched = outputs
	return func() { fewSearched = before }
}
