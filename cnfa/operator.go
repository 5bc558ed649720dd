package cnfa

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// Response holds the norms ‖M^½h‖ of the patches h of one image, row by row, for M the CNFM and the AGOP of a
// layer (cnfa, section 2.2).
type Response struct {
	Height, Width int
	CNFM, AGOP    []float64
}

// Responses returns the responses of images px, (image, row, column, channel) and normalised, at the convolution
// of a verification's result r, or at a linear layer that reads rows of features as the pixels of images. It forms no
// patch and no d×d root: with z = Wh, ‖M^½h‖² is zᵀz for M = WᵀW, and zᵀSz for M = WᵀSW. With groups it is the sum over
// the blocks of M. Where weights are shared, it is at their first use.
func Responses(ctx context.Context, net *models.Network, r LayerResult, px []float32) ([]Response, error) {
	z, err := filterPatches(ctx, net, r, px)
	if err != nil {
		return nil, err
	}
	l, err := r.root()
	if err != nil {
		return nil, err
	}
	plain := mat.DenseCopyOf(z.rows)
	var weighted mat.Dense
	weighted.Mul(plain, l)
	a, b := rowNorms(plain), rowNorms(&weighted)
	out := make([]Response, z.images)
	for i := range out {
		lo, hi := i*z.height*z.width, (i+1)*z.height*z.width
		out[i] = Response{Height: z.height, Width: z.width, CNFM: a[lo:hi], AGOP: b[lo:hi]}
	}
	return out, nil
}

// root returns L with LLᵀ = S; for a layer with groups it is block diagonal.
func (r LayerResult) root() (*mat.Dense, error) {
	if rows, few := r.S.Factor(); few {
		return mat.DenseCopyOf(rows.T()), nil
	}
	blocks := r.S.Blocks()
	if len(blocks) == 1 {
		return factor(r.S.Sym())
	}
	all, at := mat.NewDense(r.S.N(), r.S.N(), nil), 0
	for _, b := range blocks {
		l, err := factor(b.Sym())
		if err != nil {
			return nil, err
		}
		all.Slice(at, at+b.N(), at, at+b.N()).(*mat.Dense).Copy(l)
		at += b.N()
	}
	return all, nil
}

// filteredPatches holds Wh for the patches h that a convolution reads in images.
type filteredPatches struct {
	images, height, width int
	rows                  mat.Matrix // a row for every patch, (image, row, column), and a column for every filter
	conv                  backend.ConvShape
}

// filterPatches computes Wh for the patches h that a convolution of a result r reads in the images px.
func filterPatches(ctx context.Context, net *models.Network, r LayerResult, px []float32) (f filteredPatches, err error) {
	n := len(px) / net.Input.Size()
	z, err := atLayer(ctx, net, r.Name, px, n, func(fn *graph.Function, l graph.Layer) *graph.Node {
		if l.Conv != nil {
			f.conv = l.Conv.Normal()
		}
		return fn.Filtered(l)
	})
	if err != nil {
		return f, err
	}
	if z.Dims() != 4 || z.Shape()[0] != n {
		return f, fmt.Errorf("cnfa: %s is not a convolution: it sees no images", r.Name)
	}
	f.images, f.height, f.width = n, z.Shape()[1], z.Shape()[2]
	if f.conv.KH == 0 { // a linear layer
		f.conv = backend.ConvShape{H: f.height, W: f.width, KH: 1, KW: 1}.Normal()
	}
	patches, filters := n*f.height*f.width, z.Shape()[3]
	all := make([]float64, z.Size())
	values.CopyTo(all, z)
	from, to := r.Rows()
	f.rows = mat.NewDense(patches, filters, all).Slice(0, patches, from, to)
	return f, nil
}

func rowNorms(m *mat.Dense) []float64 {
	n, _ := m.Dims()
	out := make([]float64, n)
	for i := range out {
		s := 0.
		for _, v := range m.RawRowView(i) {
			s += v * v
		}
		out[i] = math.Sqrt(s)
	}
	return out
}
