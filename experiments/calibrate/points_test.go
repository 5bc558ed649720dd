package calibrate

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/cost"
)

// TestPointRuns checks that points.toml lists the same jobs as the table of measured points, and that each is for the
// same use: the fit or the check.
func TestPointRuns(t *testing.T) {
	runs, err := pointRuns()
	if err != nil {
		t.Fatal(err)
	}
	points, err := cost.Measured()
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]bool{} // whether a point is held back, by name
	for _, p := range points {
		held[p.Name] = p.Held
	}
	for _, r := range runs {
		if check, measured := held[r.name]; !measured || check != r.check {
			t.Errorf("%q, check %t: measured %t, check %t", r.name, r.check, measured, check)
		}
		delete(held, r.name)
	}
	for name := range held {
		t.Errorf("%q was measured, and is no job of points.toml", name)
	}
	if last := runs[len(runs)-1]; last.name != "table pendigits, [ntk], paper mode true, protocol , rows 2500" ||
		!last.check {
		t.Errorf("the last job is %q", last.name)
	}
}
