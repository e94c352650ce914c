package par

import (
	"context"
	"errors"
	"runtime/pprof"
	"testing"
)

func TestStagesNest(t *testing.T) {
	want := func(ctx context.Context, stage string) {
		t.Helper()
		if got, ok := pprof.Label(ctx, "stage"); got != stage || ok != (stage != "") {
			t.Errorf("stage %q, want %q", got, stage)
		}
	}
	failed := errors.New("failed")
	err := InStage(t.Context(), "read", func(ctx context.Context) error {
		want(ctx, "read")
		n, err := StageResult(ctx, "count", func(ctx context.Context) (int, error) {
			want(ctx, "count")
			return 7, nil
		})
		if n != 7 || err != nil {
			t.Errorf("Get gave %d, %v", n, err)
		}
		want(ctx, "read")
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	want(t.Context(), "")
}
