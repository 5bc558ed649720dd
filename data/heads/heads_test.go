package heads_test

import (
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/heads"
	"github.com/ansatz-lab/ansatz/internal/random"
)

// TestMask checks that a mask holds every pixel that an attribute changes, and few others, since at low contrast an
// attribute may leave a pixel as it was. The mask does not depend on whether the head has the attribute.
func TestMask(t *testing.T) {
	const n = 48
	for a := range heads.Count {
		changed, masked := 0, 0
		for i := range 40 {
			h := heads.New(random.New(3, "heads", uint64(i)))
			has := heads.Attributes{i%2 == 0, i/2%2 == 0, i/4%2 == 0}
			has[a] = true
			with, without := make([]uint8, 3*n*n), make([]uint8, 3*n*n)
			h.Paint(with, n, has)
			mask := h.Mask(n, has, a)
			has[a] = false
			h.Paint(without, n, has)
			if !slices.Equal(mask, h.Mask(n, has, a)) {
				t.Fatalf("%v: the mask depends on whether head %d has it", a, i)
			}
			for k, in := range mask {
				differs := with[k] != without[k] || with[n*n+k] != without[n*n+k] || with[2*n*n+k] != without[2*n*n+k]
				if differs && !in {
					t.Fatalf("%v: pixel %d of head %d differs outside of the mask", a, k, i)
				}
				if in {
					masked++
				}
				if differs {
					changed++
				}
			}
		}
		if share := float64(masked) / (40 * n * n); share < .01 || share > .3 || changed < masked*9/10 {
			t.Errorf("%v: %d of %d masked pixels differ, %.3f of all", a, changed, masked, share)
		}
	}
}

// TestSizes checks that a head looks alike in two sizes: its pixels are close to the means of the four pixels at twice
// the size.
func TestSizes(t *testing.T) {
	const n = 24
	h := heads.New(random.New(1, "heads", 0))
	small, large := make([]uint8, 3*n*n), make([]uint8, 12*n*n)
	h.Paint(small, n, heads.Attributes{true, true, true})
	h.Paint(large, 2*n, heads.Attributes{true, true, true})
	sum := 0
	for k, v := range small {
		c, y, x := k/(n*n), k/n%n, k%n
		at := c*4*n*n + 4*n*y + 2*x
		d := int(v) - (int(large[at])+int(large[at+1])+int(large[at+2*n])+int(large[at+2*n+1]))/4
		sum += max(d, -d)
	}
	if mean := float64(sum) / float64(len(small)); mean > 1.5 {
		t.Errorf("pixels differ by %.2f levels", mean)
	}
}
