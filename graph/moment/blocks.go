package moment

import "gonum.org/v1/gonum/mat"

// OfBlocks returns a moment of which only the blocks on the diagonal of S are known, one for each group of elements of
// the vectors. A single block is the moment itself.
func OfBlocks(blocks []Moment) Moment {
	if len(blocks) == 1 {
		return blocks[0]
	}
	m := Moment{blocks: blocks}
	for _, b := range blocks {
		m.n += b.n
	}
	return m
}

// Blocks returns the blocks on the diagonal of S that are known: one for each group of a layer, or S itself.
func (m Moment) Blocks() []Moment {
	if m.blocks == nil {
		return []Moment{m}
	}
	return m.blocks
}

// Part returns the moment of the elements from ≤ i < to of the vectors. The moment must have a single block.
func (m Moment) Part(from, to int) Moment {
	switch {
	case m.blocks != nil:
		panic("moment: Part of a moment with several blocks")
	case m.rows != nil:
		r, _ := m.rows.Dims()
		return OfRows(mat.DenseCopyOf(m.rows.Slice(0, r, from, to)))
	case m.sym != nil:
		s := mat.NewSymDense(to-from, nil)
		s.CopySym(m.sym.SliceSym(from, to))
		return Of(s)
	case m.diag != nil:
		return Moment{n: to - from, diag: m.diag[from:to]}
	}
	return Moment{n: to - from}
}

// placeBlocks writes the blocks into S.
func (m Moment) placeBlocks(s *mat.SymDense) {
	at := 0
	for _, b := range m.blocks {
		block := b.Sym()
		for i := range b.n {
			for j := i; j < b.n; j++ {
				s.SetSym(at+i, at+j, block.At(i, j))
			}
		}
		at += b.n
	}
}

func (m Moment) blockDiagonals() (d []float64) {
	for _, b := range m.blocks {
		d = append(d, b.Diagonal()...)
	}
	return d
}

// sandwichBlocks adds the products of the blocks to out.
func (m Moment) sandwichBlocks(out *mat.SymDense, w *mat.Dense) {
	_, d := w.Dims()
	at := 0
	for _, b := range m.blocks {
		out.AddSym(out, b.Sandwich(w.Slice(at, at+b.n, 0, d)))
		at += b.n
	}
}

// sumBlocks adds up moments block by block.
func sumBlocks(ms []Moment, scale float64) Moment {
	sum := make([]Moment, len(ms[0].blocks))
	for k := range sum {
		of := make([]Moment, len(ms))
		for i, m := range ms {
			of[i] = m.blocks[k]
		}
		sum[k] = Sum(of, scale)
	}
	return OfBlocks(sum)
}
