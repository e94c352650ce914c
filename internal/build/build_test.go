package build

import (
	"runtime/debug"
	"testing"
)

func TestRevision(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, test := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, ""},
		{[]debug.BuildSetting{changed}, ""},
		{[]debug.BuildSetting{commit, clean}, "0123456789ab"},
		{[]debug.BuildSetting{changed, commit}, "0123456789ab, changed"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "short"}}, "short"},
	} {
		if got := revision(test.settings); got != test.want {
			t.Errorf("revision(%v) = %q, want %q", test.settings, got, test.want)
		}
	}
}
