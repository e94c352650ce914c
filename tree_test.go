package nbsvm

import "testing"

// TestTreeChosen: auto grows a tree for very many classes, and for fewer where it saves much: not with few documents,
// several labels a document, or one class far larger than others.
func TestTreeChosen(t *testing.T) {
	for _, test := range []struct {
		classes   int
		documents int64
		largest   float64
		several   bool
		want      Tree
	}{
		{2, 1 << 40, 0.5, false, NeverTree},
		{63, 1 << 40, 0.02, false, NeverTree},
		{64, 1 << 20, 0.24, false, AlwaysTree},
		{64, 1<<20 - 1, 0.02, false, NeverTree},
		{64, 1 << 20, 0.25, false, NeverTree},
		{64, 1 << 20, 0.02, true, NeverTree},
		{4095, 4000, 0.001, false, NeverTree},
		{4096, 5000, 0.5, true, AlwaysTree},
		{4096, 5000, 0.5, false, AlwaysTree},
	} {
		got := AutoTree.chosenFor(test.classes, test.documents, test.largest, test.several)
		if got != test.want {
			t.Errorf("%+v: auto is %q", test, got)
		}
		for _, tree := range []Tree{"", AlwaysTree, NeverTree} {
			if got := tree.chosenFor(test.classes, test.documents, test.largest, test.several); got != tree {
				t.Errorf("%q became %q", tree, got)
			}
		}
	}
}
