package wording

import (
	"slices"
	"strings"
)

// Plain takes the names of packages out of a message, with which they begin their
// errors, wrapped ones as well; they tell users of the command nothing. What is
// quoted is data and stays.
func Plain(text string) string {
	head, quoted := text, ""
	if quote := strings.IndexByte(text, '"'); quote >= 0 {
		head, quoted = text[:quote], text[quote:]
	}
	parts := strings.SplitAfter(head, ": ")
	parts = slices.DeleteFunc(parts, func(part string) bool {
		name, cut := strings.CutSuffix(part, ": ")
		return cut && slices.Contains(packages, name)
	})
	return strings.Join(parts, "") + quoted
}

// packages are those whose errors reach users.
var packages = []string{"nbsvm", "atomicfile", "bayes", "bench", "corpus", "hashing", "kernels", "metrics", "mmap", "model", "ngrams", "packed", "scratch", "solver", "sparse", "tag"}
