//go:build amd64 || arm64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// operation is a call of the system on a file.
type operation struct {
	call  string
	paths []string // two of what gets another name
}

func (o operation) String() string { return o.call + " " + strings.Join(o.paths, " to ") }

// calls are those of the system on files that can be made to fail, with the arguments that say on which: the
// descriptors of open files, or of folders with the address of a path behind each.
var calls = map[int32]struct {
	name           string
	open, relative []int
}{
	unix.SYS_READ:            {name: "read", open: []int{0}},
	unix.SYS_PREAD64:         {name: "pread", open: []int{0}},
	unix.SYS_WRITE:           {name: "write", open: []int{0}},
	unix.SYS_PWRITE64:        {name: "pwrite", open: []int{0}},
	unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", open: []int{0, 2}},
	unix.SYS_LSEEK:           {name: "lseek", open: []int{0}},
	unix.SYS_MMAP:            {name: "mmap", open: []int{4}},
	unix.SYS_FSTAT:           {name: "fstat", open: []int{0}},
	unix.SYS_FTRUNCATE:       {name: "ftruncate", open: []int{0}},
	unix.SYS_FALLOCATE:       {name: "fallocate", open: []int{0}},
	unix.SYS_FCHMOD:          {name: "fchmod", open: []int{0}},
	unix.SYS_FSYNC:           {name: "fsync", open: []int{0}},
	unix.SYS_FDATASYNC:       {name: "fdatasync", open: []int{0}},
	unix.SYS_FLOCK:           {name: "flock", open: []int{0}},
	unix.SYS_GETDENTS64:      {name: "getdents", open: []int{0}},
	unix.SYS_OPENAT:          {name: "open", relative: []int{0}},
	unix.SYS_NEWFSTATAT:      {name: "stat", relative: []int{0}},
	unix.SYS_READLINKAT:      {name: "readlink", relative: []int{0}},
	unix.SYS_MKDIRAT:         {name: "mkdir", relative: []int{0}},
	unix.SYS_UNLINKAT:        {name: "unlink", relative: []int{0}},
	unix.SYS_FCHMODAT:        {name: "chmod", relative: []int{0}},
	unix.SYS_RENAMEAT:        {name: "rename", relative: []int{0, 2}},
	unix.SYS_RENAMEAT2:       {name: "rename", relative: []int{0, 2}},
	unix.SYS_LINKAT:          {name: "link", relative: []int{0, 2}},
}

// The system's own types: what a filter of calls sees, and the notes about those that wait for an answer.
type (
	callData struct {
		call    int32
		machine uint32
		at      uint64
		args    [6]uint64
	}
	callNote struct {
		id    uint64
		pid   uint32
		flags uint32
		callData
	}
	callAnswer struct {
		id     uint64
		value  int64
		refuse int32
		flags  uint32
	}
)

func init() { programs["watched"] = watched }

// notWatched is the exit code where the system has no such filters.
const notWatched = 99

// watched becomes nbsvm, whose calls on files then wait for the answers of the process that started it. That gets the
// descriptor to answer by through descriptor 3.
func watched() {
	const to = 3
	load := func(offset uintptr) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: uint32(offset)}
	}
	end := func(verdict uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict}
	}
	filter := []unix.SockFilter{load(unsafe.Offsetof(callData{}.call))}
	for call := range calls {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(call), Jf: 1})
		if call == unix.SYS_MMAP { // of memory, without a file, this process asks on its way
			filter[len(filter)-1].Jf = 4
			filter = append(filter,
				load(unsafe.Offsetof(callData{}.args)+3*8),
				unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.MAP_ANONYMOUS, Jf: 1},
				end(unix.SECCOMP_RET_ALLOW),
			)
		}
		filter = append(filter, end(unix.SECCOMP_RET_USER_NOTIF))
	}
	filter = append(filter, end(unix.SECCOMP_RET_ALLOW))
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	args, env := append([]string{"nbsvm"}, os.Args[1:]...), os.Environ()

	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		os.Exit(notWatched)
	}
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	answers, _, failed := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&program)))
	if failed != 0 {
		os.Exit(notWatched)
	}
	if err := unix.Sendmsg(to, []byte{0}, unix.UnixRights(int(answers)), nil, 0); err != nil {
		os.Exit(notWatched)
	}
	unix.Close(to)
	unix.Exec("/proc/self/exe", args, env)
	os.Exit(notWatched)
}

