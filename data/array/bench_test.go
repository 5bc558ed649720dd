package array

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// svhnTrain is the number of images of SVHN's train_32x32.mat.
const svhnTrain = 73257

// svhnFile writes a file like SVHN's train_32x32.mat, whose images are a gradient with noise, and returns its path.
func svhnFile(b *testing.B) string {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]byte, 32*32*3*svhnTrain)
	for i := range x {
		x[i] = byte(i>>5&31 + i>>9&63 + rng.IntN(16))
	}
	y := make([]byte, svhnTrain)
	for i := range y {
		y[i] = byte(1 + rng.IntN(10))
	}
	m := matBuilder{binary.LittleEndian}
	file := m.file(
		m.compressed(b, 3, m.matrix(b, "X", 9, []int32{32, 32, 3, svhnTrain}, 2, x)),
		m.compressed(b, 3, m.matrix(b, "y", 9, []int32{svhnTrain, 1}, 2, y)))
	path := filepath.Join(b.TempDir(), "train_32x32.mat")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		b.Fatal(err)
	}
	b.Logf("%d bytes compressed to %d", len(x)+len(y), len(file))
	return path
}

// BenchmarkReadMAT5 reads a file of the size of SVHN's training images.
func BenchmarkReadMAT5(b *testing.B) {
	path := svhnFile(b)
	b.SetBytes((32*32*3 + 1) * svhnTrain)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadMAT5(path, "X", "y"); err != nil {
			b.Fatal(err)
		}
	}
}
