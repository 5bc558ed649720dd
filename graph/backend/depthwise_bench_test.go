package backend

import (
	"fmt"
	"testing"
)

// BenchmarkDepthwise times the depthwise convolutions of MobileNetV2: forward, and the gradients in data and weights.
func BenchmarkDepthwise(b *testing.B) {
	d, err := Open(Options{Threads: 2})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct{ channels, side, stride, kernel, images int }{
		{96, 112, 2, 3, 4}, {144, 56, 1, 3, 4}, {576, 14, 1, 3, 4}, {960, 7, 1, 5, 4}, {144, 56, 1, 3, 32}, {576, 14, 1, 3, 32},
	} {
		s := ConvShape{N: c.images, H: c.side, W: c.side, C: c.channels, Filters: c.channels, KH: c.kernel, KW: c.kernel,
			StrideH: c.stride, StrideW: c.stride, PadH: c.kernel / 2, PadW: c.kernel / 2, Groups: c.channels}.Normal()
		x, y := make([]float32, s.N*s.H*s.W*s.C), make([]float32, s.Rows()*s.Filters)
		w := make([]float32, s.Filters*s.PatchSize())
		for i := range x {
			x[i] = float32(i%7) - 3
		}
		e := d.Float32()
		for name, f := range map[string]func() error{
			"forward": func() error { return e.Convolve(s, x, w, nil, false, y) },
			"data":    func() error { return e.ConvolveData(s, w, y, x) },
			"weights": func() error { return e.ConvolveWeights(s, x, y, w) },
		} {
			b.Run(fmt.Sprintf("%d×%d×%d/%d, %d images/%s", c.channels, c.side, c.side, c.stride, c.images, name),
				func(b *testing.B) {
					for range b.N {
						if err := d.Do(f); err != nil {
							b.Fatal(err)
						}
					}
				})
		}
	}
}
