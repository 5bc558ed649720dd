// Command stale says which results of experiments are still valid for the present sources:
//
//	go run ./cmd/stale -results results -smoke
//
// A result is valid if no source that its numbers depend on was changed since its commit. It depends on the packages that
// the experiment imports, but for those that only draw and judge. If such sources were changed, -smoke builds the commit in
// a worktree, and runs the experiment at scale smoke with it and with the present sources. The result is valid too if both
// find the same numbers, to a relative difference of 1e-6.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

func main() {
	results := flag.String("results", "results", "folder of results, in a clone of the repository")
	smoke := flag.Bool("smoke", false, "compare numbers at scale smoke where sources were changed")
	flag.Parse()
	stale, err := run(os.Stdout, *results, *smoke)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "stale:", err)
		os.Exit(2)
	case stale:
		os.Exit(1)
	}
}

// run writes a line for every result and reports whether some have to be made again.
func run(w io.Writer, results string, smoke bool) (stale bool, err error) {
	all, err := readResults(results)
	if err != nil {
		return false, err
	}
	past := &history{packages: map[string][]string{}, changes: map[string][]string{}}
	var compare *comparison
	if smoke {
		if compare, err = newComparison(); err != nil {
			return false, err
		}
		defer compare.close()
	}
	for _, r := range all {
		state, valid, err := r.state(past, compare)
		if err != nil {
			return false, err
		}
		stale = stale || !valid
		if _, err := fmt.Fprintf(w, "%-20s %-12s %-16s %s\n", r.experiment.ID, r.hash, r.version, state); err != nil {
			return false, err
		}
	}
	return stale, nil
}

// result is the seeds of an experiment that one version made with one spec.
type result struct {
	experiment    *study.Experiment
	hash, version string
	seeds         int
}

// readResults returns the results in a folder, in the order of the catalogue.
func readResults(dir string) ([]*result, error) {
	found := map[result]int{}
	catalogue := experiments.All()
	for _, e := range catalogue {
		if e.Source() != e || e.Absent != "" {
			continue
		}
		runs, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(e.ID), "*", "seed-*", "run.json"))
		if err != nil {
			return nil, err
		}
		for _, path := range runs {
			var seed struct{ Machine struct{ Version string } }
			text, err := os.ReadFile(path)
			if err == nil {
				err = json.Unmarshal(text, &seed)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			found[result{e, filepath.Base(filepath.Dir(filepath.Dir(path))), seed.Machine.Version, 0}]++
		}
	}
	var all []*result
	for r, n := range found {
		r.seeds = n
		all = append(all, &r)
	}
	slices.SortFunc(all, func(a, b *result) int {
		return cmp.Or(slices.Index(catalogue, a.experiment)-slices.Index(catalogue, b.experiment),
			cmp.Compare(a.hash, b.hash), cmp.Compare(a.version, b.version))
	})
	return all, nil
}

// state says in words whether a result is valid. It is not if its settings are of no scale, as those of earlier versions.
func (r *result) state(past *history, compare *comparison) (text string, valid bool, err error) {
	seeds := words.Count(r.seeds, "seed") + ": "
	if r.experiment.ScaleOf(r.hash) == study.OtherScale {
		return seeds + "made with other settings", false, nil
	}
	if _, err := past.folders(packageOf(r.experiment)); err != nil {
		return "", false, err
	}
	files, err := past.changed(r.version, r.experiment)
	switch {
	case err != nil:
		return seeds + "made at an unknown commit", false, nil //nolint:nilerr // git does not know the version
	case len(files) == 0:
		return seeds + "valid, no source was changed", true, nil
	case compare == nil:
		return seeds + fmt.Sprintf("%s changed since, such as %s", words.Count(len(files), "source"), files[0]), false, nil
	}
	different, err := compare.different(r.version, r.experiment.ID)
	switch {
	case err != nil:
		return "", false, err
	case different == "":
		return seeds + "valid, the same numbers at scale smoke", true, nil
	}
	return seeds + "other numbers at scale smoke: " + different, false, nil
}

// drawing are packages that draw, judge and store, and change no number of a seed.
var drawing = []string{"experiments/report", "experiments/study", "experiments/record", "experiments/cost", "experiments/job",
	"experiments/shard", "experiments/settings", "experiments/checkpoint"}

// numerical reports whether sources of a package, by its path in the module, can change numbers.
func numerical(path string) bool {
	return !slices.ContainsFunc(drawing, func(d string) bool { return path == d || strings.HasPrefix(path, d+"/") })
}
