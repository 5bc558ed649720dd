package checkpoint

import "testing"

func TestContentKey(t *testing.T) {
	a, b := []float32{1, 2, 3}, []float32{4}
	if ContentDigest(a, b) == ContentDigest(a[:2], []float32{3, 4}) ||
		ContentDigest(a, b) != ContentDigest([]float32{1, 2, 3}, []float32{4}) {
		t.Error("parts are not told apart")
	}
}
