package calibrate

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// unmeasurable lists the experiments whose specs do not list the jobs of a run. The cost of the theory's statements
// hardly grows with the scale.
var unmeasurable = []string{"theory"}

// fromFiles lists the experiments that train their networks at scale small, but read the weights from files at the
// scale of the paper.
var fromFiles = []string{"cnfa/fig1", "energy/fig10", "energy/fig11"}

// measurableRuns returns the experiments that have a run of their own and whose dry run has jobs.
func measurableRuns() []*study.Experiment {
	return slices.DeleteFunc(experiments.All(), func(e *study.Experiment) bool {
		return e.Of != nil || e.Absent != "" || slices.Contains(unmeasurable, e.ID)
	})
}

// jobNumbers returns the numbers of a job by name.
func jobNumbers(t *testing.T, j cost.Job) map[string]float64 {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatalf("%T: %v", j, err)
	}
	numbers := map[string]float64{}
	if err := json.Unmarshal(text, &numbers); err != nil {
		t.Fatal(err)
	}
	return numbers
}

// TestJobsGrow checks that the numbers of all jobs are finite and not negative, and that a larger scale takes no less
// time than a smaller one. The experiments in fromFiles may take less time at the scale of the paper.
func TestJobsGrow(t *testing.T) {
	for _, e := range measurableRuns() {
		var last float64
		for _, scale := range study.Scales {
			if e.Specs[scale] == nil && scale == study.Medium {
				continue
			}
			jobs, err := study.DryRun(e.Specs[scale])
			if err != nil || len(jobs) == 0 {
				t.Errorf("%s, %s: %d jobs, %v", e.ID, scale, len(jobs), err)
			}
			sum := 0.
			for _, j := range jobs {
				for name, v := range jobNumbers(t, j) {
					if !(v >= 0) || math.IsInf(v, 1) {
						t.Errorf("%s, %s: %s of %+v is none", e.ID, scale, name, j)
					}
				}
				takes, err := cost.Of(j)
				if err != nil {
					t.Errorf("%s, %s: %v", e.ID, scale, err)
				}
				sum += takes.Seconds
			}
			if sum < last && !(scale == study.PaperScale && slices.Contains(fromFiles, e.ID)) || sum == 0 {
				t.Errorf("%s, %s: %g, of the scale before %g", e.ID, scale, sum, last)
			}
			t.Logf("%s, %s: %d jobs, %.3g", e.ID, scale, len(jobs), sum)
			last = sum
		}
	}
}

// TestCheckVariants checks that every experiment has a variant to check estimates on, that the variant has the settings
// of no scale, and that it takes 10 % to 90 % of the time of scale small.
func TestCheckVariants(t *testing.T) {
	variants := checkVariants()
	for _, e := range measurableRuns() {
		if variants[e.ID] == nil && e.ID != "energy/fig5b" { // which takes half a second at scale small
			t.Errorf("%s has no variant to check estimates on", e.ID)
		}
	}
	for id := range variants {
		e, err := experiments.All().Find(id)
		if err != nil {
			t.Fatal(err)
		}
		s, err := checkVariant(e)
		if err != nil {
			t.Fatal(err)
		}
		_, hash, err := e.Hash(s)
		if err != nil || e.ScaleOf(hash) != study.OtherScale || reflect.DeepEqual(s, e.Specs[study.Small]) {
			t.Errorf("%s: %v, %s is of a scale", id, err, hash)
		}
		all := [2]float64{}
		for i, w := range []study.Spec{s, e.Specs[study.Small]} {
			jobs, err := study.DryRun(w)
			if err != nil {
				t.Fatal(err)
			}
			takes, err := cost.Of(jobs...)
			if err != nil {
				t.Fatal(err)
			}
			all[i] = takes.Seconds
		}
		if part := all[0] / all[1]; part < .1 || part > .9 {
			t.Errorf("%s: the variant is %.2f of scale small", id, part)
		}
		t.Logf("%s: %.2f", id, all[0]/all[1])
	}
}

// TestVariantsEstimated checks that the estimates for the variants that were run are within 30 % of what these took.
func TestVariantsEstimated(t *testing.T) {
	all, err := estimatedVariants()
	if err != nil || len(all) < 4 { // others were measured with settings that have changed since; see make needs
		t.Fatalf("%d variants were measured, want at least 4: %v", len(all), err)
	}
	for _, v := range all {
		if math.Abs(v.seconds()) > agreed || math.Abs(v.bytes()) > agreed {
			t.Errorf("%s: time %+.0f %% of %.3g s, memory %+.0f %% of %.0f MiB", v.id, 100*v.seconds(), v.took.Seconds,
				100*v.bytes(), v.took.Bytes/(1<<20))
		}
	}
}