// watch runs a command of nbsvm to its end, and lists what it does to files in its folder. What is done last fails if
// that is wanted.
func watch(t testing.TB, cmd *exec.Cmd, fails func(done []operation) bool) (done []operation) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must.OK(t, err)
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	cmd.Args[0], cmd.ExtraFiles = "watched", []*os.File{theirs}
	err = cmd.Start()
	theirs.Close()
	must.OK(t, err)
	defer cmd.Wait()
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), rights, 0)
	if err != nil || n == 0 {
		cmd.Wait()
		if cmd.ProcessState.ExitCode() == notWatched {
			t.Skip("this system has no filters of calls that can be answered")
		}
		t.Fatalf("%v: %v, %s", err, cmd.ProcessState, cmd.Stderr)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	must.OK(t, err)
	fds, err := unix.ParseUnixRights(&messages[0])
	must.OK(t, err)
	defer unix.Close(fds[0])
	for {
		poll := []unix.PollFd{{Fd: int32(fds[0]), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err == unix.EINTR {
			continue
		}
		if poll[0].Revents&unix.POLLIN == 0 { // the process has ended
			return done
		}
		var note callNote
		if err := control(fds[0], unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&note)); err != nil {
			continue // it has ended meanwhile
		}
		answer := callAnswer{id: note.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if paths := note.paths(cmd.Dir); len(paths) > 0 {
			last := operation{calls[note.call].name, paths}
			if done = append(done, last); fails(done) {
				answer.flags, answer.refuse = 0, -int32(failure(last))
			}
		}
		err := control(fds[0], unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&answer))
		if err != nil && !errors.Is(err, unix.ENOENT) { // else it has been killed
			t.Error(err)
		}
	}
}

// failure is the error that an operation is given.
func failure(o operation) syscall.Errno {
	if slices.Contains([]string{"write", "pwrite", "copy_file_range", "fallocate", "mkdir", "link"}, o.call) {
		return syscall.ENOSPC
	}
	return syscall.EIO
}

func control(fd int, request uintptr, of unsafe.Pointer) error {
	if _, _, err := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(of)); err != 0 {
		return err
	}
	return nil
}

// paths are those of the files that a call is about, if one of them is in the folder; from there on.
func (n *callNote) paths(folder string) (paths []string) {
	call, within := calls[n.call], false
	add := func(path string) {
		path = strings.TrimSuffix(path, " (deleted)")
		name, err := filepath.Rel(folder, path)
		if err == nil && filepath.IsLocal(name) {
			path, within = name, true
		}
		paths = append(paths, path)
	}
	for _, k := range call.open {
		add(n.descriptor(n.args[k]))
	}
	for _, k := range call.relative {
		path := n.text(n.args[k+1])
		if from := n.args[k]; !filepath.IsAbs(path) && int32(from) == unix.AT_FDCWD {
			path = filepath.Join(folder, path)
		} else if !filepath.IsAbs(path) {
			path = filepath.Join(n.descriptor(from), path)
		}
		add(path)
	}
	if !within {
		return nil
	}
	return paths
}

// descriptor is the path of an open file of the process.
func (n *callNote) descriptor(fd uint64) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(fd)))
	return path
}

// text is what is at an address of the process, up to a byte 0.
func (n *callNote) text(at uint64) string {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.pid))
	if err != nil {
		return ""
	}
	defer memory.Close()
	buf := make([]byte, unix.PathMax)
	read, _ := memory.ReadAt(buf, int64(at))
	path, _, _ := bytes.Cut(buf[:read], []byte{0})
	return string(path)
}
