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

// unmeasurable are specs that do not say of which jobs a run consists: what the
// statements of the theory take hardly grows.
var unmeasurable = []string{"theory"}

// fromFiles are those whose networks are trained at scale small, and at that of the
// paper have their weights from files.
var fromFiles = []string{"cnfa/fig1", "energy/fig10", "energy/fig11"}

// measurableRuns are the experiments that have a run of their own and whose dry run has jobs.
func measurableRuns() []*study.Experiment {
	return slices.DeleteFunc(experiments.All(), func(e *study.Experiment) bool {
		return e.Of != nil || e.Absent != "" || slices.Contains(unmeasurable, e.ID)
	})
}

// jobNumbers are the numbers of a job by name.
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

// Jobs are numbers, and there is more to do at a larger scale.
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

// Variants are settings of their own, with less to do than scale small.
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

// What was estimated of settings that were run besides is within 30 % of what they
// took.
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
