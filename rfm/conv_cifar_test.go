package rfm

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"github.com/ansatz-lab/ansatz/internal/realdata"
	"gonum.org/v1/gonum/mat"
)

// accepted returns a reference file that another program computed.
func accepted(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(realdata.File(t, "accept/"+name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// cifar returns the first n images of CIFAR-10 that the reference files were computed from, with pixels from 0 to 1.
// Copies of CIFAR-10 have the images in different orders, so that testdata lists them by the FNV-1a hashes of their
// records.
func cifar(t *testing.T, n int) ImageExamples {
	t.Helper()
	const plane = 1024
	records := cifarRecords(t, filepath.Dir(realdata.File(t, "cifar-10-batches-bin/data_batch_1.bin")))
	list, err := os.ReadFile("testdata/cifar10-first.txt")
	if err != nil {
		t.Fatal(err)
	}
	x, labels := Images{Height: 32, Width: 32, Channels: 3}, make([]int, n)
	for i, hash := range strings.Fields(string(list))[:n] {
		image := records[hash]
		if image == nil {
			t.Skipf("this copy of CIFAR-10 has no image %s", hash)
		}
		labels[i] = int(image[0])
		for k := range 3 * plane {
			x.Pixels = append(x.Pixels, float32(image[1+k%3*plane+k/3])/255)
		}
	}
	return ImageExamples{x, OneHot(labels, 10)}
}

// cifarRecords returns the records of the training images by their hashes.
func cifarRecords(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	const record = 3073
	records := map[string][]byte{}
	for i := range 5 {
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("data_batch_%d.bin", i+1)))
		if err != nil {
			t.Skip(err)
		}
		for r := range slices.Chunk(text, record) {
			h := fnv.New64a()
			h.Write(r)
			records[fmt.Sprintf("%016x", h.Sum64())] = r
		}
	}
	return records
}

// TestPyTorchKernel compares the CNTK of CIFAR-10's first images with PyTorch's. The latter was computed in float32, in
// which the angle of an image with itself is off by the root of a rounding error, and the diagonal by up to 1.6e-5.
func TestPyTorchKernel(t *testing.T) {
	var rows [][]float64
	if err := json.Unmarshal(accepted(t, "cntk-d3-q3.json"), &rows); err != nil {
		t.Fatal(err)
	}
	e := cifar(t, len(rows))
	s := patchViewOf(t, e.X, 3, false, Identity(27), false)
	for _, name := range gputest.Backends(t) {
		for _, p := range []graph.Precision{graph.Single, graph.Double} {
			got := gramOn(t, teamOn(t, name, 2, p), CNTK{Layers: 3}, s, e.X)
			for i, row := range rows {
				for j, want := range row {
					tolerance := 1e-5
					if i == j {
						tolerance = 2e-5
					}
					if d := math.Abs(got.At(i, j)-want) / want; !(d < tolerance) {
						t.Errorf("%s, %d bits: K(%d, %d) = %v, PyTorch's is %v: off by %v",
							name, 32+32*int(p), i, j, got.At(i, j), want, d)
					}
				}
			}
		}
	}
}

// TestPyTorchConvRFM compares the M of an iteration on 40 images with the M that PyTorch's automatic differentiation
// gives in float64.
func TestPyTorchConvRFM(t *testing.T) {
	text := accepted(t, "convrfm-d2-n40.npy")
	values := make([]float64, 27*27)
	if err := binary.Read(bytes.NewReader(text[len(text)-8*len(values):]), binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(27, 27, values)
	for _, p := range []graph.Precision{graph.Single, graph.Double} {
		tolerance := 1e-6
		if p == graph.Single {
			tolerance = 1e-2
		}
		m := ConvMachine{Kernel: CNTK{Layers: 2}, Ridges: []float64{1e-3}, Iterations: 1, Precision: p,
			Task: Classification}
		model, err := m.Fit(context.Background(), cifar(t, 40))
		if err != nil {
			t.Fatal(err)
		}
		metric := model.Layers()[0].Metric
		d := far(metric.Dense(), want)
		if t.Logf("%d bits: M is off by %v", 32+32*int(p), d); !(d < tolerance) {
			t.Errorf("%d bits: M is off by %v", 32+32*int(p), d)
		}
		top, _, err := backend.EigenSym(metric.Dense(), false)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{.00909, .00456, .00376, .00344, .00218} {
			if math.Abs(top[26-i]-want) > .01*want {
				t.Errorf("%d bits: eigenvalue %d is %v, want %v", 32+32*int(p), i, top[26-i], want)
			}
		}
	}
}
