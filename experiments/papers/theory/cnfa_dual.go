package theory

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// checkCNFADual checks the dual activation of ReLU in section 3.1 of cnfa, 2E[φ(u)φ(v)]
// for u = wᵀa and v = wᵀb, w ~ N(0, I), with φ = ReLU.
func (t *theory) checkCNFADual() error {
	m := linalg.Gaussian(models.Stream(t.seed, "theory/cnfa/dual"), 2, 5, 1)
	a, b := m.RowView(0), m.RowView(1)
	x, y, dot := mat.Norm(a, 2), mat.Norm(b, 2), mat.Dot(a, b)
	angle := math.Acos(dot / (x * y))
	// In the plane of a and b, w has a direction θ from a, evenly distributed, and
	// a length r with E[r²] = 2; u = rx·cos θ and v = ry·cos(θ − angle) are above 0
	// from angle − π/2 to π/2.
	want := 2 / math.Pi * x * y * quad.Fixed(func(s float64) float64 { return math.Cos(s) * math.Cos(s-angle) },
		angle-math.Pi/2, math.Pi/2, 40, nil, 0)
	dual := func(root float64) float64 { return (dot*(math.Pi-angle) + root) / math.Pi }
	s := study.Statement{Paper: "cnfa", Name: "section 3.1, dual activation",
		Says: "for ReLU it is (aᵀb(π − arccos(aᵀb/‖a‖‖b‖)) + √(‖a‖²‖b‖² − aᵀb))/π", Measure: "relative error",
		Note: "aᵀb under the root lacks its square."}
	printed := math.Sqrt(math.Max(0, x*x*y*y-dot))
	t.addPrinted(s, math.Abs(dual(printed)-want)/want, Exact)
	s.Says, s.Note = "with √(‖a‖²‖b‖² − (aᵀb)²)", "It is 2E[φ(wᵀa)φ(wᵀb)], that of φ = √2·ReLU."
	t.addPutRight(s, math.Abs(dual(math.Sqrt(x*x*y*y-dot*dot))-want)/want, Exact)
	return nil
}
