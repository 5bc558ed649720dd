package cnfa

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
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
	n := len(px) / (net.Input.Channels * net.Input.Height * net.Input.Width)
	z, err := filtered(ctx, net, r.Name, px, n)
	if err != nil {
		return nil, err
	}
	if z.Dims() != 4 || z.Shape()[0] != n {
		return nil, fmt.Errorf("cnfa: %s is not a convolution: it sees no images", r.Name)
	}
	l, err := r.root()
	if err != nil {
		return nil, err
	}
	height, width, c := z.Shape()[1], z.Shape()[2], z.Shape()[3]
	rows := make([]float64, z.Size())
	for i, v := range z.Float32s() {
		rows[i] = float64(v)
	}
	from, to := r.Rows()
	plain := mat.DenseCopyOf(mat.NewDense(n*height*width, c, rows).Slice(0, n*height*width, from, to))
	var weighted mat.Dense
	weighted.Mul(plain, l)
	a, b := rowNorms(plain), rowNorms(&weighted)
	out := make([]Response, n)
	for i := range out {
		lo, hi := i*height*width, (i+1)*height*width
		out[i] = Response{Height: height, Width: width, CNFM: a[lo:hi], AGOP: b[lo:hi]}
	}
	return out, nil
}

// root returns L with LLᵀ = S; that of a layer with groups has their blocks.
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

// filtered computes W·h at every position of a layer for n images.
func filtered(ctx context.Context, net *models.Network, layer string, px []float32, n int) (*tensor.Dense, error) {
	return atLayer(ctx, net, layer, px, n, (*graph.Function).Filtered)
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
