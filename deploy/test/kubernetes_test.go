package deploy

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// manifest reads a job of deploy/kubernetes. A field that Kubernetes does not know is an error, or one given twice.
func manifest(t *testing.T, name string) *batchv1.Job {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "kubernetes", name))
	if err != nil {
		t.Fatal(err)
	}
	job := new(batchv1.Job)
	if err := yaml.UnmarshalStrict(text, job); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return job
}

// TestManifests holds the jobs against what Kubernetes asks of them beyond the names of fields (validation.go of
// k8s.io/kubernetes/pkg/apis/batch), and against the rules of "restricted" pods.
func TestManifests(t *testing.T) {
	for _, name := range []string{"score.yaml", "pack.yaml", "train.yaml"} {
		job := manifest(t, name)
		spec, pod := &job.Spec, &job.Spec.Template.Spec
		if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Name == "" {
			t.Errorf("%s: it is %s %s %q", name, job.APIVersion, job.Kind, job.Name)
		}
		if pod.RestartPolicy != corev1.RestartPolicyNever {
			t.Errorf("%s: a policy for failures of pods wants restartPolicy Never", name)
		}
		containers := slices.Concat(pod.InitContainers, pod.Containers)
		if indexed := name != "train.yaml"; indexed {
			mode := spec.CompletionMode
			if mode == nil || *mode != batchv1.IndexedCompletion || spec.Completions == nil || spec.BackoffLimitPerIndex == nil {
				t.Fatalf("%s: it is no Indexed Job with backoffLimitPerIndex", name)
			}
			if shard := fmt.Sprintf("--shard=auto/%d", *spec.Completions); !slices.Contains(pod.Containers[0].Args, shard) {
				t.Errorf("%s: completions is %d, and there is no %s", name, *spec.Completions, shard)
			}
		}
		for _, rule := range spec.PodFailurePolicy.Rules {
			switch codes := rule.OnExitCodes; {
			case rule.Action == batchv1.PodFailurePolicyActionFailIndex && spec.BackoffLimitPerIndex == nil:
				t.Errorf("%s: FailIndex wants backoffLimitPerIndex", name)
			case (codes == nil) == (rule.OnPodConditions == nil):
				t.Errorf("%s: a rule wants either exit codes or conditions", name)
			case codes != nil && (!slices.IsSorted(codes.Values) || slices.Contains(codes.Values, 0) ||
				!slices.ContainsFunc(containers, func(c corev1.Container) bool { return c.Name == *codes.ContainerName })):
				t.Errorf("%s: exit codes %v of %s", name, codes.Values, *codes.ContainerName)
			}
		}
		checkPod(t, name, pod)
	}
}

// checkPod holds a pod against the rules of "restricted" ones, and its containers against what they ask for.
func checkPod(t *testing.T, name string, pod *corev1.PodSpec) {
	c := pod.SecurityContext
	if c == nil || !*c.RunAsNonRoot || *c.RunAsUser == 0 || c.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: pods may run as root", name)
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		if s := c.SecurityContext; s == nil || !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("%s: %s may do more than it needs", name, c.Name)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s: %s asks for no resources", name, c.Name)
		}
		if threads := fmt.Sprintf("--threads=%d", c.Resources.Requests.Cpu().Value()); !slices.Contains(c.Args, threads) {
			t.Errorf("%s: %s takes other than the %s that it asks for", name, c.Name, threads)
		}
		for _, m := range c.VolumeMounts {
			if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("%s: %s mounts %s, which is no volume", name, c.Name, m.Name)
			}
		}
	}
}

