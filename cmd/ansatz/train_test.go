package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/models/weights"
)

// asCommand is the environment variable that makes the test binary act as the command ansatz, so that it can be killed.
const asCommand = "ANSATZ_TEST_COMMAND"

func TestMain(m *testing.M) {
	switch os.Getenv(asCommand) {
	case "":
		os.Exit(m.Run())
	case stubborn:
		_, _ = withSignals(context.Background())
		fmt.Println("ready")
		select {}
	}
	main()
}

// process returns a command that runs ansatz with args in a process of its own, and the buffer for its stderr.
func process(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asCommand+"=1")
	var errs bytes.Buffer
	c.Stderr = &errs
	return c, &errs
}

func trainArgs(arch, out string, more ...string) []string {
	return append([]string{"train", "--arch", arch, "--data", "glyphs", "--train", "400", "--test", "100", "--epochs",
		"3", "--batch", "16",
		"--opt", "adam", "--shift", "2", "--seed", "5", "--checkpoint-every", "1ms", "--out", out}, more...)
}

// TestTrainJSON checks the JSON output, which users' scripts rely on.
func TestTrainJSON(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	code, out, errs := ansatz(t, trainArgs(arch, dir, "--json", "--track-ansatz", "50")...)
	if code != exitDone || !strings.Contains(errs, "epoch 3 of 3") || !strings.Contains(errs, "report.html") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r struct {
		Arch           string
		Parameters     int
		SecondsPerStep float64 `json:"seconds_per_step"`
		Weights        string
		Epochs         []map[string]float64
		Conventions    map[string]any
		Ansatz         []struct {
			Step   int
			Layers []map[string]any
		}
	}
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&r); err != nil || d.More() {
		t.Fatalf("stdout is not one JSON document: %v", err)
	}
	if r.Arch != "small" || r.Parameters != 5*25+5+50+10 || r.SecondsPerStep <= 0 || len(r.Epochs) != 3 {
		t.Errorf("%+v", r)
	}
	for i, e := range r.Epochs {
		for _, k := range []string{"epoch", "train_loss", "train_accuracy", "test_loss", "test_accuracy", "seconds"} {
			if v, ok := e[k]; !ok || v <= 0 && k != "train_accuracy" && k != "test_accuracy" {
				t.Errorf("%s of epoch %d is %v", k, i+1, v)
			}
		}
	}
	if len(r.Ansatz) != 3 || r.Ansatz[2].Step != 75 || r.Ansatz[1].Layers[0]["w_minus_w0"] == nil {
		t.Errorf("ansatz %+v", r.Ansatz)
	}
	if w, err := weights.Open(r.Weights); err != nil || w.Metadata()["normalise"] == "" {
		t.Errorf("%s: %v", r.Weights, err)
	}
	code, out, errs = ansatz(t, "verify", "--arch", arch, "--weights", r.Weights, "--init-weights",
		filepath.Join(dir, "initial.safetensors"), "--data", "glyphs", "--images", "20", "--minus-init", "--seed", "5")
	if code != exitDone || !strings.Contains(out, "conv") {
		t.Errorf("verify of what was trained: exit %d: %s", code, errs)
	}
}

// TestTrainKilled checks that a training that is killed up to ten times, at random moments, and resumed each time ends with
// the same bytes as one that is not killed, and leaves no temporary files.
func TestTrainKilled(t *testing.T) {
	arch, _ := smallFiles(t)
	whole, cut := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "cut")
	start := time.Now()
	if c, errs := process(t, trainArgs(arch, whole)...); c.Run() != nil {
		t.Fatal(errs)
	}
	took := time.Since(start)
	rng, kills := rand.New(rand.NewPCG(1, 1)), 0
	for resume := []string{}; ; resume = []string{"--resume"} {
		c, errs := process(t, trainArgs(arch, cut, resume...)...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 10 {
			time.Sleep(time.Duration(.25 * rng.Float64() * float64(took)))
			_ = c.Process.Signal(syscall.SIGKILL)
		}
		err := c.Wait()
		if err == nil {
			break
		}
		if c.ProcessState.Exited() {
			t.Fatalf("after %d kills: %v: %s", kills, err, errs)
		}
		kills++
	}
	if kills < 4 {
		t.Errorf("the training ended after %d kills", kills)
	}
	for _, f := range []string{"initial.safetensors", "best.safetensors", "last.safetensors"} {
		a, err := os.ReadFile(filepath.Join(whole, f))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(cut, f)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs after %d kills: %v", f, kills, err)
		}
	}
	entries, err := os.ReadDir(cut)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// TestTrainInterrupted checks that SIGTERM and SIGINT make a training save a checkpoint and exit with code 75, and that
