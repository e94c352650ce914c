package recordstream

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Program is the name of the program that reads and writes Parquet files, and hands records on.
const Program = "nbsvm-parquet"

// FindProgram returns the path of the program: beside the running program, or else where the shell would find it. If
// there is none, the error says how to install it.
func FindProgram() (string, error) {
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the program %s reads it, and is neither beside nbsvm nor in $PATH: in a clone of nbsvm, make install installs both", name)
	}
	return found, nil
}
