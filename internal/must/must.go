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
