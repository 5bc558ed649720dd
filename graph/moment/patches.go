package moment

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// PatchRows reports whether [NewPatches] can sum the moment of a convolution's patches from rows of patches.
func PatchRows(s backend.ConvShape) bool {
	return s.KH > 1 && s.StrideH == 1 && s.StrideW == 1 && max(s.DilateH, 1) == 1 && max(s.Groups, 1) == 1 && s.H >= s.KH
}

// patchMoment sums the moment of patches of KH×KW from patches of 1×KW, each of which belongs to up to KH of the larger
// ones. With U_y the patches in row y of an image, one per row, S has the blocks
//
//	Σ U_{y+i}ᵀU_{y+i+t}  over the rows y of the output,
//
// which for given t are the same for all i, except for rows at the border, which are subtracted.
type patchMoment[T backend.Float] struct {
	device *backend.Device
	engine backend.Engine[T]
	s      backend.ConvShape
	m      int           // the number of elements of a patch of 1×KW
	shifts []*gramSum[T] // Σ U_yᵀU_{y+t} over all y, for every t
	border map[borderRow]*gramSum[T]
}

// borderRow identifies the product U_yᵀU_{y+t} of one row y.
type borderRow struct{ t, y int }

// gramSum is a sum of products, m×m: in the graph's precision over a batch, in float64 over batches.
type gramSum[T backend.Float] struct {
	fresh bool // nothing of the batch was added yet
	batch []T
	total []float64
}

// NewPatches returns an accumulator for the moment of all patches that a convolution reads. To add are patches of one row:
// those of a convolution with filters of 1×KW, the same stride and padding of columns, and no padding of rows. That takes
// about half the work of adding the patches themselves.
func NewPatches[T backend.Float](d *backend.Device, s backend.ConvShape) Accumulator {
	p := &patchMoment[T]{device: d, engine: backend.EngineOf[T](d), s: s, m: s.C * s.KW, border: map[borderRow]*gramSum[T]{}}
	for t := range s.KH {
		p.shifts = append(p.shifts, p.sum())
		for i := range s.KH - t {
			for _, y := range p.excluded(i, t) {
				p.border[borderRow{t, y}] = p.sum()
			}
		}
	}
	return p
}

func (p *patchMoment[T]) sum() *gramSum[T] {
	s := &gramSum[T]{batch: make([]T, p.m*p.m), total: make([]float64, p.m*p.m)}
	attach(p.device, s, s.batch)
	return s
}

// excluded returns the rows y of an image whose U_yᵀU_{y+t} does not belong to the block of the rows i and i + t of a
// patch, because y is row i of no patch.
func (p *patchMoment[T]) excluded(i, t int) (rows []int) {
	first := i - p.s.PadH
	for y := range p.s.H - t {
		if y < first || y >= first+p.s.OutH() {
			rows = append(rows, y)
		}
	}
	return rows
}

func (p *patchMoment[T]) Begin(int, int) {
	for _, s := range p.sums() {
		s.fresh = true
	}
}

// beta returns the factor of the sum so far in the next addition: 0 for the first of a batch, then 1.
func (s *gramSum[T]) beta() T {
	if s.fresh {
		s.fresh = false
		return 0
	}
	return 1
}

func (p *patchMoment[T]) sums() []*gramSum[T] {
	all := append([]*gramSum[T](nil), p.shifts...)
	for _, s := range p.border {
		all = append(all, s)
	}
	return all
}

// Add adds the patches of one row of whole images. The caller leaves out the images that do not count: unlike their
// cotangents, their patches are not zero.
func (p *patchMoment[T]) Add(_ int, rows *tensor.Dense) error {
	u := rows.Data().([]T)
	width := p.s.OutW() * p.m // of a row of an image
	p.engine.Gram(p.m, u, p.shifts[0].beta(), p.shifts[0].batch)
	for image := 0; image < len(u); image += p.s.H * width {
		own := u[image : image+p.s.H*width]
		for t := 1; t < p.s.KH; t++ {
			p.add(p.shifts[t], own[:(p.s.H-t)*width], own[t*width:])
		}
		for b, sum := range p.border {
			p.add(sum, own[b.y*width:(b.y+1)*width], own[(b.y+b.t)*width:(b.y+b.t+1)*width])
		}
	}
	return nil
}

// add adds aᵀb of rows of m elements.
func (p *patchMoment[T]) add(sum *gramSum[T], a, b []T) {
	p.engine.Gemm(true, false, p.m, p.m, len(a)/p.m, a, b, sum.beta(), sum.batch)
}

// End adds the batch to the totals.
func (p *patchMoment[T]) End() {
	for _, s := range p.sums() {
		if s.fresh {
			continue
		}
		p.device.Download(s.batch)
		for i, v := range s.batch {
			s.total[i] += float64(v)
		}
	}
}

// Take puts S together, in the order (channel, row, column) of the elements of a patch.
func (p *patchMoment[T]) Take(scale float64) Moment {
	kh, kw := p.s.KH, p.s.KW
	n := p.s.C * kh * kw
	raw := make([]float64, n*n)
	sym := mat.NewSymDense(n, raw)
	places := make([]int, n) // of the elements of each row of a patch
	for k := range places {
		row, element := k/p.m, k%p.m
		places[k] = (element/kw*kh+row)*kw + element%kw
	}
	inner := make([]float64, p.m*p.m)
	for t, shift := range p.shifts {
		for i := range kh - t {
			block := shift.total
			for _, y := range p.excluded(i, t) {
				floats.SubTo(inner, block, p.border[borderRow{t, y}].total)
				block = inner
			}
			for a := range p.m {
				first := 0
				if t == 0 { // Gram computes only the upper triangle
					first = a
				}
				row, from := places[i*p.m+a], block[a*p.m:(a+1)*p.m]
				for b, to := range places[(i+t)*p.m : (i+t+1)*p.m][first:] {
					raw[min(row, to)*n+max(row, to)] = scale * from[first+b]
				}
			}
		}
	}
	for _, s := range p.sums() {
		clear(s.total)
	}
	return Of(sym)
}

func (p *patchMoment[T]) Bytes(int64) int64 {
	return int64(len(p.sums())) * int64(p.m) * int64(p.m) * 16
}
