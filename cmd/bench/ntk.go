package main

import (
	"context"
	"fmt"
)

// ntk times the neural tangent kernel of LeNet on 100 digits, which has 1000 rows. Both times are those of
// the gradients and their products.
func (b *bench) ntk(ctx context.Context) ([]row, error) {
	var rows []row
	for _, width := range []string{"1", "2"} {
		var ours, peer []float64
		for range b.runs {
			var p, v struct{ Seconds float64 }
			if err := b.peer(ctx, &p, "ntk.py", "--data", b.data, "--images", "100", "--width", width); err != nil {
				return nil, err
			}
			if err := jsonOf(ctx, &v, b.ansatz, "ntk", "--arch", "lenet", "--width", width, "--data", "mnist",
				"--data-dir", b.data, "--images", "100", "--json"); err != nil {
				return nil, err
			}
			peer, ours = append(peer, p.Seconds), append(ours, v.Seconds)
		}
		rows = append(rows, compare(fmt.Sprintf("neural tangent kernel of LeNet ×%s, 100 images", width), ours, peer,
			"%.2f s"))
	}
	return rows, nil
}
