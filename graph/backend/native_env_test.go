//go:build native && cgo && linux

package backend

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// TestProcessor runs itself again as child processes. On a processor with AVX2 OpenBLAS must use AVX, even if it does
// not know the processor. If the user has chosen a core type, OpenBLAS uses it. Programs that the child starts inherit
// the user's choice and nothing else.
func TestProcessor(t *testing.T) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		t.Skip("this processor has no AVX2")
	}
	const child = "ANSATZ_TEST_PROCESSOR"
	if os.Getenv(child) != "" {
		os.Stdout.WriteString(Version() + ">" + os.Getenv("OPENBLAS_CORETYPE"))
		os.Exit(0)
	}
	for _, chosen := range []string{"", "Prescott", "Haswell"} {
		c := exec.Command(os.Args[0], "-test.run=TestProcessor")
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "OPENBLAS_CORETYPE=") {
				c.Env = append(c.Env, v)
			}
		}
		c.Env = append(c.Env, child+"=1")
		if chosen != "" {
			c.Env = append(c.Env, "OPENBLAS_CORETYPE="+chosen)
		}
		out, err := c.Output()
		version, inherited, _ := strings.Cut(string(out), ">")
		prescott := strings.HasSuffix(version, " for Prescott")
		if err != nil || prescott != (chosen == "Prescott") || !strings.Contains(version, " for "+chosen) || inherited != chosen {
			t.Errorf("with %q the version is %s, and programs that it starts inherit %q (%v)", chosen, version, inherited, err)
		}
	}
}

// TestSpinning runs itself again as child processes. How long waiting threads spin is set in the environment, except
// where the user has chosen it.
func TestSpinning(t *testing.T) {
	const child = "ANSATZ_TEST_SPINNING"
	if os.Getenv(child) != "" {
		os.Stdout.WriteString("<" + os.Getenv("GOMP_SPINCOUNT") + " " + os.Getenv("OPENBLAS_THREAD_TIMEOUT") + ">")
		os.Exit(0)
	}
	var others []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OPENBLAS_THREAD_TIMEOUT":
		default:
			others = append(others, v)
		}
	}
	for want, chosen := range map[string][]string{
		"<2000 14>": {}, "< 14>": {"OMP_WAIT_POLICY=active"}, "<7 20>": {"GOMP_SPINCOUNT=7", "OPENBLAS_THREAD_TIMEOUT=20"},
	} {
		c := exec.Command(os.Args[0], "-test.run=TestSpinning")
		c.Env = append(append(others[:len(others):len(others)], child+"=1"), chosen...)
		out, err := c.Output()
		if err != nil || string(out) != want {
			t.Errorf("with %q the environment says %s (%v), want %s", chosen, out, err, want)
		}
	}
}
