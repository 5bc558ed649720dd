package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
)

// writeRows writes a table of n rows and returns its path. The target y depends on two of four numeric columns and on a
// category. Some values are missing.
func writeRows(t *testing.T, n int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	b.WriteString("a,b,c,d,colour,y\n")
	for i := range n {
		x := []float64{rng.NormFloat64(), rng.NormFloat64(), 10 * rng.NormFloat64(), rng.ExpFloat64()}
		k := i % 3
		a := fmt.Sprintf("%.4f", x[0])
		if i%17 == 3 {
			a = ""
		}
		fmt.Fprintf(&b, "%s,%.4f,%.4f,%.4f,%s,%.5f\n", a, x[1], x[2], x[3], []string{"red", "green", "blue"}[k],
			math.Sin(2*x[0])+x[1]*float64(k))
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func openRows(t *testing.T, path string) *examples.Set {
	t.Helper()
	e, err := examples.Open(context.Background(), examples.Spec{Data: path, Target: "y", Seed: 2, ForFolds: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// newSearch returns a search on a table with the given number of trials.
func newSearch(t *testing.T, e *examples.Set, trials int) *Search {
	t.Helper()
	folds, err := Folds(e, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	space := Space{Base: Settings{Kernel: "laplace", Bandwidth: 10, Ridge: 1e-3, Power: 1, Transform: "standard"},
		Transforms: e.Transforms()}
	return &Search{Settings: space.Draw(trials, 2), Machine: rfm.Machine{Task: e.Task, Iterations: 2, Seed: 2}, Examples: e,
		Folds: folds, Threads: 2}
}

func mustRun(t *testing.T, s *Search) []Trial {
	t.Helper()
	trials, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

// untimed returns the trials as text, without what differs between runs.
func untimed(trials []Trial) string {
	var b strings.Builder
	for _, t := range trials {
		fmt.Fprintln(&b, t.Number, t.Settings, t.Iteration, t.Score(), t.StdErr, t.MSE, t.Error)
	}
	return b.String()
}

// A search makes the same trials with any number of threads, and if it is stopped and resumed.
func TestSearchIsTheSameHoweverItIsRun(t *testing.T) {
	e := openRows(t, writeRows(t, 90))
	s := newSearch(t, e, 7)
	whole := mustRun(t, s)
	if len(whole) != 7 || strings.Contains(untimed(whole), "NaN") {
		t.Fatalf("%d trials: %s", len(whole), untimed(whole))
	}
	for _, threads := range []int{1, 5} {
		again := newSearch(t, e, 7)
		again.Threads = threads
		if got := untimed(mustRun(t, again)); got != untimed(whole) {
			t.Errorf("%d threads:\n%s, want\n%s", threads, got, untimed(whole))
		}
	}
	dir, about := filepath.Join(t.TempDir(), "trials"), About{Data: "rows", Seed: 2}
	made := 0
	for _, stop := range []int{2, 4} {
		func() {
			keep, release, err := OpenFolder(dir, about)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			part := newSearch(t, e, 7)
			part.Keep = keep
			part.Progress = func(done []Trial) {
				if made = len(done); len(done) >= stop {
					cancel()
				}
			}
			if _, err := part.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped after %d trials: %v", stop, err)
			}
		}()
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "0*.json"))
	if len(kept) < made || len(kept) == 7 {
		t.Fatalf("%d trials are kept of %d", len(kept), made)
	}
	keep, release, err := OpenFolder(dir, about)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	last := newSearch(t, e, 7)
	last.Keep = keep
	if got := untimed(mustRun(t, last)); got != untimed(whole) {
		t.Errorf("resumed:\n%s, want\n%s", got, untimed(whole))
	}
	// Kept trials are not made again.
	last.Machine.Iterations = -1 // a trial that is made now fails
	for _, trial := range mustRun(t, last) {
		if trial.Error != "" {
			t.Errorf("trial %d was made again", trial.Number)
		}
	}
}

// The folder of another search is refused, as is a folder in which another process works. A trial that is damaged, or
// has other settings, is not read.
func TestFolderOfAnotherSearch(t *testing.T) {
	dir := t.TempDir()
	_, release, err := OpenFolder(dir, About{Data: "a.csv", Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	var bad *input.Error
	if _, _, err := OpenFolder(dir, About{Data: "a.csv", Folds: 3}); !errors.As(err, &bad) {
		t.Errorf("a folder that is locked: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenFolder(dir, About{Data: "a.csv", Folds: 5}); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "folds was 3, is 5") {
		t.Errorf("another search: %v", err)
	}
	f, release, err := OpenFolder(dir, About{Data: "a.csv", Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	one := 1.
	trial := Trial{Number: 4, Settings: Settings{Kernel: "l1", Ridge: .1}, R2: &one}
	if err := f.save(trial); err != nil {
		t.Fatal(err)
	}
	if got, ok := f.load(4, trial.Settings); !ok || got.Score() != 1 {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := f.load(4, Settings{Kernel: "l1", Ridge: .2}); ok {
		t.Error("a trial of other settings is taken")
	}
	if err := os.WriteFile(f.path(4), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := f.load(4, trial.Settings); ok {
		t.Error("a damaged trial is taken")
	}
}

// TestTrialByHand compares the score and standard error of a trial with those computed here, with an encoder and a
// machine for each fold.
func TestTrialByHand(t *testing.T) {
	path := writeRows(t, 60)
	e := openRows(t, path)
	s := newSearch(t, e, 1)
	s.Settings = []Settings{{Kernel: "lpq:1.5:1", Bandwidth: 2, Ridge: .01, Power: .5, Diagonal: true, Transform: "quantile"}}
	got := mustRun(t, s)[0]
	best, se := math.Inf(-1), 0.
	for iteration := range 3 {
		var scores []float64
		for k, held := range s.Folds {
			fold, err := e.Fold(others(s.Folds, k), held, "quantile")
			if err != nil {
				t.Fatal(err)
			}
			m := rfm.Machine{Kernel: rfm.Lpq{Bandwidth: 2, P: 1.5, Q: 1}, Ridge: .01, Power: .5, Diagonal: true,
				Iterations: iteration, Select: rfm.Last, Seed: 2}
			model, err := m.Fit(context.Background(), fold.Train.X, fold.Train.Y)
			if err != nil {
				t.Fatal(err)
			}
			score, err := model.Score(context.Background(), fold.Validation.X, fold.Validation.Y)
			if err != nil {
				t.Fatal(err)
			}
			scores = append(scores, score.R2)
		}
		mean := (scores[0] + scores[1] + scores[2]) / 3
		if mean > best {
			best, se = mean, 0
			for _, v := range scores {
				se += (v - mean) * (v - mean) / 2
			}
			se = math.Sqrt(se / 3)
		}
	}
	if math.Abs(got.Score()-best) > 1e-5 || math.Abs(got.StdErr-se) > 1e-5 {
		t.Errorf("%v ± %v, by hand %v ± %v", got.Score(), got.StdErr, best, se)
	}
}

// A trial that fails is recorded, and the search goes on. A trial without a defined score, or without enough memory,
// fails too.
func TestTrialsThatFail(t *testing.T) {
	e := openRows(t, writeRows(t, 60))
	s := newSearch(t, e, 4)
	s.Settings[1].Kernel = "ntk:99"
	s.Settings[2].Transform = "nonsense"
	trials := mustRun(t, s)
	for i, want := range []string{"", "ntk", "nonsense", ""} {
		if got := trials[i].Error; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("trial %d: %q, want %q", i, got, want)
		}
	}
	if ranked := Rank(trials); len(ranked) != 2 || ranked[0].Score() < ranked[1].Score() {
		t.Errorf("ranked: %s", untimed(ranked))
	}
	var trial Trial
	if err := trial.choose([][]rfm.Scores{{{R2: math.NaN()}, {R2: 1}}, {{R2: 1, MSE: math.Inf(1)}, {R2: 1}}},
		rfm.Regression); err == nil {
		t.Error("an undefined score is chosen")
	}
	s.Memory = 1000 // bytes for all trials
	for _, trial := range mustRun(t, s) {
		if trial.Error == "" {
			t.Errorf("trial %d fits into 500 bytes", trial.Number)
		}
	}
}

// A search ends when its time is over, but not before its first trial.
func TestSearchTime(t *testing.T) {
	s := newSearch(t, openRows(t, writeRows(t, 90)), 5000)
	s.Time = time.Nanosecond
	if trials := mustRun(t, s); len(trials) != 1 || trials[0].Number != 0 || trials[0].Error != "" {
		t.Errorf("no time: %s", untimed(trials))
	}
	s.Time = 300 * time.Millisecond
	start := time.Now()
	if trials := mustRun(t, s); len(trials) < 1 || len(trials) == 5000 || time.Since(start) > 20*time.Second {
		t.Errorf("%d trials in %v", len(trials), time.Since(start))
	}
}

func TestRank(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	ranked := Rank([]Trial{{Number: 0, Accuracy: v(.8), MSE: .2}, {Number: 1, Error: "no"}, {Number: 2, Accuracy: v(.9), MSE: .3},
		{Number: 3, Accuracy: v(.9), MSE: .1}, {Number: 4, Accuracy: v(.9), MSE: .1}})
	var numbers []int
	for _, r := range ranked {
		numbers = append(numbers, r.Number)
	}
	if !slices.Equal(numbers, []int{3, 4, 2, 0}) {
		t.Errorf("ranked %v", numbers)
	}
}
