// Package build tells what the running program was built from.
package build

import "runtime/debug"

// Revision returns the commit, "abbreviated hash" or "abbreviated hash, changed"; empty
// where the build does not know.
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return revision(info.Settings)
}

func revision(settings []debug.BuildSetting) string {
	commit, changed := "", ""
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				changed = ", changed"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changed
}

// Version of the library and the command; models and corpora record which one made them. Package nbsvm has it, too,
// so that its documentation shows it; a test compares the two.
const Version = "1.0.0"
