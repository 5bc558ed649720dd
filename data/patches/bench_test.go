package patches

import (
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/internal/realdata"
)

// BenchmarkFindComponents finds the components of the 5×5 patches of the 50000 images of the real training split.
func BenchmarkFindComponents(b *testing.B) {
	dir := realdata.Folder(b, "cifar-10-batches-bin/data_batch_1.bin")
	ds := mustOpen(b, "cifar10", data.Options{Dir: dir, Split: "train"})
	for b.Loop() {
		if _, err := FindComponents(b.Context(), ds, 5, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*ds.Len())/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkProjections projects the 50000 images of the real training split.
func BenchmarkProjections(b *testing.B) {
	dir := realdata.Folder(b, "cifar-10-batches-bin/data_batch_1.bin")
	ds := mustOpen(b, "cifar10", data.Options{Dir: dir, Split: "train"})
	c, err := FindComponents(b.Context(), ds, 5, 100)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Projections(b.Context(), ds, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*ds.Len())/b.Elapsed().Seconds(), "images/s")
}
