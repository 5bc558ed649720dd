package cost

// Verification is the computation of the gradients for a verification of the ansatz, or for
// some of its groups of images.
type Verification struct {
	Net // of all layers
	Reading
	Images  float64 `json:"images"`
	Outputs float64 `json:"outputs"` // that are differentiated, or probes
	Batch   float64 `json:"batch"`   // images at a time
	Moments float64 `json:"moments"` // numbers in the moments of all groups
	Sums    float64 `json:"sums"`    // numbers in the moments of all batches, which are added up
	Squares float64 `json:"squares"` // Σ filters² × positions of the layers whose cotangents are multiplied, not kept
	Held    float64 `json:"held"`    // numbers in moments at once
	Workers float64 `json:"workers"` // each with a batch
}

func (Verification) kind() string { return "verification" }

func (j Verification) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}

// Images go forwards once, and backwards once for every output. Every time all weights
// of linear layers are read, however few images there are in a batch.
func (j Verification) time() terms {
	k := j.kind()
	return newTerms(k).with(k+": squares", j.Images*j.Outputs*j.Squares).with(k+": moments",
		j.Moments).with(k+": sums", j.Sums).
		with(k+": steps", j.Images*(j.Outputs+1)/j.Batch*j.Layers).
		with(k+": far weights", j.Images/j.Batch*(Far(j.Linear)+j.Outputs*Far(j.Linear-j.FirstLinear))).
		passes(j.Net, j.Images, j.Images*j.Outputs).reading(j.Reading)
}

func (j Verification) memory() terms {
	k := j.kind()
	return newTerms("process of a "+k).with(k+": parameters", j.Parameters).with(k+": values", j.Workers*j.Batch*j.Values).
		with(k+": moments", j.Held).room(k, j.Reading)
}

// Comparison is the comparison of a network's CNFMs with its AGOPs, and with the AGOPs' null.
// Its fields are sums over the layers.
type Comparison struct {
	Products   float64 `json:"products"`   // multiplications in products of matrices
	Frames     float64 `json:"frames"`     // multiplications in making random vectors orthonormal
	Roots      float64 `json:"roots"`      // n³ of matrices whose eigenvectors are computed
	Spectra    float64 `json:"spectra"`    // n³ of matrices of which only eigenvalues are computed
	Random     float64 `json:"random"`     // random numbers
	Squares    float64 `json:"squares"`    // numbers in the cores of all groups
	Moments    float64 `json:"moments"`    // numbers in the moments of all groups
	Held       float64 `json:"held"`       // numbers in cores, and in the moments that are kept
	Parameters float64 `json:"parameters"` // weights of the layers
	Largest    float64 `json:"largest"`    // numbers in the matrices of the largest layer
}

func (Comparison) kind() string { return "comparison" }

func (j Comparison) time() terms {
	k := j.kind()
	return newTerms(k).with(k+": products", j.Products).with(k+": frames", j.Frames).with(k+": roots",
		j.Roots).with(k+": spectra", j.Spectra).
		with(k+": random", j.Random).with(k+": squares", j.Squares).with(k+": moments", j.Moments)
}

func (j Comparison) memory() terms {
	k := j.kind()
	return newTerms("process of a "+k).with(k+": held", j.Held).with(k+": moments", j.Moments).
		with(k+": parameters", j.Parameters).with(k+": matrices", j.Largest)
}
