package deploy

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faulty runs nbsvm and, while there are faults to take, kills it, has Slurm queue the task again while it works, or
// fails without it.
const faulty = `#!/bin/bash
cd %[1]s
fault=
for f in faults/*; do
	[ -e "$f" ] || break
	if mv "$f" taken/ 2>/dev/null; then fault=${f#faults/}; break; fi
done
case $fault in
*-fail) touch landed/$fault; exit 1 ;;
esac
%[2]s "$@" &
pid=$!
trap 'kill $pid 2>/dev/null' TERM
case $fault in
'') ;;
*)
	sleep 0.$((RANDOM %% 3))$((RANDOM %% 10))$((RANDOM %% 10))
	case $fault in
	*-kill) kill -9 $pid 2>/dev/null && touch landed/$fault ;;
	*-requeue) kill -0 $pid 2>/dev/null && touch landed/$fault && scontrol requeue $SLURM_JOB_ID ;;
	esac
	;;
esac
wait $pid
`

// TestSlurm runs deploy/slurm by Slurm's own daemons on this machine, while tasks are killed, fail and are queued
// again: an array that filters, then one that packs and a job that merges and trains when that is done. NBSVM_FAULTS
// says how many faults there are.
func TestSlurm(t *testing.T) {
	c := newSlurm(t)
	s := newShop(t)
	n := faults(t, 16)
	for _, script := range []string{"array", "train"} {
		data, err := os.ReadFile(filepath.Join("..", "slurm", script+".sbatch"))
		if err != nil {
			t.Fatal(err)
		}
		s.write(script+".sbatch", data, 0o755)
	}
	s.write("faulty", fmt.Appendf(nil, faulty, s.folder, program), 0o755)

	hit := 0
	for round := 0; hit < n/2 && round < 100; round++ {
		s.remove("good", "rest")
		s.tokens(n/2-hit, "kill", "requeue", "kill", "fail")
		array := c.submit(s, "", slices.Concat([]string{"--array=3-17:2", "array.sbatch"}, score,
			[]string{"--out-dir", "good", "--rejects", "rest", "quality.nbm", "web/*.jsonl"})...)
		c.wait(s, func() { s.checkWhileRunning("good", s.good) })
		c.done(array)
		s.whole("good", s.good)
		s.whole("rest", s.rest)
		_, hit = s.landed()
	}
	for round := 0; hit < n && round < 100; round++ {
		s.remove("parts", "trained.nbm")
		s.tokens(n-hit, "kill", "requeue", "kill", "fail")
		array := c.submit(s, "", slices.Concat([]string{"--array=1-6", "array.sbatch"}, pack, []string{"--out-dir", "parts", "web/*.jsonl"})...)
		last := c.submit(s, program, slices.Concat([]string{
			"--dependency=afterany:" + array,
			"train.sbatch", "trained.nbm", "parts", "web/*.jsonl",
		}, train)...)
		c.wait(s, func() { s.checkWhileRunning("parts", s.parts) })
		c.done(array)
		c.done(last)
		s.whole("parts", s.parts)
		if s.read("trained.nbm") != s.model {
			t.Error("the model is another than that of all documents at once")
		}
		_, hit = s.landed()
	}
	counts, hit := s.landed()
	t.Logf("%d faults hit: %s; files lost, there twice, half written: %d, %d, %d", hit, sorted(counts), s.lost, s.doubled, s.half)
	if hit < n {
		t.Errorf("of %d faults only %d hit", n, hit)
	}

	// What can't be mended by trying again is not tried again, and nothing is made of it.
	array := c.submit(s, program, "--array=1-2", "array.sbatch", "pack", "--ngrams", "1-2", "--out-dir", "wrong", "web/*.jsonl")
	last := c.submit(s, program, "--dependency=afterany:"+array, "train.sbatch", "none.nbm", "wrong", "")
	c.wait(s, func() {})
	if state := c.state(array); !strings.Contains(state, "ExitCode=2:0") || !strings.Contains(state, "Restarts=0") {
		t.Errorf("wrong usage ends as %s", state)
	}
	if state := c.state(last); !strings.Contains(state, "ExitCode=1:0") || len(s.files("wrong")) > 0 {
		t.Errorf("what depends on it ends as %s", state)
	}
}

// slurm are daemons of Slurm, a controller and one node, for this test alone.
type slurm struct {
	t      *testing.T
	folder string
	env    []string
}

