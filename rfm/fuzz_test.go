package rfm

import (
	"strings"
	"testing"
)

// FuzzParseKernel checks that the text of a parsed kernel parses as the same kernel.
func FuzzParseKernel(f *testing.F) {
	for _, name := range strings.Split(Kernels, ", ") {
		name, _, _ = strings.Cut(name, ":")
		for _, argument := range []string{"", ":1", ":.5", ":0", ":-1", ":nan", ":inf", ":1e30", ":3.5",
			":0x1p-1074", ":"} {
			f.Add(name+argument, 10., 0)
		}
	}
	for _, name := range []string{"cntk", "cntk-gap", "cnngp", "laplace", "CNTK", ""} {
		f.Add(name, 0., 3)
		f.Add(name, -1., 1<<62)
	}
	f.Fuzz(func(t *testing.T, text string, bandwidth float64, depth int) {
		if k, err := ParseKernel(text, bandwidth); err == nil {
			again, err := ParseKernel(k.String(), k.bandwidth())
			if err != nil || again.String() != k.String() || !(again.bandwidth() == k.bandwidth()) {
				t.Fatalf("%q with %v is %v, reads back as %v, %v", text, bandwidth, k, again, err)
			}
		}
		if k, err := ParseConvKernel(text, depth, bandwidth); err == nil {
			if k.Depth() < 1 || k.Depth() > MaxConvDepth || k.Formula() == "" {
				t.Fatalf("%q with depth %d is %v of depth %d", text, depth, k, k.Depth())
			}
		}
		if u, err := ParseUpdate(text); err == nil && u.String() != text {
			t.Fatalf("%q is the update %v", text, u)
		}
	})
}
