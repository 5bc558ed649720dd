package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// smallDisk mounts a file system of so many KiB and returns its folder. Calling grow enlarges it to 64 MiB. Only root
// can mount one. Otherwise the test is skipped.
func smallDisk(t *testing.T, kib int) (dir string, grow func()) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skip("a small disk cannot be made: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	return dir, func() {
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDiskFills runs commands on disks that fill up at different moments. What was complete must stay, the message must
// name the cause, and with more room the same command must go on and end with the same bytes.
func TestDiskFills(t *testing.T) {
	arch, _ := smallFiles(t)
	for name, c := range map[string]faulty{
		"training": {nothing, func(dir string) []string {
			return trainArgs(arch, filepath.Join(dir, "run"), "--resume",
				"--quiet")
		}, regexp.MustCompile(`initial\.safetensors$`)},
		"shards": {plannedSeeds, func(dir string) []string { return []string{"run", "--out", dir, "--quiet"} },
			regexp.MustCompile(`^units/`)},
		"merge": {plannedAndMade, func(dir string) []string { return []string{"merge", "--out", dir} },
			regexp.MustCompile(`^units/`)},
	} {
		want, _ := c.undisturbed(t)
		ready := t.TempDir()
		c.prepare(t, ready)
		takes, makes := size(t, ready), 0
		for _, text := range want {
			makes += len(text)
		}
		filled, n := 0, tries(t)
		for k := range n {
			disk, grow := smallDisk(t, 8+takes/1024+k*makes/1024/n)
			if err := os.CopyFS(disk, os.DirFS(ready)); err != nil {
				continue // the files that the command begins with do not fit
			}
			kept := map[string]string{}
			code, _, errs := ansatz(t, c.args(disk)...)
			if code != exitDone {
				filled++
				if code != exitFailed && code != exitUsage || !strings.Contains(errs, "no space left") {
					t.Fatalf("%s: exit %d: %s", name, code, errs)
				}
				c.checkLeft(t, disk, kept)
			}
			grow()
			if code, _, errs := ansatz(t, c.args(disk)...); code != exitDone {
				t.Fatalf("%s with more room: exit %d: %s", name, code, errs)
			}
			c.checkLeft(t, disk, kept)
			if got := results(t, disk); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s with more room: %s", name, difference(got, want))
			}
		}
		t.Logf("%s: %d disks filled up, survived %d", name, filled, filled)
		if filled == 0 {
			t.Errorf("%s: no disk filled up", name)
		}
	}
}

func plannedAndMade(t *testing.T, dir string) {
	t.Helper()
	plannedSeeds(t, dir)
	if code, _, errs := ansatz(t, "run", "--out", dir, "--quiet"); code != exitDone {
		t.Fatal(errs)
	}
}

// size returns the number of bytes that the files in a folder take on the disk, where each takes whole pages of 4096
// bytes.
func size(t *testing.T, dir string) (n int) {
	t.Helper()
	walk(t, dir, func(_ string, text []byte) { n += (len(text) + 4095) / 4096 * 4096 })
	return n
}

// TestReadOnlyFolder checks that commands that write to a folder on a read-only file system fail with that reason, and
// that status works there.
func TestReadOnlyFolder(t *testing.T) {
	arch, _ := smallFiles(t)
	disk, _ := smallDisk(t, 16<<10)
	plannedSeeds(t, disk)
	tables := t.TempDir()
	writeTables(t, tables)
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		trainArgs(arch, filepath.Join(disk, "train")),
		{"run", "--out", disk, "--shard", "1"},
		{"run", "rfm/fig9", "--scale", "smoke", "--out", filepath.Join(disk, "new")},
		{"tabular", "--benchmark", tables, "--out", filepath.Join(disk, "tabular")},
		{"plan", "rfm/fig3", "--scale", "smoke", "--out", filepath.Join(disk, "plan")},
		{"merge", "--out", disk},
	} {
		if code, _, errs := ansatz(t, args...); code == exitDone || !strings.Contains(errs, "read-only file system") {
			t.Errorf("ansatz %v: exit %d: %s", args, code, errs)
		}
	}
	if code, _, errs := ansatz(t, "status", "--out", disk); code != exitDone {
		t.Errorf("status: exit %d: %s", code, errs)
	}
}

// TestTwoProcesses runs two processes on one folder. A second training is refused. Shards may run at the same time, and
// each unit is made by only one of them.
func TestTwoProcesses(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	args := trainArgs(arch, dir, "--epochs", "100000", "--resume")
	first, errs := process(t, args...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "run.checkpoint")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(errs)
		}
	}
	if code, _, errs := ansatz(t, args...); code != exitUsage ||
		!strings.Contains(errs, "another process works there") {
		t.Errorf("a second training: exit %d: %s", code, errs)
	}
	_ = first.Process.Kill()
	_ = first.Wait() // it was killed
	// It may have trained for more than a step, and then this run is refused for that reason.
	if code, _, errs := ansatz(t, append(args, "--steps", "1")...); strings.Contains(errs, "another process works there") {
		t.Errorf("once the first was killed: exit %d: %s", code, errs)
	}
	workBeside(t)
}

