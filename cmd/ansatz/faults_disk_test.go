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

// smallDisk is a disk of so many KiB, which grow makes large. Only root can make one.
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

// A disk that fills up wherever it does: what is whole stays, the message says what is
// the matter, and with more room the same command goes on to the same bytes.
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
				continue // what it begins with does not fit
			}
			code, _, errs := ansatz(t, c.args(disk)...)
			if code != exitDone {
				filled++
				if code != exitFailed && code != exitUsage || !strings.Contains(errs, "no space left") {
					t.Fatalf("%s: exit %d: %s", name, code, errs)
				}
				c.checkLeft(t, disk, map[string]string{})
			}
			grow()
			if code, _, errs := ansatz(t, c.args(disk)...); code != exitDone {
				t.Fatalf("%s with more room: exit %d: %s", name, code, errs)
			}
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

// size is the number of bytes of the files in a folder, each a whole number of pages.
func size(t *testing.T, dir string) (n int) {
	t.Helper()
	walk(t, dir, func(_ string, text []byte) { n += (len(text) + 4095) / 4096 * 4096 })
	return n
}

// A folder that cannot be written to is refused before anything is computed.
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

// Two processes on one folder: a second training is refused, shards work beside each
// other, each unit made by one of them.
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
	if code, _, errs := ansatz(t, append(args, "--steps", "1")...); code != exitDone {
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

// A bit that flips in what a shard made is found by merging, which names the unit; once
// its folder is removed it is made again, to the same bytes.
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

// harmOne flips a bit of a file, and mends it as merging says.
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
		return // a letter of a key became a capital, a space another
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

// A plan whose units do not fit on the disk says so when it is made and submitted, with both numbers.
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
