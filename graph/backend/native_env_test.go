//go:build native && cgo && linux

package backend

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestFewerThreads runs itself again as child processes. Sums and convolutions are whole where the environment lets OpenMP
// have fewer threads than the device. They had rows that nobody computed, or waited for ever.
func TestFewerThreads(t *testing.T) {
	const child = "ANSATZ_TEST_FEWER_THREADS"
	if os.Getenv(child) != "" {
		const rows, cols = 5000, 40
		x, sums, dots := slices.Repeat([]float32{1}, rows*cols), make([]float32, rows), make([]float32, rows)
		total, products, sets := make([]float32, cols), make([]float32, rows*4), make([]float32, rows*cols)
		each := make([][]int, rows)
		for i := range each {
			each[i] = []int{i}
		}
		copies, err := NewSets(rows, each)
		d, err2 := Open(Options{Backend: "native", Threads: 2})
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if err := d.Do(func() error {
			e := d.Float32()
			e.SumCols(x, sums)
			e.DotCols(x, x, dots)
			e.SumRows(x, total)
			e.RowMatMul(2, 20, 2, x, nil, x, products)
			e.SumSets(copies, x, sets)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for what, got := range map[float32][]float32{cols: append(sums, dots...), rows: total, 20: products, 1: sets} {
			if i := slices.IndexFunc(got, func(v float32) bool { return v != what }); i >= 0 {
				t.Errorf("element %d of %d is %v, want %v", i, len(got), got[i], what)
			}
		}
		throughAll(t, d)
		return
	}
	for _, limit := range []string{"OMP_THREAD_LIMIT=1", "OMP_DYNAMIC=true", "OMP_MAX_ACTIVE_LEVELS=0"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestFewerThreads$")
		c.Env = append(os.Environ(), child+"=1", limit)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("with %s: %v, %s", limit, err, out)
		}
		cancel()
	}
}
