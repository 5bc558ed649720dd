package data

import (
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/internal/random"
)

// seedStream seeds src for draw i of the named stream. Streams with different seed, name
// or i are independent.
func seedStream(src *rand.PCG, seed uint64, name string, i uint64) {
	random.Seed(src, seed, name, i)
}

// maxNoise bounds the noise of a set, so that its square is a finite float32.
const maxNoise = 1e9

// fillNoise writes Gaussian noise of mean 0 and standard deviation sd.
func fillNoise(dst []float32, src *random.Source, sd float64) {
	for k := range dst {
		dst[k] = float32(sd * src.Normal())
	}
}
