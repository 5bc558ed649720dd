// Package infinite computes the kernels of infinitely wide networks: the covariance of the outputs at initialisation
// (NNGP) and the neural tangent kernel, in the NTK parameterisation, from the architecture of a network (Jacot et al.
// 2018, Lee et al. 2018, Arora et al. 2019, Novak et al. 2019). They do not depend on any width, are the same for every
// output, and are zero between different outputs.
package infinite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// Kernels holds the kernels of images x, their rows, with images z, their columns, in float64.
type Kernels struct {
	Covariance *mat.Dense // E f(x)f(z) of one output over the initialisation
	Tangent    *mat.Dense // Θ(x, z) of one output
}

// Options says how to compute the kernels. The zero value uses all cores.
type Options struct {
	Threads int
	// Memory, if not 0, bounds the memory in bytes.
	Memory int64
	// Progress, if not nil, is called with the number of tiles of the kernels that are done.
	Progress func(done, total int)
}

// MemoryError says that the kernels of a pair of images would need more memory than the limit.
type MemoryError struct{ Need, Limit int64 }

// Error returns the need, the limit, and what reduces the need.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("the infinite-width kernel of two images needs %s of memory, the limit is %s: use smaller images "+
		"or fewer threads; a network with average pools needs every pair of positions", words.Bytes(e.Need), words.Bytes(e.Limit))
}

// InputError returns true: the request exceeds the memory.
func (e *MemoryError) InputError() bool { return true }

// Check returns an error that names the first layer whose kernel has no closed form, if there is one. Convolutions, linear
// layers, ReLU, erf, average pools, flattening and sums of branches have one. A nonlinearity must read a Gaussian: the output
// of a convolution or linear layer, or a sum of such. All branches of a sum but one must be Gaussian too. If memory, in bytes,
// is not 0, Check returns a [*MemoryError] where it does not suffice for the pairs of positions of an image.
func Check(a *models.Architecture, in models.Shape, memory int64) error {
	d, err := backend.Open(backend.Options{Backend: "go", Threads: 1})
	if err != nil {
		return err
	}
	defer d.Close()
	_, err = newTile(a, in, d, &cache{limit: memory}, 1, 1)
	return err
}

// Of returns the kernels of images x with images z, (image, row, column, channel), of the size in, normalised for the network.
// It returns the errors of [Check], and a [*MemoryError].
func Of(ctx context.Context, a *models.Architecture, in models.Shape, x, z []float32, o Options) (*Kernels, error) {
	n, m := len(x)/in.Size(), len(z)/in.Size()
	if n*in.Size() != len(x) || m*in.Size() != len(z) || n == 0 || m == 0 {
		return nil, fmt.Errorf("infinite: %d and %d numbers are not images of %v", len(x), len(z), in)
	}
	return compute(ctx, a, in, x, z, false, o)
}

// OfAll returns the kernels of images with each other. It computes only half of the entries.
func OfAll(ctx context.Context, a *models.Architecture, in models.Shape, x []float32, o Options) (*Kernels, error) {
	if n := len(x) / in.Size(); n*in.Size() != len(x) || n == 0 {
		return nil, fmt.Errorf("infinite: %d numbers are not images of %v", len(x), in)
	}
	return compute(ctx, a, in, x, x, true, o)
}

func compute(ctx context.Context, a *models.Architecture, in models.Shape, x, z []float32, same bool,
	o Options) (*Kernels, error) {
	n, m := len(x)/in.Size(), len(z)/in.Size()
	t, err := openTeam(a, in, min(n, m), o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	k := &Kernels{mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)}
	side := t.tiles[0].side
	var tasks [][2]int
	for i := 0; i < n; i += side {
		for j := 0; j < m; j += side {
			if !same || j >= i {
				tasks = append(tasks, [2]int{i, j})
			}
		}
	}
	done := func(finished int) {
		if o.Progress != nil {
			o.Progress(finished, len(tasks))
		}
	}
	err = parallel.Run(ctx, len(t.tiles), len(tasks), done, func(member int) (func(context.Context, int) error, error) {
		return func(ctx context.Context, task int) error {
			i, j := tasks[task][0], tasks[task][1]
			return t.tiles[member].fill(ctx, k, x, z, i, j)
		}, nil
	})
	if err != nil {
		return nil, err
	}
	if same {
		for i := range n {
			for j := range i {
				k.Covariance.Set(i, j, k.Covariance.At(j, i))
				k.Tangent.Set(i, j, k.Tangent.At(j, i))
			}
		}
	}
	return k, nil
}

// team computes tiles of the kernels, each member on a device with one thread.
type team struct {
	devices []*backend.Device
	tiles   []*tile
}

func (t *team) close() {
	for _, d := range t.devices {
		d.Close()
	}
}

