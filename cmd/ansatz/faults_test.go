package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// faultsVariable is the environment variable that says how often each command is killed. make faults sets it to 50.
const faultsVariable = "ANSATZ_FAULTS"

const fewFaults = 4

// faulty is a command that is killed and run again until it is done.
type faulty struct {
	// prepare writes what the command works on to an empty folder.
	prepare func(t *testing.T, dir string)
	args    func(dir string) []string
	// finished matches the names of files that must not change once they exist.
	finished *regexp.Regexp
}

// tries returns how often to kill each command.
func tries(t *testing.T) int {
	t.Helper()
	text, set := os.LookupEnv(faultsVariable)
	if !set {
		return fewFaults
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q: want a number", faultsVariable, text)
	}
	return n
}

// test kills the command at random moments and runs it again. After each kill and in the end, all files must be whole, and
// those that were finished must be unchanged. The results must be those of an undisturbed run.
func (c faulty) test(t *testing.T) {
	want, took := c.undisturbed(t)
	rng, killed := rand.New(rand.NewPCG(2026, 9)), 0
	for n := tries(t); killed < n; {
		dir := t.TempDir()
		c.prepare(t, dir)
		kept := map[string]string{}
		for limit := killed + 10; ; {
			moment := time.Duration(1.05 * rng.Float64() * float64(took))
			if killed >= min(n, limit) {
				moment = time.Hour
			}
			if c.survives(t, dir, moment) {
				break
			}
			killed++
			c.checkLeft(t, dir, kept)
		}
		c.checkLeft(t, dir, kept)
		if got := results(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("after %d kills: %s", killed, difference(got, want))
		}
	}
	t.Logf("killed %d times, survived %d", killed, killed)
}

// undisturbed runs the command once and returns its results and how long it took.
func (c faulty) undisturbed(t *testing.T) (map[string]string, time.Duration) {
	t.Helper()
	dir := t.TempDir()
	c.prepare(t, dir)
	start := time.Now()
	p, errs := process(t, c.args(dir)...)
	if err := p.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	took := time.Since(start)
	want := results(t, dir)
	if len(want) == 0 {
		t.Fatal("it made nothing")
	}
	return want, took
}

// survives runs the command, kills it after the time moment, and reports whether it had ended before.
func (c faulty) survives(t *testing.T, dir string, moment time.Duration) bool {
	t.Helper()
	p, errs := process(t, c.args(dir)...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(moment, func() { _ = p.Process.Signal(syscall.SIGKILL) })
	defer kill.Stop()
	err := p.Wait()
	if err != nil && p.ProcessState.Exited() {
		t.Fatalf("%v: %s", err, errs)
	}
	return err == nil
}

// checkLeft checks the files that a command left: those in kept are unchanged, and all are whole. It adds the
// finished ones to kept.
func (c faulty) checkLeft(t *testing.T, dir string, kept map[string]string) {
	t.Helper()
	for name := range kept {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != kept[name] {
			t.Fatalf("%s was finished, and is lost or another: %v", name, err)
		}
	}
	walk(t, dir, func(name string, text []byte) {
		if err := wholeFile(filepath.Join(dir, name), text); err != nil {
			t.Fatalf("%s is half there: %v", name, err)
		}
		if c.finished.MatchString(name) {
			kept[name] = string(text)
		}
	})
}

// walk calls each for all files in a folder, but not for those that are still being written: their names, or the names
// of their folders, begin with a dot.
func walk(t *testing.T, dir string, each func(name string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), ".") || d.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		each(name, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// wholeFile returns an error if a file is incomplete.
func wholeFile(path string, text []byte) (err error) {
	switch filepath.Ext(path) {
	case ".json":
		err = json.Unmarshal(text, new(any))
	case ".csv":
		_, err = csv.NewReader(bytes.NewReader(text)).ReadAll()
	case ".png":
		_, err = png.Decode(bytes.NewReader(text))
	case ".npy":
		_, err = array.ReadNPY(path)
	case ".safetensors":
		_, err = weights.Open(path)
	case ".html", ".svg":
		if end := "</" + filepath.Ext(path)[1:] + ">"; !strings.HasSuffix(strings.TrimSpace(string(text)), end) {
			err = fmt.Errorf("it does not end in %s", end)
		}
	}
	return err
}

// results returns the contents of the files in a folder, by name, without times. It leaves out what only serves to
// continue a run: checkpoints, receipts, locks and scratch files.
func results(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	walk(t, dir, func(name string, text []byte) {
		switch top, _, _ := strings.Cut(name, string(filepath.Separator)); {
		case top == "scratch", top == "locks", strings.HasSuffix(name, ".checkpoint"),
			filepath.Base(name) == "receipt.json":
			return
		case strings.HasSuffix(name, ".json"):
			text = withoutTimes(t, text)
		case strings.HasSuffix(name, ".html"):
			text = nil // a page gives times, and checkLeft checks that it is whole
		case filepath.Base(name) == "history.csv" || filepath.Base(name) == "results.csv":
			text = withoutSeconds(t, text)
		}
		all[name] = string(text)
	})
	return all
}

// timeKeys matches the keys of JSON documents that give times, memory or paths.
var timeKeys = regexp.MustCompile(`^(made|resumed|.*seconds.*|peak_bytes|units|out|report|weights|.*_weights)$`)

// withoutTimes returns a JSON document without the values that differ from run to run.
func withoutTimes(t *testing.T, text []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(dropTimes(v))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func dropTimes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if timeKeys.MatchString(key) {
				delete(v, key)
				continue
			}
			v[key] = dropTimes(inner)
		}
	case []any:
		for i := range v {
			v[i] = dropTimes(v[i])
		}
	}
	return v
}

// withoutSeconds returns a CSV table without its columns of seconds.
func withoutSeconds(t *testing.T, text []byte) []byte {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, row := range rows {
		for j, cell := range row {
			if !strings.Contains(rows[0][j], "seconds") {
				b.WriteString(cell + ",")
			}
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// difference describes how the files of two folders differ.
func difference(got, want map[string]string) string {
	var all []string
	for name := range want {
		switch text, there := got[name]; {
		case !there:
			all = append(all, name+" is missing")
		case text != want[name]:
			at := 0
			for at < min(len(text), len(want[name])) && text[at] == want[name][at] {
				at++
			}
			at = max(0, at-80)
			all = append(all, fmt.Sprintf("%s differs: …%.200q, want …%.200q", name, text[at:], want[name][at:]))
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			all = append(all, name+" is there, and should not be")
		}
	}
	return strings.Join(all, "\n")
}

func nothing(*testing.T, string) {}
