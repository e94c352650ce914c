package par

import (
	"bytes"
	"context"
	"runtime/pprof"
	"testing"
)

// TestStages: profiles show the stage of a goroutine, of those that it starts, and the outer stage after an inner one.
func TestStages(t *testing.T) {
	want := func(stage string) {
		t.Helper()
		var profile bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{StageRead, StageCount} {
			if found := bytes.Contains(profile.Bytes(), []byte(`{"stage":"`+name+`"}`)); found != (name == stage) {
				t.Errorf("stage %s is in the profile: %t, want %q", name, found, stage)
			}
		}
	}
	ctx, end := WithStage(t.Context(), StageRead)
	want(StageRead)
	func() {
		_, end := WithStage(ctx, StageCount)
		defer end()
		want(StageCount)
	}()
	want(StageRead)
	done := make(chan struct{})
	go func(context.Context) {
		defer close(done)
		end() // of this goroutine alone
		want(StageRead)
	}(ctx)
	<-done
	end()
	want("")
}
