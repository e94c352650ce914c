//go:build !race

package must

// RaceEnabled says that the race detector watches the test, which then runs several times as long.
const RaceEnabled = false
