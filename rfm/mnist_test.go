package rfm

import (
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/realdata"
	"gonum.org/v1/gonum/mat"
)

// digits returns n digits of MNIST, for benchmarks.
func digits(tb testing.TB, part string, n int) (x, y *mat.Dense) {
	tb.Helper()
	read := func(name string, skip, count int) []byte {
		f, err := os.Open(realdata.File(tb, "mnist/"+part+name))
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			tb.Fatal(err)
		}
		b := make([]byte, skip+count)
		if _, err := io.ReadFull(z, b); err != nil {
			tb.Fatal(err)
		}
		return b[skip:]
	}
	pixels, labels := read("-images-idx3-ubyte.gz", 16, 784*n), read("-labels-idx1-ubyte.gz", 8, n)
	x, y = mat.NewDense(n, 784, nil), mat.NewDense(n, 10, nil)
	for i, p := range pixels {
		x.RawMatrix().Data[i] = float64(p) / 255
	}
	for i, l := range labels {
		y.Set(i, int(l), 1)
	}
	return x, y
}