func newSlurm(t *testing.T) *slurm {
	t.Helper()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s: apt-get install slurm-wlm munge", name)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("the daemons of Slurm want to be started by root")
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	c := &slurm{t: t, folder: t.TempDir()}
	if err := os.Chmod(c.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(c.folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	key := make([]byte, 128)
	rand.Read(key)
	c.write("munge.key", string(key))
	conf := strings.NewReplacer("FOLDER", c.folder, "HOST", host, "CONTROLLER_PORT", freePort(t), "NODE_PORT", freePort(t)).Replace(`
ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=CONTROLLER_PORT
SlurmdPort=NODE_PORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=FOLDER/munge.sock
CredType=cred/munge
StateSaveLocation=FOLDER/state
SlurmdSpoolDir=FOLDER/spool
SlurmctldPidFile=FOLDER/slurmctld.pid
SlurmdPidFile=FOLDER/slurmd.pid
SlurmctldLogFile=FOLDER/slurmctld.log
SlurmdLogFile=FOLDER/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,sched_interval=1
KillWait=1
MinJobAge=3600
NodeName=HOST NodeAddr=127.0.0.1 CPUs=8 RealMemory=100000 State=UNKNOWN
PartitionName=all Nodes=HOST Default=YES MaxTime=INFINITE State=UP
`)
	c.write("slurm.conf", conf)
	c.env = append(os.Environ(), "SLURM_CONF="+filepath.Join(c.folder, "slurm.conf"))
	t.Cleanup(c.stop)
	c.start("munged", "munged", "--force", "--key-file="+c.at("munge.key"), "--socket="+c.at("munge.sock"),
		"--pid-file="+c.at("munged.pid"), "--log-file="+c.at("munged.log"), "--seed-file="+c.at("munge.seed"))
	c.start("slurmctld", "slurmctld", "-c")
	c.start("slurmd", "slurmd")
	c.until("the node is idle", func() bool {
		out, _ := c.command("sinfo", "-h", "-o", "%T").Output()
		return strings.HasPrefix(string(out), "idle")
	})
	return c
}

func (c *slurm) at(name string) string { return filepath.Join(c.folder, name) }

func (c *slurm) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(c.at(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *slurm) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = c.env
	return cmd
}

// start starts a daemon, which goes to the background by itself.
func (c *slurm) start(name string, args ...string) {
	c.t.Helper()
	if out, err := c.command(args[0], args[1:]...).CombinedOutput(); err != nil {
		log, _ := os.ReadFile(c.at(name + ".log"))
		c.t.Skipf("%s can't be started here: %v\n%s\n%s", name, err, out, log)
	}
}

// stop ends the daemons by their ids.
func (c *slurm) stop() {
	c.command("scancel", "--full", "--user=root").Run()
	for _, name := range []string{"slurmd", "slurmctld", "munged"} {
		text, err := os.ReadFile(c.at(name + ".pid"))
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || pid < 2 {
			continue
		}
		syscall.Kill(pid, syscall.SIGTERM)
		for range 100 {
			if syscall.Kill(pid, 0) != nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// until waits for what takes a minute at most.
func (c *slurm) until(what string, is func() bool) {
	c.t.Helper()
	for range 600 {
		if is() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	log, _ := os.ReadFile(c.at("slurmctld.log"))
	c.t.Fatalf("it takes too long until %s\n%s", what, log)
}

// submit submits a job that runs a program in place of nbsvm, the faulty one unless another is given, on one processor
// a task, whatever the script asks for, and returns its id.
func (c *slurm) submit(s *shop, program string, args ...string) string {
	c.t.Helper()
	if program == "" {
		program = s.at("faulty")
	}
	cmd := c.command("sbatch", append([]string{"--parsable", "--cpus-per-task=1", "--mem=0", "--export=ALL"}, args...)...)
	cmd.Dir = s.folder
	cmd.Env = append(cmd.Env, "NBSVM="+program, "NBSVM_RETRIES=1000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("sbatch %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// wait waits for all jobs. Those that are queued again would begin after two minutes, and begin after two seconds: not
// at once, as Slurm might take the end of the last try, which it is told of meanwhile, for that of the next.
func (c *slurm) wait(s *shop, while func()) {
	c.t.Helper()
	deadline := time.Now().Add(10*time.Minute + time.Duration(faults(c.t, 0))*5*time.Second)
	waiting := map[string]time.Time{}
	for time.Now().Before(deadline) {
		out, err := c.command("squeue", "-h", "-a", "-r", "-o", "%A %T %r").Output()
		if err != nil {
			c.t.Fatal(err)
		}
		if len(out) == 0 {
			return
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			switch {
			case len(f) != 3 || f[1] != "PENDING" || f[2] != "BeginTime":
				delete(waiting, f[0])
			case waiting[f[0]].IsZero():
				waiting[f[0]] = time.Now()
			case time.Since(waiting[f[0]]) > 2*time.Second:
				c.command("scontrol", "update", "JobId="+f[0], "StartTime=now").Run() // it may have begun
			}
		}
		while()
		time.Sleep(200 * time.Millisecond)
	}
	out, _ := c.command("squeue", "-a").Output()
	logs, _ := filepath.Glob(s.at("nbsvm-*.log"))
	c.t.Fatalf("jobs are not done:\n%s\nlogs %v", out, logs)
}

// state is what Slurm tells of a job, all tasks of an array.
func (c *slurm) state(job string) string {
	c.t.Helper()
	out, err := c.command("scontrol", "show", "job", "-o", job).Output()
	if err != nil {
		c.t.Fatalf("scontrol show job %s: %v", job, err)
	}
	return string(out)
}

var (
	completed = regexp.MustCompile(`JobState=COMPLETED `)
	stdout    = regexp.MustCompile(`StdOut=(\S+)`)
)

// done checks that all tasks of a job have completed.
func (c *slurm) done(job string) {
	c.t.Helper()
	for line := range strings.Lines(c.state(job)) {
		if completed.MatchString(line) {
			continue
		}
		var log []byte
		if path := stdout.FindStringSubmatch(line); path != nil {
			log, _ = os.ReadFile(path[1])
		}
		c.t.Errorf("job %s: %s%s", job, line, log)
	}
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// TestTrainUsage: what is missing is named, and not a line of the script.
func TestTrainUsage(t *testing.T) {
	said, err := exec.Command("bash", filepath.Join("..", "slurm", "train.sbatch"), "m.nbm", "parts").CombinedOutput()
	failed, is := errors.AsType[*exec.ExitError](err)
	if want := "train.sbatch: want MODEL PARTS INPUTS [FLAGS OF nbsvm train]; got m.nbm parts\n"; !is || failed.ExitCode() != 2 || string(said) != want {
		t.Errorf("%v, it says %q", err, said)
	}
}
