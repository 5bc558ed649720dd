// Package peer is shared by tests and by the programs in testdata/peer.py that compute the same in PyTorch.
package peer

// Ramp returns n numbers between −½ and ½ that look random. They depend only on the name and the index, in Python as
// in Go, so that weights and images need not be stored.
func Ramp(name string, n int) []float32 {
	h := uint32(2166136261)
	for _, b := range []byte(name) {
		h = (h ^ uint32(b)) * 16777619
	}
	out := make([]float32, n)
	for i := range out {
		x := uint32(i)*2654435761 + h
		x = (x ^ x>>15) * 2246822519
		x ^= x >> 13
		out[i] = float32(float64(x)/(1<<32) - .5)
	}
	return out
}
