package graph

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkPowerDistance computes the distances between 2000 rows and 2000 others, of 784 elements, and their gradient
// in the first, in float32. It reports the differences per nanosecond as el/ns.
func BenchmarkPowerDistance(b *testing.B) {
	const n, d = 2000, 784
	for _, dev := range devices(b) {
		for _, p := range []float64{1, 1.5} {
			g := New(dev, Single)
			u, v, cot := g.Param("u", n, d), g.Param("v", n, d), g.Input("cot", n, n)
			rng := rand.New(rand.NewPCG(1, 2))
			for _, x := range []*Node{u, v, cot} {
				for i := range g.Data(x).Float32s() {
					g.Data(x).Float32s()[i] = rng.Float32()
				}
			}
			y := g.PowerDistance(p, u, v)
			for what, node := range map[string]*Node{"value": y,
				"gradient": g.Pullback([]*Node{y}, []*Node{cot}, []*Node{u})[0]} {
				b.Run(fmt.Sprintf("%s/%v/%s", dev.Name(), p, what), func(b *testing.B) {
					program, err := g.Compile(Plan{Outputs: []*Node{node}})
					if err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						if err := program.Run(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(n*n*d)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "el/ns")
				})
			}
		}
	}
}
