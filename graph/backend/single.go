package backend

import "github.com/ansatz-lab/ansatz/graph/backend/kernel"

// single is the float32 engine in Go. Micro-kernels compute its matrix products
// and convolutions tile by tile.
type single struct {
	pure[float32]
	kernels *kernel.Set
	lanes   []lane // one per thread

	product      product
	rows, cols   func(part, lo, hi int) // compute rows or columns of product
	grams        func(part, lo, hi int) // compute panels of a product AᵀA
	filters      []float32              // packed
	correlations map[ConvShape]*correlation
	adjoints     map[ConvShape][]*correlation
}

func newSingle(threads int, k *kernel.Set) *single {
	e := &single{
		pure:         pure[float32]{threads: threads, loops: k.Loops},
		kernels:      k,
		lanes:        make([]lane, threads),
		correlations: map[ConvShape]*correlation{},
		adjoints:     map[ConvShape][]*correlation{},
	}
	for i := range e.lanes {
		e.lanes[i].kernels = k
	}
	e.rows = func(part, lo, hi int) { e.product.part(&e.lanes[part], lo, hi, 0, e.product.n) }
	e.grams = func(part, lo, hi int) {
		for p := lo; p < hi; p++ {
			e.product.part(&e.lanes[part], p*gramPanel, min((p+1)*gramPanel, e.product.m), p*gramPanel, e.product.n)
		}
	}
	e.cols = func(part, lo, hi int) { e.product.part(&e.lanes[part], 0, e.product.m, lo, hi) }
	return e
}
