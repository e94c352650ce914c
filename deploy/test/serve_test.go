package deploy

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestServe holds the deployment and the service of serve.yaml against each other, and runs the container's command: it
// answers the probes, and after the signal to stop, the one that says whether it is ready no longer.
func TestServe(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "kubernetes", "serve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := bytes.Cut(text, []byte("\n---\n"))
	deployment, service := new(appsv1.Deployment), new(corev1.Service)
	if err := yaml.UnmarshalStrict(first, deployment); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(second, service); err != nil {
		t.Fatal(err)
	}
	if deployment.APIVersion != "apps/v1" || deployment.Kind != "Deployment" || service.APIVersion != "v1" || service.Kind != "Service" {
		t.Errorf("they are %s %s and %s %s", deployment.APIVersion, deployment.Kind, service.APIVersion, service.Kind)
	}
	template := &deployment.Spec.Template
	checkPod(t, "serve.yaml", &template.Spec)
	for _, selector := range []map[string]string{deployment.Spec.Selector.MatchLabels, service.Spec.Selector} {
		for name, value := range selector {
			if template.Labels[name] != value {
				t.Errorf("the pods' label %s is %q, and %q is selected", name, template.Labels[name], value)
			}
		}
	}
	c := template.Spec.Containers[0]
	port := strconv.Itoa(int(c.Ports[0].ContainerPort))
	if service.Spec.Ports[0].TargetPort.StrVal != c.Ports[0].Name || template.Annotations["prometheus.io/port"] != port || !slices.Contains(c.Args, "--listen=0.0.0.0:"+port) {
		t.Errorf("the service, Prometheus and --listen do not agree on port %s", port)
	}

	s := newShop(t)
	var args []string
	for _, arg := range c.Args {
		arg = strings.Replace(arg, "--listen=0.0.0.0:"+port, "--listen=127.0.0.1:0", 1)
		args = append(args, strings.Replace(arg, "/data/quality.nbm", filepath.Join(s.folder, "quality.nbm"), 1))
	}
	server := exec.CommandContext(t.Context(), program, args...)
	logged, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(logged)
	line, err := lines.ReadString('\n')
	_, address, found := strings.Cut(line, " at http://")
	address, _, _ = strings.Cut(address, "/")
	if err != nil || !found {
		t.Fatalf("%v: %s", err, line)
	}
	status := func(path string) int {
		answer, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, probe := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if got := status(probe.HTTPGet.Path); got != http.StatusOK || probe.HTTPGet.Port.StrVal != c.Ports[0].Name {
			t.Errorf("%s has status %d", probe.HTTPGet.Path, got)
		}
	}
	if got := status(template.Annotations["prometheus.io/path"]); got != http.StatusOK {
		t.Errorf("metrics have status %d", got)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for status(c.ReadinessProbe.HTTPGet.Path) != http.StatusServiceUnavailable { // the signal takes a moment to arrive
	}
	if got := status(c.LivenessProbe.HTTPGet.Path); got != http.StatusOK {
		t.Errorf("a pod that is about to stop has status %d for its liveness", got)
	}
	_, _ = lines.WriteTo(new(bytes.Buffer))
	_ = server.Wait() // it dies of the signal, as shells expect
	if state := server.ProcessState.Sys().(syscall.WaitStatus); state.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", server.ProcessState)
	}
}