// --resume continues.
func TestTrainInterrupted(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	long := func(more ...string) []string {
		return trainArgs(arch, dir, append([]string{"--epochs", "2000"}, more...)...)
	}
	saved := func() time.Time { // the time of the last checkpoint
		info, err := os.Stat(filepath.Join(dir, "run.checkpoint"))
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	for i, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		args := long()
		if i > 0 {
			args = long("--resume")
		}
		before := saved()
		c, errs := process(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); saved().Equal(before) && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
		_ = c.Process.Signal(signal)
		var exit *exec.ExitError
		if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitResume ||
			!strings.Contains(errs.String(), "--resume") {
			t.Errorf("%v: %v: %s", signal, err, errs)
		}
	}
	_, _, errs := ansatz(t, long("--resume", "--steps", "1")...)
	_, taken, _ := strings.Cut(errs, "with --steps ")
	if code, _, errs := ansatz(t, long("--resume", "--steps", strings.TrimSpace(taken))...); code != exitDone {
		t.Errorf("going on: exit %d: %s", code, errs)
	}
}

// TestTrainBadInput checks that every mistake gives exit code 2 and a message that says what to do, prints nothing on
// stdout and leaves no folder.
func TestTrainBadInput(t *testing.T) {
	arch, file := smallFiles(t)
	made := filepath.Join(t.TempDir(), "made")
	with := func(more ...string) []string {
		return append([]string{"train", "--arch", arch, "--data", "glyphs", "--epochs", "1", "--train", "100", "--test",
			"20"}, more...)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"needs --epochs", []string{"train", "--arch", arch, "--data", "glyphs"}},
		{"--epochs 0: want at least 1", with("--epochs", "0")},
		{"--batch -1: want at least 1", with("--batch", "-1")},
		{"want sgd, adam, adamw or adadelta", with("--opt", "lbfgs")},
		{"--lr -1: want a number above 0", with("--lr", "-1")},
		{"--momentum is for --opt sgd", with("--opt", "adam", "--momentum", ".9")},
		{"want ce", with("--loss", "hinge")},
		{"schedule \"linear\"", with("--schedule", "linear")},
		{"initialisation", with("--init", "zeros")},
		{"not a regular expression", with("--freeze", "(")},
		{"matches none of the parameters", with("--freeze", "layer9")},
		{"--labels \"pc:0\"", with("--labels", "pc:0")},
		{"--labels: patches:", with("--labels", "pc:99")},
		{"--validation 100", with("--validation", "100")},
		{"needs a validation split", with("--patience", "2")},
		{"--test 200000: glyphs has 400", with("--classes", "0,1", "--test", "200000")},
		{"crop 40", with("--crop", "40")},
		{"--shift", with("--shift", "28")},
		{"no dropout layer", with("--dropout", ".5")},
		{"--probe-images 21", with("--track-ansatz", "5", "--probe-images", "21")},
		{"--test-data is for folders", with("--test-data", "x")},
		{"not found", with("--data", "nothere")},
		{"unknown architecture", with("--arch", "nonet")},
		{"--classes 3: training needs at least 2 classes", with("--classes", "3")},
		{"--seeds -3: want at least 1", with("--seeds", "-3")},
		{"10 outputs, glyphs has 2", with("--init-weights", file, "--classes", "3,4")},
		{"want 32, 64 or bf16", with("--precision", "16")},
		{"--out", with("--out", filepath.Join(file, "x"))},
	} {
		if !slices.Contains(c.args, "--out") {
			c.args = append(slices.Clone(c.args), "--out", made)
		}
		code, out, errs := ansatz(t, c.args...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "Error: ") || !strings.Contains(errs, c.want) {
			t.Errorf("ansatz %v:\n\texit %d, stdout %q\n\tstderr %s\n\twant exit 2 with %q", c.args, code, out, errs,
				c.want)
		}
		if _, err := os.Stat(made); err == nil {
			t.Errorf("ansatz %v left a folder", c.args)
			_ = os.RemoveAll(made)
		}
	}
}

// TestTrainDiskFull checks that the message says what to do if the disk is full, and that the run can be resumed with
// more room.
func TestTrainDiskFull(t *testing.T) {
	arch, _ := smallFiles(t)
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=40k"); err != nil {
		t.Skip("a small disk cannot be made: ", err)
	}
	defer func() { _ = syscall.Unmount(disk, 0) }()
	dir := filepath.Join(disk, "run")
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 16<<10), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, errs := ansatz(t, trainArgs(arch, dir)...)
	if code != exitFailed || !strings.Contains(errs, "no space left") || !strings.Contains(errs, "--resume") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	if code, _, errs = ansatz(t, trainArgs(arch, dir, "--resume")...); code != exitDone {
		t.Errorf("with more room: exit %d: %s", code, errs)
	}
}

// TestTrainSeedsTable checks that several seeds give one table, and that a training that is stopped before it begins
// exits with code 75.
func TestTrainSeedsTable(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	code, out, errs := ansatz(t, trainArgs(arch, dir, "--seeds", "2", "--epochs", "1")...)
	if code != exitDone || !strings.Contains(out, "mean ± sd") || !strings.Contains(out, "2 seeds") ||
		!strings.Contains(errs, "seed 6") {
		t.Errorf("exit %d: %s\n%s", code, out, errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, trainArgs(arch, filepath.Join(t.TempDir(), "new")),
		streams{&stdout, &stderr}); code != exitResume {
		t.Errorf("stopped before it began: exit %d: %s", code, stderr.String())
	}
}
