package cost

// Machine is a recursive feature machine with a radial kernel.
type Machine struct {
	Reading
	Examples    float64 `json:"examples"`
	Inputs      float64 `json:"inputs"`
	Outputs     float64 `json:"outputs"`
	Regressions float64 `json:"regressions"`        // one more than iterations
	Sample      float64 `json:"sample,omitempty"`   // examples of an AGOP; without iterations 0
	Tested      float64 `json:"tested,omitempty"`   // examples predicted, each time
	Diagonal    float64 `json:"diagonal,omitempty"` // 1 if only the diagonals of AGOPs are computed
}

func (Machine) kind() string { return "machine" }

func (j Machine) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}

// Half of a kernel matrix is computed. An AGOP takes distances, for each output a product
// of the size of a kernel matrix, and the products of gradients.
func (j Machine) time() terms {
	k, n, d, r := j.kind(), j.Examples, j.Inputs, j.Regressions
	agops, pairs := r-1, n/2+j.Tested
	whole := agops * (1 - j.Diagonal)
	return newTerms(k).with("cubes", r*n*n*n).with(k+": pairs", r*n*pairs).with(k+": distances", r*n*pairs*d).
		with(k+": pairs of AGOPs", agops*j.Sample*n).with(k+": distances of AGOPs", agops*j.Sample*n*d).
		with(k+": maps", agops*j.Sample*n*j.Outputs).with(k+": gradients", agops*j.Sample*n*j.Outputs*d).
		with(k+": products", whole*(j.Sample*j.Outputs+n+j.Tested)*d*d).with(k+": roots",
		whole*d*d*d).reading(j.Reading)
}

// Learning a metric takes a copy of the examples that it maps and, unless it is diagonal,
// several matrices of its size.
func (j Machine) memory() terms {
	k, n, d := j.kind(), j.Examples, j.Inputs
	learned := 0.
	if j.Regressions > 1 {
		learned = 1
	}
	return newTerms("process").with(k+": kernel", n*n).with(k+": examples", (n+j.Tested)*d).
		with(k+": points", learned*n*d).with(k+": metric", learned*(1-j.Diagonal)*d*d).room(k, j.Reading)
}

// PatchMachine is a convolutional machine with the tangent kernel of a convolutional network, or a
// part of its kernel matrix: its fields are sums over layers and regressions.
type PatchMachine struct {
	Reading
	Maps             float64 `json:"maps"`     // pairs of images × positions of all convolutions
	Products         float64 `json:"products"` // pairs × positions of the first one × numbers in a patch
	GradientMaps     float64 `json:"gradient_maps,omitempty"`
	GradientProducts float64 `json:"gradient_products,omitempty"`
	Cubes            float64 `json:"cubes,omitempty"` // n³ of the regressions
	Tiles            float64 `json:"tiles,omitempty"` // products of matrices: tiles × positions of layer 1
	GradientTiles    float64 `json:"gradient_tiles,omitempty"`
	Far              float64 `json:"far,omitempty"`       // numbers in the patches of tiles that these read from memory
	Lenses           float64 `json:"lenses,omitempty"`    // multiplications of patches and gradients by a metric
	Made             float64 `json:"made,omitempty"`      // numbers in patches, as often as they are made
	Kernel           float64 `json:"kernel,omitempty"`    // numbers in the kernel matrix
	Patches          float64 `json:"patches,omitempty"`   // numbers in the patches that are held
	HeldMaps         float64 `json:"maps_held,omitempty"` // numbers in the maps of a tile
	Gradients        float64 `json:"gradients,omitempty"` // numbers in the gradients that are held
}

func (PatchMachine) kind() string { return "convolutional machine" }

func (j PatchMachine) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}
func (j PatchMachine) time() terms { return j.timeAs(j.kind()) }

func (j PatchMachine) timeAs(kind string) terms {
	return newTerms(kind).with("cubes", j.Cubes).with(kind+": maps", j.Maps).with(kind+": products", j.Products).
		with(kind+": gradients' maps", j.GradientMaps).with(kind+": gradients' products", j.GradientProducts).
		with("tiles", j.Tiles).with("gradients of tiles", j.GradientTiles).
		with("far patches", j.Far).
		with("convolutions", j.Lenses).with("values", j.Made).reading(j.Reading)
}

// Patches are made again and again. Their garbage is collected once it is as large as
// everything in use, to which open images belong.
func (j PatchMachine) memory() terms {
	return newTerms("process").with("kernel of images", j.Kernel).with("patches", j.Patches).with("patches left behind",
		max(0, j.Patches-j.Opened/4)).
		with("maps of tiles", j.HeldMaps).with("gradients of tiles", j.Gradients).room("machine of images", j.Reading)
}

// Plus returns the job of two machines, one after the other.
func (j PatchMachine) Plus(k PatchMachine) PatchMachine {
	return PatchMachine{
		Reading: Reading{j.Opened + k.Opened, j.Scaled + k.Scaled},
		Maps:    j.Maps + k.Maps, Products: j.Products + k.Products, GradientMaps: j.GradientMaps + k.GradientMaps,
		GradientProducts: j.GradientProducts + k.GradientProducts, Tiles: j.Tiles + k.Tiles,
		GradientTiles: j.GradientTiles + k.GradientTiles,
		Far:           j.Far + k.Far,
		Cubes:         j.Cubes + k.Cubes, Lenses: j.Lenses + k.Lenses, Made: j.Made + k.Made,
		Kernel: max(j.Kernel, k.Kernel), Patches: max(j.Patches, k.Patches),
		HeldMaps: max(j.HeldMaps, k.HeldMaps), Gradients: max(j.Gradients, k.Gradients),
	}
}

// PooledMachine is a convolutional machine whose kernel is averaged over all pairs of positions;
// its maps are of these pairs.
type PooledMachine struct{ PatchMachine }

func (PooledMachine) kind() string { return "pooled machine" }

func (j PooledMachine) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}
func (j PooledMachine) time() terms { return j.timeAs(j.kind()) }

// LaplacePatches is a convolutional machine with the Laplace kernel of patches.
type LaplacePatches struct{ PatchMachine }

func (LaplacePatches) kind() string { return "machine of patches" }

func (j LaplacePatches) read(r Reading) Job {
	j.Reading = j.Reading.with(r)
	return j
}
func (j LaplacePatches) time() terms { return j.timeAs(j.kind()) }

// Table is a table of a benchmark: its fields are sums over all fitted machines.
type Table struct {
	Fits   float64 `json:"fits"`
	Cubes  float64 `json:"cubes"`  // Σ n³ of the regressions
	Passes float64 `json:"passes"` // Σ passes × n²d of the regressions that EigenPro solves in passes
	Pairs  float64 `json:"pairs"`  // Σ n² of the kernels
	Depths float64 `json:"depths"` // Σ n² × depth of the kernels of networks
	Wide   float64 `json:"wide"`   // Σ n²d
	AGOPs  float64 `json:"agops"`  // Σ n²dc
	Rows   float64 `json:"rows"`   // of the largest kernel matrix
	Data   float64 `json:"data"`   // numbers in the table
}

func (Table) kind() string { return "table" }

func (j Table) time() terms {
	k := j.kind()
	return newTerms(k).with(k+": fits", j.Fits).with("cubes", j.Cubes).with(k+": pairs",
		j.Pairs).with(k+": depths", j.Depths).
		with(k+": distances", j.Wide+j.Passes).with(k+": gradients", j.AGOPs)
}

func (j Table) memory() terms {
	k := j.kind()
	return newTerms("process of a "+k).with(k+": kernel", j.Rows*j.Rows).with(k+": data", j.Data)
}
