// Package must has what every test needs: it ends a test where it cannot go on, and knows whether races are looked for.
package must

// OK ends a test at an error.
func OK(t interface {
	Helper()
	Fatal(args ...any)
}, err error,
) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// SkipUnderRace skips a test in which nothing runs side by side that other tests do not run, too: the race detector finds
// nothing in it, and makes it take ten times as long. So are tests of killed commands, in which no race is seen.
func SkipUnderRace(t interface {
	Helper()
	Skip(args ...any)
},
) {
	t.Helper()
	if RaceEnabled {
		t.Skip("the race detector sees in other tests what runs side by side here")
	}
}
