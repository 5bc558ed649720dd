package need

// Machine is a recursive feature machine with a radial kernel.
type Machine struct {
	Reading
	Examples    float64 `json:"examples"`
	Inputs      float64 `json:"inputs"`
	Outputs     float64 `json:"outputs"`
	Regressions float64 `json:"regressions"`        // one more than iterations
	Sample      float64 `json:"sample,omitempty"`   // examples of an AGOP; without iterations 0
	Tested      float64 `json:"tested,omitempty"`   // examples predicted, each time
	Diagonal    float64 `json:"diagonal,omitempty"` // 1 where of AGOPs only the diagonals are taken
}

func (Machine) kind() string { return "machine" }

// An AGOP takes distances, for each output a product of the size of one, and
// gradients' products.
func (j Machine) time() []float64 {
	n, d, r, agops := j.Examples, j.Inputs, j.Regressions, j.Regressions-1
	whole := agops * (1 - j.Diagonal)
	return append([]float64{
		1, r * n * n * n, r * n * (n + j.Tested), r * n * (n + j.Tested) * d,
		agops * j.Sample * n * d, agops * j.Sample * n * j.Outputs * d, whole * j.Sample * j.Outputs * d * d, whole * d * d * d,
	}, j.Reading.terms()...)
}

func (j Machine) memory() []float64 {
	n, d := j.Examples, j.Inputs
	return append([]float64{1, n * n, (n + j.Tested) * d, (1 - j.Diagonal) * d * d, j.Sample * j.Outputs * d}, j.Reading.terms()...)
}

// PatchMachine is a convolutional machine with the tangent kernel of a convolutional
// network, or some of its kernel matrix: sums over its layers and regressions.
type PatchMachine struct {
	Reading
	Maps             float64 `json:"maps"`     // pairs of images × positions of all convolutions
	Products         float64 `json:"products"` // pairs × positions of the first one × numbers in a patch
	GradientMaps     float64 `json:"gradient_maps,omitempty"`
	GradientProducts float64 `json:"gradient_products,omitempty"`
	Cubes            float64 `json:"cubes,omitempty"` // n³ of the regressions
	Images           float64 `json:"images"`          // at once
	Seen             float64 `json:"seen"`            // numbers in all of their patches
}

func (PatchMachine) kind() string { return "convolutional machine" }

func (j PatchMachine) time() []float64 {
	return append([]float64{1, j.Cubes, j.Maps, j.Products, j.GradientMaps, j.GradientProducts, j.Seen}, j.Reading.terms()...)
}

func (j PatchMachine) memory() []float64 {
	return append([]float64{1, j.Images * j.Images, j.Seen}, j.Reading.terms()...)
}

// Plus is both machines, one after the other.
func (j PatchMachine) Plus(k PatchMachine) PatchMachine {
	return PatchMachine{
		Reading: Reading{j.Opened + k.Opened, j.Scaled + k.Scaled},
		Maps:    j.Maps + k.Maps, Products: j.Products + k.Products, GradientMaps: j.GradientMaps + k.GradientMaps,
		GradientProducts: j.GradientProducts + k.GradientProducts, Cubes: j.Cubes + k.Cubes, Images: max(j.Images, k.Images), Seen: max(j.Seen, k.Seen),
	}
}

// LaplacePatches is a convolutional machine with the Laplace kernel of patches.
type LaplacePatches struct{ PatchMachine }

func (LaplacePatches) kind() string { return "machine of patches" }

// Table is a table of a benchmark: the sums are over all machines that are fitted.
type Table struct {
	Fits   float64 `json:"fits"`
	Cubes  float64 `json:"cubes"`  // Σ n³ of the regressions
	Pairs  float64 `json:"pairs"`  // Σ n² of the kernels
	Depths float64 `json:"depths"` // Σ n² × depth of those of networks
	Wide   float64 `json:"wide"`   // Σ n²d
	AGOPs  float64 `json:"agops"`  // Σ n²dc
	Rows   float64 `json:"rows"`
	Data   float64 `json:"data"` // numbers in the table
}

func (Table) kind() string { return "table" }

func (j Table) time() []float64 {
	return []float64{1, j.Fits, j.Cubes, j.Pairs, j.Depths, j.Wide, j.AGOPs}
}

func (j Table) memory() []float64 { return []float64{1, j.Rows * j.Rows, j.Data} }