// TestKubernetes runs the jobs index by index as the controller and the kubelet do: with nothing but nbsvm in the root,
// which it may not write to, without privileges, and with the variables of an Indexed Job, while pods are killed,
// disrupted, fail, or are there twice, as when a node is lost that still works. NBSVM_FAULTS says how many faults.
func TestKubernetes(t *testing.T) {
	k := newCluster(t)
	s := k.shop
	k.left = faults(t, 40)
	n := k.left
	filter := k.job("score.yaml", "/data/web/*.jsonl")
	k.replace(filter, `--where=p("good") >= 0.9`, "--where=margin > 0")
	k.replace(filter, "--on-bad=skip", "--rejects=/data/rest")
	packing := k.job("pack.yaml", "/data/web/*.jsonl")
	k.replace(packing, "--memory=2GiB", "--memory=64MiB")
	training := k.job("train.yaml", "/data/web/*.jsonl")
	k.replace(training, "--min-df=2", "--min-df=2", "--bits=14")
	for round := 0; round < 100; round++ {
		s.remove("good", "rest", "parts", "all.nbc", "model.nbm")
		k.run(filter, func() { s.checkWhileRunning("good", s.good) })
		s.whole("good", s.good)
		s.whole("rest", s.rest)
		k.run(packing, func() { s.checkWhileRunning("parts", s.parts) })
		s.whole("parts", s.parts)
		k.run(training, func() {})
		if s.read("model.nbm") != s.model {
			t.Error("the model is another than that of all documents at once")
		}
		if k.left == 0 {
			break
		}
	}
	hit := 0
	for _, count := range k.hit {
		hit += count
	}
	t.Logf("%d faults hit: %s; files lost, there twice, half written: %d, %d, %d", hit, sorted(k.hit), s.lost, s.doubled, s.half)
	if hit < n {
		t.Errorf("of %d faults only %d hit", n, hit)
	}
}

// TestKubernetesExitCodes: bad records fail no index with --exit-zero, and a bad file fails its own in any case. Of these,
// and of pods that end with 2, no other is tried. The other indexes go on.
func TestKubernetesExitCodes(t *testing.T) {
	k := newCluster(t)
	s := k.shop
	s.write("web/05.jsonl", []byte(s.read("web/05.jsonl")+"no record\n"), 0o644)
	s.write("web/07.jsonl", []byte("no records\n"), 0o644)
	k.own()
	filter := k.job("score.yaml", "/data/web/*.jsonl")
	k.replace(filter, `--where=p("good") >= 0.9`, "--where=margin > 0")
	// Of 24 files, the 6th is that of index 5, the 8th of index 7.
	if failed := k.tries(filter, func() {}); !slices.Equal(failed, []int{7}) || k.pods != 13 {
		t.Errorf("with --exit-zero, indexes %v failed, after %d pods", failed, k.pods)
	}
	k.replace(filter, "--exit-zero")
	k.pods = 0
	if failed := k.tries(filter, func() {}); !slices.Equal(failed, []int{5, 7}) || k.pods != 13 {
		t.Errorf("indexes %v failed, after %d pods", failed, k.pods)
	}
	if got := s.files("good"); len(got) != shards-1 || got["00.jsonl"] == "" {
		t.Errorf("there are %d files", len(got))
	}
	k.pods = 0
	packing := k.job("pack.yaml", "/data/web/*.jsonl")
	k.replace(packing, "--min-df=1", "--min-df=2")
	if failed := k.tries(packing, func() {}); len(failed) != 13 || k.pods != 13 {
		t.Errorf("indexes %v failed, after %d pods", failed, k.pods)
	}
	// What is missing is not trained on.
	s.remove("parts")
	k.run(k.job("pack.yaml", "/data/web/0[0-4].jsonl"), func() {})
	if failed := k.tries(k.job("train.yaml", "/data/web/0[0-8].jsonl"), func() {}); len(failed) != 1 {
		t.Error("a model was trained without a part")
	}
}

