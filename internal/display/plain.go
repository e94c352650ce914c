package display

import (
	"regexp"
	"slices"
	"strings"
)

// Plain takes the names of packages out of a message, with which they begin their
// errors, wrapped ones as well; they tell users of the command nothing. What is
// quoted is data and stays.
func Plain(text string) string {
	return unquoted.ReplaceAllStringFunc(text, func(part string) string {
		name, cut := strings.CutSuffix(part, ": ")
		if cut && slices.Contains(packages, name) {
			return ""
		}
		return part
	})
}

// unquoted matches what stands between colons, with any quoted texts in it.
var unquoted = regexp.MustCompile(`(?s)(?:"(?:[^"\\]|\\.)*(?:"|$)|[^":]|:[^ "]|:$)*(?:: )?`)

// packages are those whose errors reach users.
var packages = []string{"nbsvm", "bayes", "bench", "corpus", "hashing", "kernels", "metrics", "model", "ngrams", "packed", "scratch", "solver", "sparse", "tag"}
