package data

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// benchFolder returns a folder of JPEGs of w×h pixels, and its files. If $ANSATZ_BENCH_IMAGES is set, the folder is one
// that testdata/bench_pillow.py made for a comparison with Pillow. Otherwise the images are gradients, which are
// simpler to decode.
func benchFolder(b *testing.B, w, h int) (folder string, files []string) {
	b.Helper()
	size := fmt.Sprintf("%dx%d", w, h)
	folder = filepath.Join(os.Getenv("ANSATZ_BENCH_IMAGES"), size)
	if os.Getenv("ANSATZ_BENCH_IMAGES") == "" {
		folder = b.TempDir()
		content := encodeJPEG(b, w, h)
		for k := range 20 {
			write(b, content, folder, fmt.Sprintf("%d.jpg", k))
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jpg"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no images in %s: %v", folder, err)
	}
	return folder, files
}

// onAllCores calls do with the numbers below n, on all cores.
func onAllCores(b *testing.B, n int, do func(k int) error) {
	var team sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		team.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				if err := do(k); err != nil {
					b.Error(err)
				}
			}
		})
	}
	team.Wait()
}

// BenchmarkDecodeJPEG224 reads and decodes JPEGs of 224×224 pixels on all cores: the 1000 that testdata/bench_pillow.py
// made, or else 20.
func BenchmarkDecodeJPEG224(b *testing.B) {
	_, files := benchFolder(b, 224, 224)
	for b.Loop() {
		onAllCores(b, len(files), func(k int) error {
			img, err := imagefile.Read(files[k])
			if err == nil {
				img.Free()
			}
			return err
		})
	}
	reportImages(b, len(files))
}

// BenchmarkReadFolder reads the images of a folder on all cores: it decodes them, scales them, and crops or stretches
// them to 224×224.
func BenchmarkReadFolder(b *testing.B) {
	for _, size := range [][2]int{{224, 224}, {500, 375}} {
		for _, fit := range []string{fitCrop, fitStretch} {
			b.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], fit), func(b *testing.B) {
				folder, _ := benchFolder(b, size[0], size[1])
				ds := mustOpen(b, folder, Options{Fit: fit})
				dst := sync.Pool{New: func() any { px := make([]float32, ds.Shape().Pixels()); return &px }}
				for b.Loop() {
					onAllCores(b, ds.Len(), func(k int) error {
						px := dst.Get().(*[]float32)
						defer dst.Put(px)
						_, err := ds.Read(k, *px)
						return err
					})
				}
				reportImages(b, ds.Len())
			})
		}
	}
}
