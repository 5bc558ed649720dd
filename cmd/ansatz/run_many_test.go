package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// runsJSON is what run --json prints.
type runsJSON struct {
	Experiments []struct{ ID, Report string }
	Failed      []struct{ ID, Error string }
}

func (r runsJSON) ids() []string {
	var ids []string
	for _, e := range r.Experiments {
		ids = append(ids, e.ID)
	}
	return ids
}

// What fails is said in the end, and keeps nothing else from being run.
func TestRunSeveral(t *testing.T) {
	dir := t.TempDir()
	inTheWay := filepath.Join(dir, "rfm", "tutorial")
	if err := os.MkdirAll(filepath.Dir(inTheWay), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(inTheWay, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "rfm/lowrank", "rfm/tut*", "rfm/fig9", "--scale", "smoke", "--seeds", "1", "--out", dir}
	var r runsJSON
	code, out, stderr := ansatz(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if code != exitFailed || len(r.ids()) != 2 || len(r.Failed) != 1 || r.Failed[0].ID != "rfm/tutorial" ||
		r.Failed[0].Error == "" {
		t.Errorf("exit %d, %+v", code, r)
	}
	if !strings.Contains(stderr, "1 of 3 experiments failed") ||
		!strings.Contains(stderr, "3 experiments, 3 seeds to run") ||
		!strings.Contains(stderr, "rfm/lowrank, seed 0\n") {
		t.Error(stderr)
	}
	// The rest is made with --resume.
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	code, out, stderr = ansatz(t, append(args, "--resume")...)
	if code != exitDone || strings.Count(stderr, "there already") != 2 ||
		!strings.Contains(stderr, "1 experiment, 1 seed to run") || strings.Count(out, "Claims of the paper") != 3 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// A group is run in the order of cost, IDs as they are given.
func TestRunOrder(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want []string }{
		{[]string{"rfm/tutorial", "rfm/lowrank"}, []string{"rfm/tutorial", "rfm/lowrank"}},
		{[]string{"rfm/lowrank", "rfm/tutorial"}, []string{"rfm/lowrank", "rfm/tutorial"}},
		{[]string{"rfm/[lt][ou]*"}, []string{"rfm/tutorial", "rfm/lowrank"}},
	} {
		var r runsJSON
		code, stderr := ansatzJSON(t, &r, append([]string{"run", "--scale", "smoke", "--seeds", "1", "--resume",
			"--out", dir}, c.args...)...)
		got := r.ids()
		if len(c.args) == 1 {
			slices.Sort(got) // which costs less is measured anew now and then
			slices.Reverse(got)
		}
		if code != exitDone || !slices.Equal(got, c.want) {
			t.Errorf("%q: exit %d, %q: %s", c.args, code, got, stderr)
		}
	}
}

// What takes long, or does not fit, is refused before anything is made.
func TestRunRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, c := range []struct{ args, want []string }{
		{[]string{"cnfa", "--scale", "paper", "--memory", "0"}, []string{"days", "--yes"}},
		{[]string{"theory", "--scale", "paper"}, []string{"not known", "--yes"}},
		{[]string{"rfm/fig9", "--scale", "smoke", "--memory", ".001"},
			[]string{"rfm/fig9", "room for 1 MiB", "--memory 0"}},
		{[]string{"rfm/fig9", "--memory", "-1"}, []string{"--memory -1"}},
		{[]string{"rfm/fig9", "--jobs", "0"}, []string{"--jobs 0"}},
	} {
		code, _, stderr := ansatz(t, append([]string{"run", "--out", dir}, c.args...)...)
		for _, part := range c.want {
			if code != exitUsage || !strings.Contains(stderr, part) {
				t.Errorf("%q: exit %d: %s", c.args, code, stderr)
			}
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it made a folder")
	}
}

func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "Yes\n": true, "\n": false, "": false, "no\n": false,
		"yy\n": false} {
		var asked bytes.Buffer
		if got := confirm(t.Context(), strings.NewReader(answer), &asked, "Run it? "); got != want ||
			asked.String() != "Run it? " {
			t.Errorf("%q: %t", answer, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, _ := io.Pipe()
	if confirm(ctx, never, io.Discard, "?") {
		t.Error("interrupted, and taken for a yes")
	}
}

// Several at once give what one after another gives, at as many threads each.
func TestRunJobs(t *testing.T) {
	t.Setenv(asCommand, "1")
	one, two := t.TempDir(), t.TempDir()
	args := []string{"run", "rfm/lowrank", "rfm/tutorial", "--scale", "smoke", "--seeds", "2"}
	if code, _, stderr := ansatz(t, append(args, "--threads", "1", "--out", one)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var r runsJSON
	if code, stderr := ansatzJSON(t, &r, append(args, "--threads", "2", "--jobs", "2", "--out",
		two)...); code != exitDone || !slices.Equal(r.ids(), []string{"rfm/lowrank", "rfm/tutorial"}) {
		t.Fatalf("exit %d, %+v: %s", code, r, stderr)
	}
	same := 0
	err := filepath.Walk(one, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || filepath.Ext(path) == ".json" || filepath.Ext(path) == ".html" { // with times
			return err
		}
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rest, _ := filepath.Rel(one, path)
		if b, err := os.ReadFile(filepath.Join(two, rest)); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v", rest, err)
		}
		same++
		return nil
	})
	if err != nil || same < 10 {
		t.Errorf("%d files: %v", same, err)
	}
}

// What a job says of its failure is what its parent says.
func TestRunJobsFail(t *testing.T) {
	t.Setenv(asCommand, "1")
	dir := t.TempDir()
	code, _, stderr := ansatz(t, "run", "cnfa/fig3", "--scale", "small", "--data-dir", dir, "--jobs", "2", "--memory",
		"0", "--out", dir)
	if code != exitUsage || !strings.Contains(stderr, "cnfa/fig3, seed") || !strings.Contains(stderr, "data get") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// Stopped in the midst of it, run says what is done, leaves no half seed, and goes
// on with --resume.
func TestRunStopped(t *testing.T) {
	for _, more := range [][]string{nil, {"--jobs", "2"}} {
		dir := t.TempDir()
		args := append([]string{"run", "rfm/tutorial", "rfm/lowrank", "--scale", "smoke", "--seeds", "40", "--json",
			"--out", dir}, more...)
		c, errs := process(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		done := func() int {
			seeds, _ := filepath.Glob(filepath.Join(dir, "rfm", "*", "*", "seed-*", "run.json"))
			return len(seeds)
		}
		for deadline := time.Now().Add(time.Minute); done() < 2 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		if code := c.ProcessState.ExitCode(); code != exitResume ||
			!strings.Contains(errs.String(), "of 80 seeds are in "+dir) ||
			!strings.Contains(errs.String(), "--resume") {
			t.Errorf("exit %d: %s", code, errs)
		}
		// What the seed that was interrupted goes on from stays, until that seed is whole.
		left, _ := filepath.Glob(filepath.Join(dir, "rfm", "*", "*", ".*"))
		if left = slices.DeleteFunc(left, func(path string) bool {
			return strings.HasSuffix(path,
				".kept")
		}); len(left) > 0 {
			t.Errorf("it left %q", left)
		}
		args[slices.Index(args, "40")] = "3"
		var r runsJSON
		if code, stderr := ansatzJSON(t, &r, append(args[:len(args)-len(more)], "--resume")...); code != exitDone ||
			len(r.Experiments) != 2 || !strings.Contains(stderr, "there already") {
			t.Errorf("exit %d: %s", code, stderr)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "rfm", "*", "*", ".seed-[012].kept")); len(left) > 0 {
			t.Errorf("beside whole seeds there is %q", left)
		}
	}
}

func TestListFilters(t *testing.T) {
	var l struct {
		Scale       string
		Experiments []struct {
			ID, Paper, Kind, Of, Absent string
			Claims                      int
			Seconds, Bytes              float64
			Specs                       map[string]any
		}
	}
	for _, c := range []struct {
		args  []string
		check func(i int) bool
	}{
		{[]string{"--paper", "ntk", "--kind", "table,other"},
			func(i int) bool { return l.Experiments[i].Paper == "ntk" && l.Experiments[i].Kind != "figure" }},
		{[]string{"rfm/fig1*", "cnfa"}, func(i int) bool {
			return strings.HasPrefix(l.Experiments[i].ID, "rfm/fig1") || l.Experiments[i].Paper == "cnfa"
		}},
		{[]string{"--under", "2m", "--scale", "smoke"}, func(i int) bool {
			return l.Experiments[i].Seconds < 120 && l.Experiments[i].Seconds > 0 && l.Scale == "smoke"
		}},
		{[]string{"--attempted"}, func(i int) bool {
			return l.Experiments[i].Absent == "" &&
				len(l.Experiments[i].Specs) == 3
		}},
	} {
		code, stderr := ansatzJSON(t, &l, append([]string{"list"}, c.args...)...)
		if code != exitDone || len(l.Experiments) == 0 {
			t.Errorf("%q: exit %d, %d: %s", c.args, code, len(l.Experiments), stderr)
		}
		for i := range l.Experiments {
			if !c.check(i) {
				t.Errorf("%q lists %+v", c.args, l.Experiments[i])
			}
		}
	}
	for _, bad := range [][]string{{"nothere"}, {"--paper", "x"}, {"--kind", "x"}, {"--under", "-1s"},
		{"--under", "soon"}, {"--scale", "x"}} {
		if code, _, stderr := ansatz(t, append([]string{"list"}, bad...)...); code != exitUsage || len(stderr) < 20 {
			t.Errorf("%q: exit %d: %s", bad, code, stderr)
		}
	}
}

func TestCompareCommand(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := ansatz(t, "run", "rfm/lowrank", "rfm/tutorial", "--scale", "smoke", "--seeds", "2", "--out",
		dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var c struct {
		Claims []struct {
			Experiment, Scale, Claim, Paper, Want, Verdict string
			Ours, Error                                    *float64
		}
		Verdicts map[string]int
	}
	code, stderr := ansatzJSON(t, &c, "compare", dir, "rfm/lowrank")
	if code != exitDone || len(c.Claims) == 0 || c.Claims[0].Experiment != "rfm/lowrank" || c.Claims[0].Ours == nil ||
		c.Claims[0].Error == nil || c.Claims[0].Want == "" || c.Verdicts["inconclusive"] != len(c.Claims) {
		t.Errorf("exit %d, %+v: %s", code, c, stderr)
	}
	for format, part := range map[string]string{"text": "rfm/tutorial", "md": "| experiment ", "latex": `\toprule`,
		"json": `"claims": [`, "csv": "experiment,claim,verdict,ours"} {
		code, out, stderr := ansatz(t, "compare", dir, "--format", format, "--paper", "rfm")
		if code != exitDone || !strings.Contains(out, part) ||
			strings.Contains(out, "experiments: ") != (format == "text") {
			t.Errorf("%s: exit %d: %s\n%s", format, code, stderr, out)
		}
		if format == "csv" {
			if rows, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(rows) < 3 {
				t.Errorf("%d rows: %v", len(rows), err)
			}
		}
	}
	for _, args := range [][]string{{}, {filepath.Join(dir, "nothere")}, {dir, "--format", "word"},
		{dir, "--verdict", "true"}, {dir, "--scale", "x"}, {dir, "--paper", "x"}, {dir, "nothere"}} {
		if code, out, stderr := ansatz(t, append([]string{"compare"}, args...)...); code != exitUsage ||
			len(stderr) < 20 || out != "" {
			t.Errorf("%q: exit %d: %s", args, code, stderr)
		}
	}
	// The table of costs comes from what is there.
	if code, out, stderr := ansatz(t, "estimates", dir); code != exitDone ||
		!strings.Contains(out, "id,scale,seconds,mib\n") || !strings.Contains(out, "rfm/lowrank,smoke,") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
}

func seedOf(id string, seed uint64, seconds float64) study.PlannedSeed {
	return study.PlannedSeed{Run: study.Run{Experiment: &study.Experiment{ID: id}}, Seed: seed,
		Cost: cost.Resources{Seconds: seconds}}
}

// How far a batch is, and how long it takes, by what seeds were estimated to take.
func TestBatchWork(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * 1e9)) }
	seeds := []study.PlannedSeed{seedOf("a", 0, 10), seedOf("a", 1, 10), seedOf("b", 0, 20)}
	w := newBatchWork(seeds, 1, 1, start)
	w.begin(seeds[0], start)
	// A seed is never done before it is.
	for _, c := range []struct{ after, part, left float64 }{{0, 0, 40}, {5, .125, 35}, {100, 9.5 / 40, 30.5}} {
		if part, left, known := w.progress(at(c.after)); part != c.part || left.Seconds() != c.left || !known {
			t.Errorf("after %g s: %g, %v", c.after, part, left)
		}
	}
	w.end(seeds[0]) // after 20 s: it takes twice as long here
	if part, left, _ := w.progress(at(20)); part != .25 || left.Seconds() != 60 || len(w.running) != 0 {
		t.Errorf("%g, %v", part, left)
	}
	// Of what is not known nothing is said until one is done.
	unknown := []study.PlannedSeed{seedOf("a", 0, 0), seedOf("a", 1, 0)}
	w = newBatchWork(unknown, 2, 2, start)
	w.begin(unknown[0], start)
	w.begin(unknown[1], start)
	if part, _, known := w.progress(at(3)); part != 0 || known {
		t.Errorf("%g", part)
	}
	w.end(unknown[1])
	if part, left, known := w.progress(at(4)); part != .5 || left.Seconds() != 4 || !known ||
		!slices.Equal(w.names(), []string{"a, seed 0"}) {
		t.Errorf("%g, %v", part, left)
	}
}

// The lines fit the terminal, go before anything else is written, and do not come
// back after the end.
func TestBatchBars(t *testing.T) {
	var out bytes.Buffer
	a := &app{streams: streams{io.Discard, &out}}
	b := &batchBars{app: a, on: true, width: func() int { return 60 }, stop: make(chan struct{})}
	start := time.Unix(0, 0)
	seeds := []study.PlannedSeed{seedOf("cnfa/fig3", 0, 100), seedOf("cnfa/fig3", 1, 100)}
	b.work = newBatchWork(seeds, 1, 1, start)
	b.work.begin(seeds[0], start)
	b.update("fitting", 3, 10)
	b.since = start.Add(20 * time.Second)
	b.draw(start.Add(50 * time.Second))
	text := out.String()
	for _, part := range []string{"0 of 2 seeds", " 25 %", "3 min left", "cnfa/fig3, seed 0: fitting", "30 %",
		"3/10, 70 s left"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %q", part, text)
		}
	}
	first, second := b.lines(start.Add(50*time.Second), 59)
	for _, line := range []string{first, second} {
		if n := len([]rune(line)); n > 59 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	out.Reset()
	b.print(func() { out.WriteString("a table") })
	if out.String() != "\r\x1b[Ja table" {
		t.Errorf("%q", &out)
	}
	b.draw(start.Add(time.Minute))
	out.Reset()
	b.close()
	b.close()
	b.draw(start.Add(time.Hour))
	if out.String() != "\r\x1b[J" {
		t.Errorf("%q", &out)
	}
	for width := range 70 {
		if n := len([]rune(barLine("a long name of a stage", .5, "left", width))); n > max(width, 0) {
			t.Errorf("%d characters of %d", n, width)
		}
	}
}
