package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// shardFlag is a shard, I/N; auto and auto/N are those of this task of a job array.
type shardFlag struct{ corpus.Shard }

// UnmarshalText reads it.
func (s *shardFlag) UnmarshalText(text []byte) error {
	head, of, counted := strings.Cut(string(text), "/")
	if head != "auto" {
		return s.Shard.UnmarshalText(text)
	}
	number, count, err := taskOfArray()
	if err != nil {
		return fmt.Errorf("auto: %w", err)
	}
	switch {
	case counted && count != "" && count != of:
		return fmt.Errorf("auto/%s: the array has %s tasks, so shards would be missing: give auto", of, count)
	case counted:
		count = of
	case count == "":
		return errors.New("auto: JOB_COMPLETION_INDEX does not tell the number of tasks: give auto/N, where N is the number of completions of the job")
	}
	if n, err := strconv.Atoi(count); err == nil && n > 0 && number > n {
		return fmt.Errorf("JOB_COMPLETION_INDEX is %d, but auto/%d takes 0 to %d", number-1, n, n-1)
	}
	return s.Shard.UnmarshalText([]byte(strconv.Itoa(number) + "/" + count))
}

// taskOfArray returns the number of this task of a job array, from 1, and the number of tasks, or "" if the scheduler
// does not tell.
func taskOfArray() (number int, count string, err error) {
	index, kubernetes := os.LookupEnv("JOB_COMPLETION_INDEX")
	_, slurm := os.LookupEnv("SLURM_ARRAY_TASK_ID")
	switch {
	case kubernetes && slurm:
		return 0, "", errors.New("both SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX are set: give I/N")
	case slurm:
		return slurmTask()
	case !kubernetes:
		return 0, "", errors.New("neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set, so this is not a task of a job array: give I/N")
	}
	number, err = strconv.Atoi(index)
	if err != nil || number < 0 {
		return 0, "", fmt.Errorf("JOB_COMPLETION_INDEX must be a number from 0, got %q", index)
	}
	return number + 1, "", nil
}

// slurmTask returns which task of a Slurm array this is. Ids may begin anywhere, and have steps, but no gaps: what is
// left out of an array would be no task's.
func slurmTask() (number int, count string, err error) {
	names := []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"}
	var values [5]int
	for i, name := range names {
		text := os.Getenv(name)
		if text == "" && name == "SLURM_ARRAY_TASK_STEP" {
			text = "1"
		}
		if values[i], err = strconv.Atoi(text); err != nil || values[i] < 0 {
			return 0, "", fmt.Errorf("%s must be a number, got %q", name, text)
		}
	}
	id, least, most, step, tasks := values[0], values[1], values[2], values[3], values[4]
	if step < 1 || (most-least)/step+1 != tasks || (id-least)%step != 0 || id < least || id > most {
		return 0, "", fmt.Errorf("the array has %d tasks from %d to %d, with gaps: submit the whole array, or give I/N", tasks, least, most)
	}
	return (id-least)/step + 1, strconv.Itoa(tasks), nil
}