// cluster is where jobs run: a folder that pods have for their root, with the image's files and the volumes.
type cluster struct {
	*shop
	root  string
	mutex sync.Mutex
	left  int            // faults to inject
	hit   map[string]int // those that have hit, by kind
	pods  int            // that were started
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("to give processes another root and other users takes root")
	}
	k := &cluster{shop: newShop(t), root: t.TempDir(), hit: map[string]int{}}
	if err := os.Chmod(k.root, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.root, "nbsvm"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(k.root, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	// The documents stand in the root, as there may be no right to mount them there.
	if err := os.Rename(k.folder, filepath.Join(k.root, "data")); err != nil {
		t.Fatal(err)
	}
	k.folder = filepath.Join(k.root, "data")
	k.own()
	return k
}

// own gives the volumes to the pods' user, as fsGroup does.
func (k *cluster) own() {
	k.Helper()
	for _, volume := range []string{"data", "tmp"} {
		err := filepath.WalkDir(filepath.Join(k.root, volume), func(path string, _ fs.DirEntry, err error) error {
			return cmp.Or(err, os.Lchown(path, 65532, 65532))
		})
		if err != nil {
			k.Fatal(err)
		}
	}
}

// job is a manifest for the documents that there are.
func (k *cluster) job(name, inputs string) *batchv1.Job {
	k.Helper()
	job := manifest(k.T, name)
	for _, given := range []string{"/data/web/*.jsonl.zst", "/data/labelled/*.jsonl.zst"} {
		for _, c := range slices.Concat(job.Spec.Template.Spec.InitContainers, job.Spec.Template.Spec.Containers) {
			for i, arg := range c.Args {
				if arg == given {
					c.Args[i] = inputs
				}
			}
		}
	}
	return job
}

// replace replaces an argument.
func (k *cluster) replace(job *batchv1.Job, arg string, by ...string) {
	k.Helper()
	c := &job.Spec.Template.Spec.Containers[0]
	i := slices.Index(c.Args, arg)
	if i < 0 {
		k.Fatalf("%s has no %s", job.Name, arg)
	}
	c.Args = slices.Replace(c.Args, i, i+1, by...)
}

// run runs a job, of which no index may fail.
func (k *cluster) run(job *batchv1.Job, while func()) {
	k.Helper()
	if failed := k.tries(job, while); len(failed) > 0 {
		k.Errorf("%s: indexes %v failed", job.Name, failed)
	}
}

// tries runs a job's indexes side by side, each as often as the job's policy has it, and returns those that failed.
func (k *cluster) tries(job *batchv1.Job, while func()) (failed []int) {
	k.Helper()
	completions, limit := 1, int32(0)
	if job.Spec.Completions != nil {
		completions, limit = int(*job.Spec.Completions), *job.Spec.BackoffLimitPerIndex
	} else {
		limit = *job.Spec.BackoffLimit
	}
	var group sync.WaitGroup
	places := make(chan struct{}, 4) // fewer than the job's parallelism, as this is one machine
	for index := range completions {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			good := k.index(job, index, limit)
			k.mutex.Lock()
			defer k.mutex.Unlock()
			if !good {
				failed = append(failed, index)
			}
			while()
		})
	}
	group.Wait()
	slices.Sort(failed)
	return failed
}

// index runs pods of an index until one succeeds, or the policy gives the index up.
func (k *cluster) index(job *batchv1.Job, index int, limit int32) (good bool) {
	for failures := int32(0); ; {
		container, code, disrupted := k.pod(job, index, failures < limit)
		if code == 0 {
			return true
		}
		switch action(job, container, code, disrupted) {
		case batchv1.PodFailurePolicyActionIgnore:
		case batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailJob:
			return false
		default:
			if failures++; failures > limit {
				return false
			}
		}
	}
}

// action is what a job's policy says of a pod that failed: the first rule that fits.
func action(job *batchv1.Job, container string, code int, disrupted bool) batchv1.PodFailurePolicyAction {
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		if codes := rule.OnExitCodes; codes != nil {
			in := codes.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn
			if *codes.ContainerName == container && slices.Contains(codes.Values, int32(code)) == in {
				return rule.Action
			}
			continue
		}
		if disrupted && rule.OnPodConditions[0].Type == corev1.DisruptionTarget {
			return rule.Action
		}
	}
	return batchv1.PodFailurePolicyActionCount
}

