package data

import (
	"testing"

	"github.com/ansatz-lab/ansatz/internal/realdata"
)

func reportImages(b *testing.B, perLoop int) {
	b.ReportMetric(float64(b.N*perLoop)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkGlyphs draws glyphs on one core.
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
	dir := realdata.Folder(b, "cifar-10-batches-bin/data_batch_1.bin")
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
	dir := realdata.Folder(b, "mnist/train-images-idx3-ubyte.gz")
	for b.Loop() {
		mustOpen(b, "mnist", Options{Dir: dir, Split: "train"})
	}
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

// BenchmarkPipelineMNIST makes batches of 32 digits of the real training split.
func BenchmarkPipelineMNIST(b *testing.B) {
	dir := realdata.Folder(b, "mnist/train-images-idx3-ubyte.gz")
	benchmarkEpochs(b, &Pipeline{
		Dataset:       mustOpen(b, "mnist", Options{Dir: dir, Split: "train"}),
		Normalisation: Normalisation{Mean: []float32{.1307}, Std: []float32{.3081}},
		Batch:         32,
	})
}

// BenchmarkPipelineCIFAR makes batches of 128 images of the real training
// split, cropped and flipped.
func BenchmarkPipelineCIFAR(b *testing.B) {
	dir := realdata.Folder(b, "cifar-10-batches-bin/data_batch_1.bin")
	benchmarkEpochs(b, &Pipeline{
		Dataset:       mustOpen(b, "cifar10", Options{Dir: dir, Split: "train"}),
		Normalisation: ImageNet(),
		Augmentation:  Augmentation{Crop: 4, Flip: true},
		Batch:         128,
	})
}

func benchmarkEpochs(b *testing.B, p *Pipeline) {
	b.ReportAllocs()
	for epoch := 0; b.Loop(); epoch++ {
		for _, err := range p.Epoch(b.Context(), epoch, 0) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	reportImages(b, p.Dataset.Len())
}
