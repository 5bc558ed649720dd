package record

import (
	"slices"
	"testing"
)

// Weights and features of nothing but zeros have a picture: a patch is mid-grey, and an eigenvector's is black.
func TestPicturesOfZeros(t *testing.T) {
	zero := make([]float64, 4)
	if img := PatchImage(zero, []int{1, 2, 2}); !slices.Equal(img.Pixels, []float64{.5, .5, .5, .5}) {
		t.Errorf("a patch: %v", img.Pixels)
	}
	if img := EigenpatchImage(make([]float64, 8), 2, 2); !slices.Equal(img.Pixels, zero) {
		t.Errorf("an eigenvector: %v", img.Pixels)
	}
}
