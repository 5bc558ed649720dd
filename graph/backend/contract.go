package backend

import "gonum.org/v1/gonum/blas/blas64"

// Contract adds Σ d·h over all pairs of positions to dst, for every pair of rows (example, output).
// The rows and columns of d are (example, output, position), those of h (example, position).
func Contract(dst, d, h blas64.General, outputs, positions int) {
	for row := range dst.Rows {
		out := dst.Data[row*dst.Stride:][:dst.Cols]
		for p := range positions {
			cots := d.Data[(row*positions+p)*d.Stride:][:d.Cols]
			patches := h.Data[(row/outputs*positions+p)*h.Stride:][:h.Cols]
			contractRow(out, cots, patches, outputs, positions)
		}
	}
}

// contractRow is Contract for one row and position.
func contractRow(out, cots, patches []float64, outputs, positions int) {
	for len(out) > 0 {
		h := patches[:positions]
		for k := range outputs {
			sum := 0.
			for i, v := range cots[k*positions:][:positions] {
				sum += v * h[i]
			}
			out[k] += sum
		}
		out, cots, patches = out[outputs:], cots[outputs*positions:], patches[positions:]
	}
}

// Widen copies values of either precision, from offset at on, to dst in float64.
func Widen(dst []float64, of any, at int) {
	switch x := of.(type) {
	case []float32:
		for k, v := range x[at:][:len(dst)] {
			dst[k] = float64(v)
		}
	case []float64:
		copy(dst, x[at:])
	}
}