func workBeside(t *testing.T) {
	t.Helper()
	alone, both := t.TempDir(), t.TempDir()
	plannedSeeds(t, alone)
	plannedSeeds(t, both)
	if code, _, errs := ansatz(t, "run", "--out", alone, "--quiet"); code != exitDone {
		t.Fatal(errs)
	}
	var made []string
	one, said := process(t, "run", "--out", both)
	other, saidToo := process(t, "run", "--out", both)
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
	if err := other.Run(); err != nil && other.ProcessState.ExitCode() != exitResume {
		t.Fatal(saidToo)
	}
	if err := one.Wait(); err != nil && one.ProcessState.ExitCode() != exitResume {
		t.Fatal(said)
	}
	for line := range strings.Lines(said.String() + saidToo.String()) {
		if name, is := strings.CutSuffix(strings.TrimSpace(line), ": finished"); is {
			made = append(made, name)
		}
	}
	slices.Sort(made)
	if want := []string{"rfm/fig3, seed 0", "rfm/fig3, seed 1", "rfm/fig9, seed 0",
		"rfm/fig9, seed 1"}; !slices.Equal(made, want) {
		t.Errorf("made %v, want %v, each once", made, want)
	}
	for _, dir := range []string{alone, both} {
		if code, _, errs := ansatz(t, "merge", "--out", dir); code != exitDone {
			t.Fatal(errs)
		}
	}
	if got, want := results(t, both), results(t, alone); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error(difference(got, want))
	}
}

// TestDamagedShards checks that merge notices a flipped bit in a file of a unit and names the unit. After the folder of
// the unit is removed, run makes the unit again with the same bytes.
func TestDamagedShards(t *testing.T) {
	made := t.TempDir()
	plannedAndMade(t, made)
	var files []string
	walk(t, filepath.Join(made, "units"), func(name string, text []byte) {
		if len(text) > 0 {
			files = append(files, filepath.Join("units", name))
		}
	})
	want, rng := map[string]string(nil), rand.New(rand.NewPCG(2026, 11))
	n := tries(t)
	for k := range n + 1 {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
			t.Fatal(err)
		}
		if k > 0 {
			harmOne(t, dir, files[rng.IntN(len(files))], rng)
		}
		if code, _, errs := ansatz(t, "merge", "--out", dir); code != exitDone {
			t.Fatal(errs)
		}
		got := results(t, dir)
		if k == 0 {
			want = got
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatal(difference(got, want))
		}
	}
	t.Logf("%d bits flipped, found and mended %d", n, n)
}

// harmOne flips a bit of a file, checks that merge names the unit, and repairs the damage: it removes the folder of the
// unit and runs the plan again.
func harmOne(t *testing.T, dir, name string, rng *rand.Rand) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	unit := strings.Join(strings.Split(name, string(filepath.Separator))[:2], "/")
	code, _, errs := ansatz(t, "merge", "--out", dir)
	if filepath.Base(name) == "receipt.json" && code == exitDone {
		return // harmless: the flip changed the case of a letter in a key, or one blank into another
	}
	if code != exitUsage || !strings.Contains(errs, "("+unit+"): ") {
		t.Fatalf("%s: exit %d: %s", name, code, errs)
	}
	if err := os.RemoveAll(filepath.Join(dir, unit)); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := ansatz(t, "run", "--out", dir, "--quiet"); code != exitDone {
		t.Fatal(errs)
	}
}

// TestPlanSmallDisk checks that plan and submit warn if the results of a plan do not fit on the disk. The warning gives
// the space that is free and the space that is needed.
func TestPlanSmallDisk(t *testing.T) {
	disk, _ := smallDisk(t, 256)
	args := []string{"plan", "convrfm", "--data", "glyphs", "--train", "300", "--test", "16", "--size", "8", "--iters",
		"0", "--out", disk}
	code, stdout, stderr := ansatz(t, args...)
	if code != exitDone || !strings.Contains(stderr, "Warning: the disk of "+disk+" has ") || !strings.Contains(stderr, " KiB free, ") ||
		!strings.Contains(stdout, " on the disk") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := ansatz(t, "submit", "--out", disk, "--dry-run"); code != exitDone ||
		!strings.Contains(stderr, "Warning: the disk") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	var plan shard.Plan
	if code, stderr := ansatzJSON(t, &plan, "plan", "--out", disk); code != exitDone ||
		plan.MergeDisk < 8*(300*300+300*16) || plan.MergeDisk > 8*2*300*300 || plan.Units[0].Disk < 1000 {
		t.Errorf("exit %d, merging writes %v bytes, the first unit %v: %s", code, plan.MergeDisk, plan.Units[0].Disk,
			stderr)
	}
	if code, _, stderr := ansatz(t, append(args[:len(args)-1], t.TempDir())...); code != exitDone ||
		strings.Contains(stderr, "Warning") {
		t.Errorf("on a large disk: exit %d: %s", code, stderr)
	}
}
