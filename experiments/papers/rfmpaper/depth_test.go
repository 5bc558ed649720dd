package rfmpaper

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The gradient outer product of a polynomial agrees with the mean over many rows of its gradients' outer products.
func TestGradientOuterProduct(t *testing.T) {
	p := table.Hermite()
	truth, err := gradientOuterProduct(p, 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Generate(200000, 4, "test")
	if err != nil {
		t.Fatal(err)
	}
	u, mean := table.HermiteDirection(4), 0.
	for i := range len(s.Y) {
		z := mat.Dot(mat.NewVecDense(10, u), s.X.RowView(i))
		slope := 2*z + 4*z*z*z - 12*z
		mean += slope * slope / float64(len(s.Y))
	}
	for i := range 10 {
		if want := mean * u[0] * u[i]; math.Abs(truth.At(0, i)-want) > .03*math.Abs(want) {
			t.Errorf("element 0, %d is %.4f, want %.4f", i, truth.At(0, i), want)
		}
	}
	if r, err := gradientOuterProduct(table.Rademacher(.1), .1, 0); err != nil || math.Abs(r.At(0, 0)-1.01) > 1e-12 ||
		r.At(0, 1) != 0 || r.At(2, 2) != 0 {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := gradientOuterProduct(table.Tutorial(), 0, 0); !input.IsError(err) {
		t.Errorf("of another: %v", err)
	}
}

func TestLargestShare(t *testing.T) {
	if got := largestShare([]float64{1, 5, 2, 2}, 2); got != .7 {
		t.Errorf("%v, want .7", got)
	}
	if got := largestShare([]float64{1, 3}, 9); got != 1 {
		t.Errorf("of more than there are: %v", got)
	}
}

// A lead is the minimum over the depths. It is positive if the learner is better, whether higher or lower scores are
// better.
func TestDepthScoreSetMeasures(t *testing.T) {
	result := func(depth int, net, ntk, seen float64) *depthResult {
		of := func(r2 float64) rfm.Scores { return rfm.Scores{R2: r2} }
		return &depthResult{
			depth: depth, scores: map[learner]rfm.Scores{byNetwork: of(net), byNTK: of(ntk), byNTKFeatures: of(seen)},
		}
	}
	scoreR2 := func(s rfm.Scores) float64 { return s.R2 }
	all := []*depthResult{result(1, .5, .3, .7), result(2, .6, .3, .65)}
	var higher, lower study.Outcome
	depthScore{of: scoreR2}.setMeasures(all, &higher)
	if math.Abs(higher.Value(ntkLead)-.05) > 1e-12 || math.Abs(higher.Value(ntkFeaturesGain)-.35) > 1e-12 ||
		higher.Value(scoreAt(byNetwork, 2)) != .6 {
		t.Errorf("%v", higher.Values)
	}
	depthScore{of: scoreR2, lower: true}.setMeasures(all, &lower)
	if math.Abs(lower.Value(ntkLead)+.2) > 1e-12 {
		t.Errorf("lower is better: %v", lower.Values)
	}
}

// With a single depth nothing grows with depth, so that claims about growth are not judged.
func TestGrowth(t *testing.T) {
	depth := func(r *depthResult) float64 { return float64(r.depth) }
	all := []*depthResult{{depth: 1}, {depth: 2}, {depth: 4}}
	if got := growth(all, depth); got != 3 {
		t.Errorf("%v, want 3", got)
	}
	if got := growth(all[:1], depth); !math.IsNaN(got) {
		t.Errorf("of one depth: %v", got)
	}
}
