package nbsvm

import "testing"

// TestTreeChosen: auto grows a tree for very many classes, and for fewer where it saves much: not with few documents,
// several labels a document, or one class far larger than others.
func TestTreeChosen(t *testing.T) {
	for _, test := range []struct {
		kind      Kind
		classes   int
		documents int64
		largest   float64
		several   bool
		want      Tree
	}{
		{NBSVM, 2, 1 << 40, 0.5, false, NeverTree},
		{NBSVM, 63, 1 << 40, 0.02, false, NeverTree},
		{NBSVM, 64, 1 << 20, 0.24, false, AlwaysTree},
		{NBSVM, 64, 1<<20 - 1, 0.02, false, NeverTree},
		{NBSVM, 64, 1 << 20, 0.25, false, NeverTree},
		{NBSVM, 64, 1 << 20, 0.02, true, NeverTree},
		{NBSVM, 2000, 40000, 0.001, false, AlwaysTree},
		{SVM, 2000, 40000, 0.001, false, NeverTree},
		{SVM, 512, 512 * 512, 0.01, false, AlwaysTree},
		{Logistic, 512, 512*512 - 1, 0.01, false, NeverTree},
		{SVM, 4096, 5000, 0.001, false, AlwaysTree},
		{NBSVM, 4095, 4000, 0.001, false, NeverTree},
		{NBSVM, 4096, 5000, 0.5, true, AlwaysTree},
		{NBSVM, 4096, 5000, 0.5, false, AlwaysTree},
	} {
		got := AutoTree.chosenFor(test.kind, test.classes, test.documents, test.largest, test.several)
		if got != test.want {
			t.Errorf("%+v: auto is %q", test, got)
		}
		for _, tree := range []Tree{"", AlwaysTree, NeverTree} {
			if got := tree.chosenFor(test.kind, test.classes, test.documents, test.largest, test.several); got != tree {
				t.Errorf("%q became %q", tree, got)
			}
		}
	}
}