// pod runs the containers of a pod one after the other, and returns the one that failed, with its exit code. It may be
// hit by a fault; one that counts as a failure only if another try is left.
func (k *cluster) pod(job *batchv1.Job, index int, mayFail bool) (container string, code int, disrupted bool) {
	kind := k.fault(mayFail)
	switch kind {
	case "twin": // the node is lost, and works on
		twin := make(chan int)
		go func() {
			_, code, _ := k.containers(job, index, "")
			twin <- code
		}()
		container, code, disrupted = k.containers(job, index, "")
		<-twin // nobody looks at what became of it
		k.landed(kind)
		return container, code, disrupted
	case "fail": // it ends before it has begun
		k.landed(kind)
		return job.Spec.Template.Spec.Containers[0].Name, 1, false
	}
	return k.containers(job, index, kind)
}

// fault takes one of those that are left.
func (k *cluster) fault(mayFail bool) string {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.left == 0 || rand.IntN(4) == 0 {
		return ""
	}
	k.left--
	if mayFail {
		return []string{"kill", "disruption", "kill", "disruption", "twin", "fail"}[rand.IntN(6)]
	}
	return []string{"disruption", "twin"}[rand.IntN(2)]
}

// landed counts a fault that has hit.
func (k *cluster) landed(kind string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.hit[kind]++
}

// missed gives a fault back that has not.
func (k *cluster) missed() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.left++
}

// containers runs the containers of a pod, the last of which is killed or disrupted if that is the kind.
func (k *cluster) containers(job *batchv1.Job, index int, kind string) (container string, code int, disrupted bool) {
	k.mutex.Lock()
	k.pods++
	k.mutex.Unlock()
	pod := &job.Spec.Template.Spec
	all := slices.Concat(pod.InitContainers, pod.Containers)
	for i, c := range all {
		cmd := k.command(job, &c, index)
		if err := cmd.Start(); err != nil {
			k.Error(err)
			return c.Name, 128, false
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		if i == len(all)-1 && kind != "" {
			select {
			case <-time.After(time.Duration(rand.Int64N(int64(300 * time.Millisecond)))):
			case err := <-done:
				done <- err
			}
			disrupted = kind == "disruption"
			if disrupted { // with a grace period, which it may not use up
				cmd.Process.Signal(syscall.SIGTERM)
				time.Sleep(time.Duration(rand.Int64N(int64(20 * time.Millisecond))))
			}
			cmd.Process.Kill()
		}
		<-done
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if code = status.ExitStatus(); status.Signaled() {
			code = 128 + int(status.Signal())
		}
		if i == len(all)-1 && kind != "" {
			if status.Signaled() {
				k.landed(kind)
			} else {
				k.missed()
				disrupted = false
			}
		}
		if code != 0 {
			return c.Name, code, disrupted
		}
	}
	return "", 0, false
}

var variable = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

// command is a container's process: in its root, as its user, with the variables that it has in an Indexed Job.
func (k *cluster) command(job *batchv1.Job, c *corev1.Container, index int) *exec.Cmd {
	env := map[string]string{"HOSTNAME": fmt.Sprintf("%s-%d", job.Name, index)}
	if job.Spec.CompletionMode != nil && *job.Spec.CompletionMode == batchv1.IndexedCompletion {
		env["JOB_COMPLETION_INDEX"] = fmt.Sprint(index)
	}
	for _, e := range c.Env {
		env[e.Name] = e.Value
	}
	cmd := &exec.Cmd{Path: "/nbsvm", Dir: "/", Args: []string{"/nbsvm"}} // the image's ENTRYPOINT
	for _, arg := range c.Args {
		cmd.Args = append(cmd.Args, variable.ReplaceAllStringFunc(arg, func(name string) string {
			return cmp.Or(env[name[2:len(name)-1]], name)
		}))
	}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	user := uint32(*job.Spec.Template.Spec.SecurityContext.RunAsUser)
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: k.root, Credential: &syscall.Credential{Uid: user, Gid: user}}
	return cmd
}
