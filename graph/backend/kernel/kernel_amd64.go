package kernel

import "golang.org/x/sys/cpu"

// assembled lists the sets in assembly that this processor runs, the
// fastest first.
func assembled() []*Set {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	loops := &Loops[float32]{
		Add: avx2Add, Sub: avx2Sub, Mul: avx2Mul, Mask: avx2Mask,
		Scale: avx2Scale, Shift: avx2Shift, ReLU: avx2ReLU,
		Affine: avx2Affine, Largest: avx2Largest,
	}
	all := []*Set{{Name: "AVX2", Micro: []Micro{{6, 16, avx2x16}}, Loops: loops}}
	if cpu.X86.HasAVX512F {
		k := &Set{Name: "AVX-512", Micro: []Micro{{8, 32, avx512x32}, {8, 16, avx512x16}}, Loops: loops}
		all = append([]*Set{k}, all...)
	}
	return all
}

//go:noescape
func avx512x32(t *Tile)

//go:noescape
func avx512x16(t *Tile)

//go:noescape
func avx2x16(t *Tile)

//go:noescape
func avx2Add(out, a, b []float32)

//go:noescape
func avx2Sub(out, a, b []float32)

//go:noescape
func avx2Mul(out, a, b []float32)

//go:noescape
func avx2Mask(out, a, b []float32)

//go:noescape
func avx2Scale(out, a []float32, k float32)

//go:noescape
func avx2Shift(out, a []float32, k float32)

//go:noescape
func avx2ReLU(out, a []float32)

//go:noescape
func avx2Affine(out, a, b, c []float32)

//go:noescape
func avx2Largest(best []float32, idx []int32, x []float32, at int32)
