//go:build !race

package nbsvm

const raceEnabled = false
