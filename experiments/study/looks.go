package study

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Looks are the numbers of seeds, rising, at which claims may be judged in a run that adds seeds until all are decided.
// They are planned before the first. The error of 5 % is shared among them: with K looks every interval has the confidence
// 1 − .05/K, so that the probability that any look decides a claim wrongly is at most 5 % (Bonferroni).
type Looks []int

// usualConfidence is the confidence level of the intervals in a run with a fixed number of seeds.
const usualConfidence = .95

// lookGrowth is the approximate ratio between the numbers of seeds at successive looks.
const lookGrowth = 1.6

// PlanLooks returns looks from first to most seeds: 3, 5, 9, 15, 20 for 3 and 20. It returns an [*input.Error] for fewer
// than [MinSeeds], and for most below first.
func PlanLooks(first, most int) (Looks, error) {
	if first < MinSeeds || most < first || most > mostSeeds {
		return nil, input.Errorf("%d seeds at first and %d at most: want at least %d, and at most as many as --max-seeds",
			first, most, MinSeeds)
	}
	looks := Looks{first}
	for n := first; n < most; {
		n = min(most, int(float64(n)*lookGrowth)+1)
		looks = append(looks, n)
	}
	return looks, nil
}

// Confidence returns the confidence level of the intervals: 95 % without looks.
func (l Looks) Confidence() float64 {
	if len(l) == 0 {
		return usualConfidence
	}
	return 1 - (1-usualConfidence)/float64(len(l))
}

// text says what the intervals are, for pages.
func (l Looks) text() string {
	if len(l) == 0 {
		return "95 % confidence interval"
	}
	return fmt.Sprintf("%.4g %% confidence interval (seeds were added until every claim was decided, at %v seeds at the latest; "+
		"the error of 5 %% is shared among the %d looks at %s)", 100*l.Confidence(), l[len(l)-1], len(l), words.List(l))
}

// looksFile is the file of planned looks in the folder of a run.
const looksFile = "looks.json"

// readLooks reads the looks of a run from its folder; nil if it has none.
func readLooks(dir string) (l Looks, err error) {
	path := filepath.Join(dir, looksFile)
	if _, err := os.Stat(path); err != nil {
		return nil, nil // there is no run yet
	}
	err = jsonfile.Read(path, jsonfile.Small, &l)
	if err == nil && (len(l) == 0 || l[0] < MinSeeds || !slices.IsSorted(l)) {
		err = fmt.Errorf("%s is damaged: it holds %v", path, l)
	}
	if err != nil {
		return nil, input.Errorf("%w: want a rising list of numbers of seeds, as [3, 5, 8]; delete it to judge the seeds that "+
			"are there as if their number had been given", err)
	}
	return l, nil
}

// looksIn returns the looks that are planned in the run's folder. If there are none, it returns r.Looks, and whether
// these have to be written. If r.Looks differ from the planned ones, the error is an [*input.Error].
func (r Run) looksIn(dir string) (l Looks, unplanned bool, err error) {
	if dir == "" {
		return r.Looks, false, nil
	}
	before, err := readLooks(dir)
	switch {
	case err != nil:
		return nil, false, err
	case len(before) == 0:
		return r.Looks, len(r.Looks) > 0, nil
	case len(r.Looks) > 0 && !slices.Equal(before, r.Looks):
		return nil, false, input.Errorf("%s: claims were to be judged at %s seeds, not at %s: give the same --seeds and "+
			"--max-seeds, or another --out, since looks that are planned anew after a look decide wrongly more often", dir,
			words.List(before), words.List(r.Looks))
	}
	return before, false, nil
}

// planLooks calls looksIn, and writes new looks to the folder.
func (r Run) planLooks(dir string) (Looks, error) {
	l, unplanned, err := r.looksIn(dir)
	if err != nil || !unplanned {
		return l, err
	}
	if err := atomicfile.MakeFolder(dir); err != nil {
		return nil, err
	}
	return l, atomicfile.WriteJSON(filepath.Join(dir, looksFile), l)
}

// Undecided returns how many claims more seeds could decide: those that are inconclusive.
func (e *Record) Undecided() (n int) {
	for _, c := range e.Claims {
		if c.Verdict == Inconclusive {
			n++
		}
	}
	return n
}
