package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func linearArgs(arch, method string, more ...string) []string {
	return append([]string{"linearize", "--arch", arch, "--data", "glyphs", "--train", "60", "--test", "20", "--seed",
		"5", "--method", method}, more...)
}

// linearJSON holds the fields of the JSON output of a linear solver that the tests read.
type linearJSON struct {
	Method    string
	Rows      int
	Selected  int
	Solutions []struct {
		Ridge, Norm, Seconds    float64
		Train, Validation, Test struct{ Loss, Accuracy float64 }
		Iterations              int
	}
	Weights string
}

func TestLinearizeSolveJSON(t *testing.T) {
	arch, _ := smallFiles(t)
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, errs := ansatz(t, linearArgs(arch, "solve", "--ridge", "1e-6,1e-2,1", "--json", "--out", out)...)
	var r linearJSON
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitDone {
		t.Fatalf("exit %d: %v: %s", code, err, errs)
	}
	if r.Method != "solve" || r.Rows != 480 || len(r.Solutions) != 3 || r.Solutions[1].Ridge != 1e-2 {
		t.Errorf("%+v", r)
	}
	for i, s := range r.Solutions {
		if s.Norm <= 0 || s.Train.Loss <= 0 || s.Validation.Loss <= 0 || s.Test.Loss <= 0 ||
			s.Validation.Loss < r.Solutions[r.Selected].Validation.Loss {
			t.Errorf("solution %d: %+v", i, s)
		}
	}
	for _, name := range []string{"report.html", "record.json", "tangents.safetensors", "initial.safetensors",
		"figures/ridges.svg"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	if r.Weights != filepath.Join(out, "tangents.safetensors") {
		t.Errorf("u is said to be in %q", r.Weights)
	}
	code, stdout, errs = ansatz(t, linearArgs(arch, "cg", "--labels", "one:2", "--ridge", ".1")...)
	if code != exitDone || !strings.Contains(stdout, "conjugate gradients") ||
		!strings.Contains(stdout, "× 1 output:") {
		t.Errorf("exit %d: %s%s", code, stdout, errs)
	}
}

// TestLinearizeSGDJSON checks --method sgd with --compare: the JSON output has the epochs of the linearised model and
// of the network. It also checks --resume and --seeds.
func TestLinearizeSGDJSON(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	args := linearArgs(arch, "sgd", "--epochs", "2", "--batch", "16", "--compare", "--out", dir)
	code, stdout, errs := ansatz(t, append(args, "--json")...)
	var r struct {
		Method  string
		Weights string
		Epochs  []struct {
			TrainLoss float64 `json:"train_loss"`
		}
		Network struct {
			Weights string
			Epochs  []struct {
				TrainLoss float64 `json:"train_loss"`
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitDone {
		t.Fatalf("exit %d: %v: %s", code, err, errs)
	}
	if r.Method != "sgd" || len(r.Epochs) != 2 || len(r.Network.Epochs) != 2 ||
		r.Epochs[1].TrainLoss == r.Network.Epochs[1].TrainLoss {
		t.Errorf("%+v", r)
	}
	for _, path := range []string{r.Weights, r.Network.Weights, filepath.Join(dir, "comparison.json"),
		filepath.Join(dir, "network", "report.html")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if code, stdout, errs = ansatz(t, append(args, "--resume")...); code != exitDone ||
		!strings.Contains(stdout, "The network is ahead by") {
		t.Errorf("--resume of what had ended: exit %d: %s", code, errs)
	}
	if code, _, errs = ansatz(t, linearArgs(arch, "sgd", "--epochs", "1", "--seeds", "2", "--out",
		filepath.Join(t.TempDir(), "seeds"))...); code != exitDone {
		t.Errorf("two seeds: exit %d: %s", code, errs)
	}
}

// TestLinearizeInterrupted checks that SIGTERM makes the command save a checkpoint and exit with code 75, and that
// --resume continues from there.
func TestLinearizeInterrupted(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	args := linearArgs(arch, "sgd", "--epochs", "20000", "--batch", "16", "--checkpoint-every", "1ms", "--out", dir)
	c, errs := process(t, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "run.checkpoint")); err == nil {
			break
		}
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	if _ = c.Wait(); c.ProcessState.ExitCode() != exitResume || !strings.Contains(errs.String(), "--resume") {
		t.Errorf("exit %d: %s", c.ProcessState.ExitCode(), errs)
	}
	code, _, refused := ansatz(t, append(args, "--resume", "--steps", "1")...)
	if code == exitDone {
		return // it had taken no more than that
	}
	_, taken, _ := strings.Cut(refused, "with --steps ")
	if code, _, errs := ansatz(t, append(args, "--resume", "--steps", strings.TrimSpace(taken))...); code != exitDone {
		t.Errorf("going on: exit %d: %s", code, errs)
	}
}

// TestLinearizeBadInput checks that every mistake gives exit code 2 and a message that says what to do, prints nothing
// on stdout and leaves no folder.
func TestLinearizeBadInput(t *testing.T) {
	arch, weights := smallFiles(t)
	made := filepath.Join(t.TempDir(), "made")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"needs --method", []string{"linearize", "--arch", arch, "--data", "glyphs"}},
		{"want sgd, solve, exact or cg", linearArgs(arch, "newton")},
		{"needs --epochs", linearArgs(arch, "sgd")},
		{"--epochs has no effect without --method sgd", linearArgs(arch, "solve", "--epochs", "3")},
		{"--ridge has no effect without --method solve, exact or cg",
			linearArgs(arch, "sgd", "--epochs", "1", "--ridge", "1")},
		{"--iterations has no effect without --method cg", linearArgs(arch, "solve", "--iterations", "9")},
		{"--tolerance 1: want at least 0 and less than 1", linearArgs(arch, "cg", "--tolerance", "1")},
		{"--ridge -1: want", linearArgs(arch, "solve", "--ridge", "-1")},
		{"want a class of glyphs", linearArgs(arch, "solve", "--labels", "one:x")},
		{"the network has 10 outputs, --labels one:0 wants 1",
			linearArgs(arch, "solve", "--init-weights", weights, "--labels", "one:0")},
		{"--classes 4: training needs at least 2 classes", linearArgs(arch, "solve", "--classes", "4")},
		{"--method cg needs no kernel", slices.Concat(linearArgs(arch, "solve"), []string{"--train", "20000"})},
		{"--lr 0", linearArgs(arch, "sgd", "--epochs", "1", "--lr", "0")},
		{"--momentum has no effect on --method exact without --lr", linearArgs(arch, "exact", "--momentum", ".5")},
		{"--momentum 1: want at least 0 and less than 1", linearArgs(arch, "exact", "--lr", ".1", "--momentum", "1")},
		{"--momentum -1: want a number that is not negative", linearArgs(arch, "sgd", "--epochs", "1", "--momentum", "-1")},
		{"--compare is for one seed", linearArgs(arch, "sgd", "--epochs", "1", "--compare", "--seeds", "3")},
	} {
		code, out, errs := ansatz(t, append(c.args, "--out", made)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d: %s", c.args, code, errs)
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("a folder was made")
	}
}
