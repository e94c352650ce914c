// Package must ends a test where it cannot go on.
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
