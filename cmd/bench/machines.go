package main

import "context"

// machines times kernel machines: an RFM on digits, the CNTK of images, and an iteration of ConvRFM, which PyTorch
// differentiates in float64.
func (b *bench) machines(ctx context.Context) ([]row, error) {
	t, err := b.inTurn(ctx, []string{"rfm", "--data", "glyphs", "--train", "4000", "--test", "10000", "--iters", "3", "--select",
		"last"}, []string{"rfm.py", "4000", "10000", "3"}, nil)
	if err != nil {
		return nil, err
	}
	flops := rfmFlops(4000, 10000, 784, 3)
	rows := []row{
		{Work: "RFM, 4000 digits, 3 iterations, 10 000 test digits", Unit: "s", Ours: t.ours, Peer: t.peer, Flops: flops},
		{Work: "the same, the whole command", Unit: "s", Ours: t.whole, Peer: t.peer, Flops: flops},
	}
	for _, c := range []struct {
		work             string
		command, program []string
	}{
		{"CNTK of depth 3, 600 images of 3×32×32, and the regression", []string{"--train", "600", "--depth", "3", "--iters", "0"},
			[]string{"cntk.py", "600", "3"}},
		{"an iteration of ConvRFM, 40 images, depth 2", []string{"--train", "40", "--depth", "2", "--iters", "1"},
			[]string{"cntk.py", "40", "2", "agop"}},
	} {
		command := append([]string{"convrfm", "--data", "streetdigits", "--test", "10", "--select", "last"}, c.command...)
		t, err := b.inTurn(ctx, command, c.program, secondsOfIterations)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{Work: c.work, Unit: "s", Ours: t.ours, Peer: t.peer})
	}
	return rows, nil
}

// secondsOfIterations adds up the times of a ConvRFM's iterations, without the tests.
func secondsOfIterations(out []byte) (float64, error) {
	var r struct {
		Layers []struct{ Iterations []seconds }
	}
	return decoded(&r, out, func() (sum float64) {
		for _, l := range r.Layers {
			for _, it := range l.Iterations {
				sum += it.Seconds
			}
		}
		return sum
	})
}
