package experiments

import (
	"github.com/ansatz-lab/ansatz/data/table"
	"gonum.org/v1/gonum/mat"
)

// LowRankSpec compares what learns features with what does not on a polynomial of
// few directions (rfm Fig. 16): a recursive feature machine and a network of one
// hidden layer with the Laplace kernel and the NTK of that network.
type LowRankSpec struct {
	Polynomial string `json:"polynomial" toml:"polynomial"` // rademacher or hermite
	Train      int    `json:"train" toml:"train"`
	// Validation is the number of further rows on which the iteration of the RFM
	// and the epoch of the network are chosen. The paper does not say how it did.
	Validation int         `json:"validation" toml:"validation"`
	Test       int         `json:"test" toml:"test"`
	Iterations int         `json:"iterations" toml:"iterations"`
	Net        NetworkSpec `json:"net" toml:"net"`
}

const lowRankAbout = " Kernels without a ridge, L = 10. The iteration of the recursive feature machine (RFM) and the epoch of the network are chosen on further rows; test rows choose nothing. " +
	"The null of a similarity with the true gradient outer product turns the feature matrix at random."

// rfmFig16abc is a product of two signs.
func rfmFig16abc() *Experiment {
	return &Experiment{
		ID: "rfm/fig16abc", Paper: "rfm", Figure: "Fig. 16a–c", Title: "Low-rank polynomials: a product of two signs",
		About: "y = z₁z₂, x = z + noise, z uniform on the corners of a cube of 30 dimensions; the paper does not say how much noise: standard deviation .1." + lowRankAbout +
			" The paper's bars have no numbers; those of the RFM and of the Laplace kernel were measured before with another program.",
		Claims: []Claim{
			{"laplace_r2", "The Laplace kernel's test R².", "bar; .563 by peers", within(.563, .05)},
			{"rfm_r2_1", "One iteration of the RFM finds the two coordinates.", "bar; .9989 by peers", atLeast(.99)},
			{"gap", "RFM and network far exceed NTK and Laplace kernel: the least R² of the former above the largest of the latter.", "bars", atLeast(.1)},
			{"net_train_r2", "After the last epoch the network interpolates the training rows: R².", "1", atLeast(.99)},
			{"rfm_share", "The RFM selects the two coordinates: their share of M.", "picture", atLeast(.9)},
			{"net_share", "So does the network: their share of W₁ᵀW₁.", "picture", atLeast(.9)},
			{"rfm_excess", "M is alike to the true gradient outer product, beyond its null.", "picture", atLeast(.5)},
			{"net_excess", "W₁ᵀW₁ is alike to the true gradient outer product, beyond its null.", "picture", atLeast(.5)},
		},
		Specs: map[Scale]Spec{
			Smoke:      &LowRankSpec{"rademacher", 300, 100, 300, 1, NetworkSpec{Width: 32, FirstStd: 1e-3, Rate: .1, Epochs: 30}},
			Small:      &LowRankSpec{"rademacher", 1000, 250, 10000, 2, NetworkSpec{Width: 1024, FirstStd: 1e-3, Rate: .1, Epochs: 1000}},
			PaperScale: &LowRankSpec{"rademacher", 1000, 250, 10000, 5, NetworkSpec{Width: 1024, FirstStd: 1e-3, Rate: .1, Epochs: 1000}},
		},
	}
}

// rfmFig16def is a polynomial of one direction.
func rfmFig16def() *Experiment {
	return &Experiment{
		ID: "rfm/fig16def", Paper: "rfm", Figure: "Fig. 16d–f", Title: "Low-rank polynomials: Hermite polynomials of one direction",
		About: "y = He₂(uᵀx) + He₄(uᵀx), x ~ N(0, I) with 10 features, u a random point of the sphere." + lowRankAbout,
		Claims: []Claim{
			{"gap_rfm", "The RFM far outperforms network, NTK and Laplace kernel: its R² above the largest of theirs.", "bars", atLeast(.1)},
			{"net_train_r2", "After the last epoch the network nearly interpolates the training rows: R².", ".971", atLeast(.95)},
			{"rfm_pearson", "The RFM learns to approximate the true gradient outer product.", "picture", atLeast(.9)},
			{"rfm_excess", "Its similarity lies above its null.", "picture", atLeast(.5)},
			{"pearson_gap", "The network does not, neither at the chosen epoch nor at the last: the RFM's similarity above the network's.", "picture", atLeast(.1)},
		},
		Specs: map[Scale]Spec{
			Smoke:      &LowRankSpec{"hermite", 300, 100, 300, 1, NetworkSpec{Width: 32, Adam: true, Rate: 1e-2, Epochs: 30}},
			Small:      &LowRankSpec{"hermite", 1000, 250, 10000, 4, NetworkSpec{Width: 1024, Adam: true, Rate: 1e-2, Epochs: 1000}},
			PaperScale: &LowRankSpec{"hermite", 1000, 250, 10000, 5, NetworkSpec{Width: 1024, Adam: true, Rate: 1e-2, Epochs: 1000}},
		},
	}
}

// gradientOuterProduct is E[∇f∇fᵀ] of the polynomials of Fig. 16: of x₁x₂, with
// E[xᵢ²] = 1 + noise², and of He₂ + He₄ of uᵀx, whose derivative 2He₁ + 4He₃ has
// the mean square 4 + 16·3!.
func gradientOuterProduct(p table.Polynomial, seed uint64) (*mat.SymDense, error) {
	out := mat.NewSymDense(p.Features, nil)
	switch p.Name {
	case "rademacher":
		for i := range 2 {
			out.SetSym(i, i, 1+table.RademacherNoise*table.RademacherNoise)
		}
	case "hermite":
		u := mat.NewVecDense(p.Features, table.HermiteDirection(seed))
		out.SymRankOne(out, 4+16*6, u)
	default:
		return nil, badInput("the gradient outer product of %q: want rademacher or hermite", p.Name)
	}
	return out, nil
}
