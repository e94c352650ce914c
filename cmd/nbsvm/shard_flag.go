package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// shardFlag is a shard, I/N; auto/N is that of this pod of an indexed job of Kubernetes, which counts from 0.
type shardFlag struct{ corpus.Shard }

// UnmarshalText reads it.
func (s *shardFlag) UnmarshalText(text []byte) error {
	count, auto := strings.CutPrefix(string(text), "auto/")
	if !auto {
		return s.Shard.UnmarshalText(text)
	}
	index, err := strconv.Atoi(os.Getenv("JOB_COMPLETION_INDEX"))
	if err != nil || index < 0 {
		return fmt.Errorf("auto/%s takes the shard from JOB_COMPLETION_INDEX, which must be a number from 0, got %q: give I/N", count, os.Getenv("JOB_COMPLETION_INDEX"))
	}
	if n, err := strconv.Atoi(count); err == nil && n > 0 && index >= n {
		return fmt.Errorf("JOB_COMPLETION_INDEX is %d, but auto/%d takes 0 to %d", index, n, n-1)
	}
	return s.Shard.UnmarshalText([]byte(strconv.Itoa(index+1) + "/" + count))
}