// openTeam opens the members' devices and builds their tiles; images is the number of images on the kernel's shorter side.
func openTeam(a *models.Architecture, in models.Shape, images int, o Options) (*team, error) {
	t, members := &team{}, cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	shared := &cache{limit: o.Memory}
	side := 1
	for member := range members {
		d, err := backend.Open(backend.Options{Threads: 1})
		if err != nil {
			t.close()
			return nil, err
		}
		t.devices = append(t.devices, d)
		if member == 0 {
			side, err = sideFor(a, in, d, shared, min(images, mostImages), members, o.Memory)
		}
		var x *tile
		if err == nil {
			x, err = newTile(a, in, d, shared, side, side)
		}
		if err != nil {
			t.close()
			return nil, err
		}
		t.tiles = append(t.tiles, x)
	}
	return t, nil
}

// A tile has at most mostImages images on either side, and its program uses about tileBytes of memory, so that the maps of a
// layer stay in cache.
const (
	mostImages = 16
	tileBytes  = 64 << 20
)

// sideFor returns the number of images on either side of a tile.
func sideFor(a *models.Architecture, in models.Shape, d *backend.Device, shared *cache, most, members int,
	memory int64) (int, error) {
	one, err := newTile(a, in, d, shared, 1, 1)
	if err != nil {
		return 0, err
	}
	need, limit := one.program.Bytes(), int64(math.MaxInt64)
	if memory > 0 {
		limit = memory / int64(members)
	}
	if need > limit {
		return 0, &MemoryError{need, limit}
	}
	side := 1
	for side < most && need*int64(4*side*side) <= min(tileBytes, limit) {
		side *= 2
	}
	return min(side, most), nil
}

// tile is the compiled expression of the kernels of side images with side others.
type tile struct {
	side                int
	in                  models.Shape
	x, z                *graph.Node // (position, image·channel)
	covariance, tangent *graph.Node
	program             *graph.Program
}

func newTile(a *models.Architecture, in models.Shape, d *backend.Device, shared *cache, rows, columns int) (*tile, error) {
	p := a.Parameterisation
	if !p.NTK {
		return nil, fmt.Errorf("a network has a kernel of infinite width in the NTK parameterisation (--parameterisation ntk), " +
			"not in the standard one, where the kernel grows with the width")
	}
	t := &tile{side: rows, in: in}
	g := graph.New(d, graph.Double)
	t.x = g.Input("x", in.Height*in.Width, rows*in.Channels)
	t.z = g.Input("z", in.Height*in.Width, columns*in.Channels)
	b := &builder{Graph: g, cache: shared, weights: p.WeightScale * p.WeightScale, biases: p.BiasScale * p.BiasScale}
	b.pools = countAveragePools(a.On(in).Root)
	out := b.layer("", a.On(in).Root, b.readImages(t.x, t.z, in, rows, columns))
	if b.err == nil && b.Err() == nil {
		b.err = out.checkOutput()
	}
	if b.err == nil {
		b.err = b.Err()
	}
	if memory := (*MemoryError)(nil); errors.As(b.err, &memory) {
		return nil, memory
	}
	if b.err != nil {
		return nil, fmt.Errorf("%s has no kernel of infinite width in closed form: %w", a.Name, b.err)
	}
	t.covariance, t.tangent = out.cross.k, out.cross.theta
	var err error
	t.program, err = g.Compile(graph.Plan{Outputs: []*graph.Node{t.covariance, t.tangent}})
	return t, err
}

// fill computes the tile of the kernels whose first row is image i of x and whose first column is image j of z.
func (t *tile) fill(ctx context.Context, k *Kernels, x, z []float32, i, j int) error {
	t.write(t.x, x, i)
	t.write(t.z, z, j)
	if err := t.program.Run(ctx); err != nil {
		return err
	}
	n, m := k.Covariance.Dims()
	covariance := t.program.Value(t.covariance).Float64s()
	tangent := t.program.Value(t.tangent).Float64s()
	for r := range min(t.side, n-i) {
		for c := range min(t.side, m-j) {
			k.Covariance.Set(i+r, j+c, covariance[r*t.side+c])
			k.Tangent.Set(i+r, j+c, tangent[r*t.side+c])
		}
	}
	return nil
}

// write writes images from the first on into an input, and pads them with zeros.
func (t *tile) write(to *graph.Node, px []float32, first int) {
	dst, channels, size := t.program.Value(to).Float64s(), t.in.Channels, t.in.Size()
	for r := range t.side {
		for p := range t.in.Height * t.in.Width {
			for c := range channels {
				at, v := (first+r)*size+p*channels+c, 0.
				if at < len(px) {
					v = float64(px[at])
				}
				dst[(p*t.side+r)*channels+c] = v
			}
		}
	}
}
