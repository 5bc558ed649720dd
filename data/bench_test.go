package data

import (
	"path/filepath"
	"testing"
)

func reportImages(b *testing.B, perLoop int) {
	b.ReportMetric(float64(b.N*perLoop)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkGlyphs draws on one core.
func BenchmarkGlyphs(b *testing.B) {
	ds := mustOpen(b, "glyphs", Options{Count: 1 << 30})
	dst := make([]float32, ds.Shape().Pixels())
	for i := 0; b.Loop(); i++ {
		if _, err := ds.Read(i, dst); err != nil {
			b.Fatal(err)
		}
	}
	reportImages(b, 1)
}

func BenchmarkOpenGlyphs(b *testing.B) {
	for b.Loop() {
		mustOpen(b, "glyphs", Options{})
	}
}

// BenchmarkOpenCIFAR opens the 50000 images of the real training split.
func BenchmarkOpenCIFAR(b *testing.B) {
	dir := realFolder(b, "cifar-10-batches-bin/data_batch_1.bin")
	n := 0
	for b.Loop() {
		n = mustOpen(b, "cifar10", Options{Dir: dir, Split: "train"}).Len()
	}
	reportImages(b, n)
}

func BenchmarkReadCIFAR(b *testing.B) {
	dir := b.TempDir()
	writeCIFAR(b, dir)
	ds := mustOpen(b, "cifar10", Options{Dir: dir, Split: "train"})
	dst := make([]float32, ds.Shape().Pixels())
	for i := 0; b.Loop(); i++ {
		if _, err := ds.Read(i%ds.Len(), dst); err != nil {
			b.Fatal(err)
		}
	}
	reportImages(b, 1)
}

func BenchmarkOpenMNIST(b *testing.B) {
	dir := realFolder(b, "mnist/train-images-idx3-ubyte.gz")
	for b.Loop() {
		mustOpen(b, "mnist", Options{Dir: dir, Split: "train"})
	}
}

// BenchmarkReadFolder decodes, scales and crops a 500×375 JPEG on one core.
func BenchmarkReadFolder(b *testing.B) {
	dir := b.TempDir()
	write(b, encodeJPEG(b, 500, 375), filepath.Join(dir, "a.jpg"))
	ds := mustOpen(b, dir, Options{})
	dst := make([]float32, ds.Shape().Pixels())
	for b.Loop() {
		if _, err := ds.Read(0, dst); err != nil {
			b.Fatal(err)
		}
	}
	reportImages(b, 1)
}

func BenchmarkMeasureGlyphs(b *testing.B) {
	ds := mustOpen(b, "glyphs", Options{})
	for b.Loop() {
		if _, err := Measure(ds, 0); err != nil {
			b.Fatal(err)
		}
	}
	reportImages(b, ds.Len())
}
