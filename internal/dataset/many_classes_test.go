package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooManyClasses: what is likely to be a mistake is refused with its cause, and small sets of many classes are not.
func TestTooManyClasses(t *testing.T) {
	for _, test := range []struct {
		documents int
		label     func(i int) string
		says      string // empty if they are good
	}{
		{3, func(i int) string { return fmt.Sprint(i) }, ""},
		{39, func(i int) string { return fmt.Sprint(i) }, ""},
		{150 * 20, func(i int) string { return fmt.Sprint("intent ", i%150) }, ""},
		{77 * 2, func(i int) string { return fmt.Sprint("intent ", i%77) }, ""},
		{1000, func(i int) string { return fmt.Sprint(i % 500) }, ""},
		{1000, func(i int) string { return fmt.Sprintf("%.1f", 1+float64(i%41)/10) }, ""}, // ratings
		{5452, func(i int) string { return fmt.Sprint("question ", i%5381) }, "look like texts; are the columns swapped (--label-field 2"},
		{40, func(i int) string { return fmt.Sprint("x", i) }, "or is it another column?"},
		{1000, func(i int) string { return fmt.Sprint(i) }, "are they ids, or numbers"},
		{1000, func(i int) string { return fmt.Sprintf("%.3f", float64(i%60)/7) }, "numbers to be predicted"},
	} {
		c := NewClasses()
		for i := range test.documents {
			if err := c.Add([][]byte{[]byte(test.label(i))}); err != nil {
				t.Fatal(err)
			}
		}
		err := c.tooMany("a.tsv")
		if test.says == "" && err != nil {
			t.Errorf("%d documents: %v", test.documents, err)
		}
		if test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "--allow-many-classes")) {
			t.Errorf("%d documents: %v, want %q", test.documents, err, test.says)
		}
	}
}
