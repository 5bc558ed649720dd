package data

import (
	"math"
	"testing"
)

// TestMeasureBytes checks that Measure, which counts the bytes of a set that stores them, agrees with sums over its
// pixels.
func TestMeasureBytes(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 300})
	got, err := Measure(ds, 0)
	if err != nil {
		t.Fatal(err)
	}
	sum, squares, n := 0., 0., 0.
	for i := range ds.Len() {
		px, _ := mustRead(t, ds, i)
		for _, v := range px {
			sum, squares, n = sum+float64(v), squares+float64(v)*float64(v), n+1
		}
	}
	mean := sum / n
	std := math.Sqrt(squares/n - mean*mean)
	if math.Abs(float64(got.Mean[0])-mean) > 1e-6 || math.Abs(float64(got.Std[0])-std) > 1e-6 {
		t.Errorf("measured %v, the sums give %v and %v", got, mean, std)
	}
	if newHistogram(&table{shape: Shape{1, 1, 1}, images: [][]float32{{.5}}}) != nil {
		t.Error("a set without bytes has a histogram")
	}
}
