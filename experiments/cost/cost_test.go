package cost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models"
)

// TestFit checks that fit recovers known weights that are not negative, and that it returns no negative weight for
// times that fall as the amount of a term grows.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := weights{"start": .5, "none": 0, "flops": 3e-9, "rows": 2e-6}
	var jobs []terms
	var taken []float64
	for range 30 {
		job := terms{{"start", 1}, {"none", 1e3 * rng.Float64()}, {"flops", 1e9 * rng.Float64()},
			{"rows", 1e6 * rng.Float64()}}
		total, _ := want.total(job)
		jobs, taken = append(jobs, job), append(taken, total)
	}
	largest := map[string]float64{"start": 1, "none": 1e3, "flops": 1e9, "rows": 1e6}
	for name, w := range fit(jobs, taken) {
		if math.Abs(w-want[name])*largest[name] > 1e-3 { // seconds
			t.Errorf("%s: %g, want %g", name, w, want[name])
		}
	}
	for i, job := range jobs {
		taken[i] = .5 - 1e-4*job[1].amount // less time for more of a term
	}
	for name, w := range fit(jobs, taken) {
		if w < 0 {
			t.Errorf("%s: %g", name, w)
		}
	}
	if _, known := (weights{}).total(terms{{"new", 1}}); known {
		t.Error("a term that no job had is known")
	}
}

// The table can be written and read again without a change, and has no name twice.
func TestPoints(t *testing.T) {
	points, err := Measured()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, p := range points {
		if names[p.Name] {
			t.Errorf("%s is there twice", p.Name)
		}
		names[p.Name] = true
	}
	var b bytes.Buffer
	if err := WritePoints(&b, []string{"a remark, with \"quotes\""}, points); err != nil {
		t.Fatal(err)
	}
	again, err := ReadPoints(&b)
	if err != nil || !reflect.DeepEqual(points, again) {
		t.Errorf("%v: %d points, want %d as they were", err, len(again), len(points))
	}
}

func TestReadPointsBad(t *testing.T) {
	const head = "# remark\nkind,use,name,seconds,mib,job\n"
	for _, text := range []string{"", "kind,name\n", head + "table,fit,a,1,1\n", head + "tables,fit,a,1,1,{}\n",
		head + "table,fit,a,0,1,{}\n", head + "table,fit,a,1,-1,{}\n",
		head + "table,fit,a,NaN,1,{}\n", head + "table,fit,a,1,1e30,{}\n", head + "table,fit,a,1,1,{\n",
		head + "table,fit,a,1,1,{} {}\n",
		head + "table,fit,a,1,1,\"{\"\"none\"\":1}\"\n", head + "table,none,a,1,1,{}\n",
		head + "\"table,fit,a,1,1,{}\n"} {
		if points, err := ReadPoints(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, points)
		}
	}
}

// A larger job takes more time and memory. Of two jobs the times are added, and the larger memory counts. Negative and
// infinite numbers are errors.
func TestOf(t *testing.T) {
	small := Machine{Examples: 2000, Inputs: 500, Outputs: 10, Regressions: 3, Sample: 2000}
	large := small
	large.Examples, large.Sample = 50000, 50000
	a, err := Of(small)
	b, err2 := Of(&large)
	if err != nil || err2 != nil || b.Seconds < 1000*a.Seconds || b.Bytes < 50*a.Bytes || a.Seconds <= 0 ||
		a.Bytes < 20<<20 {
		t.Errorf("%+v, %+v: %v, %v", a, b, err, err2)
	}
	if both, err := Of(small, &large); err != nil || both.Seconds != a.Seconds+b.Seconds || both.Bytes != b.Bytes {
		t.Errorf("%+v, %v: want %+v and %+v", both, err, a, b)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -1e9} {
		bad := small
		bad.Examples = v
		if r, err := Of(small, bad); err == nil || r != (Resources{}) {
			t.Errorf("%v examples: %+v", v, r)
		}
	}
}

// within is the largest relative error that is allowed for the estimate of a measured job.
const within = .3

func TestHeldBack(t *testing.T) {
	all, err := HeldBack()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, m := range all {
		counts[m.Kind]++
		if math.Abs(m.Seconds) > within || math.Abs(m.Bytes) > within {
			t.Errorf("%s: %+.0f %% of %.3g s, %+.0f %% of %.0f MiB", m.Name, 100*m.Seconds, m.Point.Seconds,
				100*m.Bytes, m.Point.Bytes/(1<<20))
		}
	}
	for kind := range kinds {
		if counts[kind] == 0 {
			t.Errorf("no point of %s is held back", kind)
		}
	}
}

// No point is both fitted to and held back, and at least twice as many are fitted to.
func TestFitted(t *testing.T) {
	fitted, err := Fitted()
	if err != nil {
		t.Fatal(err)
	}
	held, err := HeldBack()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(fitted, held...) {
		if m.Held != slices.ContainsFunc(held, func(h Miss) bool { return h.Name == m.Name }) {
			t.Errorf("%s is both", m.Name)
		}
	}
	if len(held) < 30 || len(fitted) < 2*len(held) {
		t.Errorf("%d points to fit to, %d held back", len(fitted), len(held))
	}
}

// A convolution with groups multiplies each of its weights once at every position, and reads the patches of all groups.
func TestNetOfGroups(t *testing.T) {
	n := NetOf([]models.LayerInfo{{Kind: "conv", Filters: 30, Patch: []int{1, 3, 3}, Positions: 10, Groups: 30}})
	if n.Conv != 30*9*10 || n.Patches != 30*9*10 || n.Parameters != 30*9 {
		t.Errorf("%+v", n)
	}
}
