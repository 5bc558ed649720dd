package experiments

import (
	"bytes"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// The table is of experiments that there are, that have a run of their own, and
// reads as it is written.
func TestMeasuredCosts(t *testing.T) {
	costs, err := measuredCosts()
	if err != nil || len(costs) == 0 {
		t.Fatal(err)
	}
	for k := range costs {
		e, err := All().Find(k.id)
		if err != nil || e.Of != nil || e.Specs[k.scale] == nil && k.scale != checkScale {
			t.Errorf("%v: %v", k, err)
		}
	}
	var b bytes.Buffer
	if err := writeCosts(&b, []string{"a remark, with \"quotes\""}, costs); err != nil {
		t.Fatal(err)
	}
	again, err := readCosts(&b)
	if err != nil || !maps.Equal(costs, again) {
		t.Errorf("%v\n%v\n%v", err, costs, again)
	}
}

func TestReadCostsBad(t *testing.T) {
	const head = "# remark\nid,scale,seconds,mib\n"
	for _, text := range []string{head + "a,small,1\n", head + "a,small,x,1\n", head + "a,small,0,1\n", head + "a,small,1,-1\n", head + "a,small,NaN,1\n", head + "a,small,inf,1\n", head + "a,small,1,1e308\n", head + "\"a,small,1,1\n"} {
		if _, err := readCosts(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line 3") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// grownSpec is a spec that consists of one job, of a kind that was measured.
type grownSpec struct {
	toySpec
	job need.Job
}

func (s *grownSpec) Jobs() ([]need.Job, error) { return []need.Job{s.job}, nil }

func TestCostScaled(t *testing.T) {
	c := Cost{Seconds: 10, Bytes: processBytes + 1000}
	points, err := need.Measured()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		s := &grownSpec{job: p.Job}
		if got := c.scaled(s, s); math.Abs(got.Seconds/c.Seconds-1) > 1e-9 || math.Abs(got.Bytes/c.Bytes-1) > 1e-9 {
			t.Errorf("%+v: %+v", p.Job, got)
		}
	}
	for _, j := range []need.Job{need.Training{}, need.Machine{Examples: math.NaN()}, need.Machine{Examples: math.Inf(1)}, need.Machine{Examples: -1}} {
		if got := c.scaled(&grownSpec{job: need.Machine{Examples: 100, Inputs: 10, Regressions: 1}}, &grownSpec{job: j}); math.IsNaN(got.Seconds) || math.IsInf(got.Seconds, 0) {
			t.Errorf("of %+v: %+v, want what is not known", j, got)
		}
	}
	if got := c.scaled(&toySpec{}, &toySpec{}); got != (Cost{}) {
		t.Errorf("%+v of a spec that knows nothing", got)
	}
}

// The table of costs is made from what runs took, and keeps what they do not tell.
func TestWriteCosts(t *testing.T) {
	e, err := All().Find("rfm/tutorial")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := (ExperimentRun{Experiment: e, Scale: Smoke, Seeds: 2, Setting: Setting{Threads: 1}, Out: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteCosts(&b, []string{dir}); err != nil {
		t.Fatal(err)
	}
	got, err := readCosts(&b)
	if err != nil {
		t.Fatal(err)
	}
	old, _ := measuredCosts()
	for k, c := range old {
		if g, there := got[k]; !there || g != c && k != (costKey{e.ID, Smoke}) {
			t.Errorf("%v: %+v, was %+v", k, g, c)
		}
	}
	if c := got[costKey{e.ID, Smoke}]; c.Bytes < 8<<20 || c.Seconds > 60 {
		t.Errorf("%+v", c)
	}
}

func TestOneThread(t *testing.T) {
	for _, c := range []struct {
		u       Usage
		threads int
		want    float64
	}{
		{Usage{Seconds: 10, CPU: 5}, 1, 5}, // another took the other half
		{Usage{Seconds: 10, CPU: 11}, 1, 10},
		{Usage{Seconds: 10, CPU: 17}, 2, 17},
		{Usage{Seconds: 10}, 1, 10},
	} {
		if got := c.u.oneThread(c.threads); got != c.want {
			t.Errorf("%+v on %d threads: %g, want %g", c.u, c.threads, got, c.want)
		}
	}
}

// What is held while a run goes on shows in its peak, and computing in its time.
func TestUsage(t *testing.T) {
	if processMemory("VmHWM") == 0 || processorTime() == 0 {
		t.Skip("the system does not tell")
	}
	var held []byte
	u, err := usage(func() error {
		held = bytes.Repeat([]byte{1}, 64<<20)
		for range 40 { // some hundredths of a second
			bytes.Count(held, []byte{2})
		}
		return nil
	})
	if err != nil || u.Peak < int64(len(held)) || u.CPU <= 0 || u.Seconds <= 0 {
		t.Errorf("%+v, %v", u, err)
	}
}
