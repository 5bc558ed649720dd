package verify

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"gonum.org/v1/gonum/mat"
)

// TestExplore checks that the explorer has the spectra of the dense matrices, the similarities of the record, and the
// patches that respond most to an eigenvector. The test finds these by inner products with all patches.
func TestExplore(t *testing.T) {
	v, err := NewVerification(specWithout(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddPictures(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc := r.page.Explorer
	if err := doc.Check([]string{"a", "b", "fc"}); err != nil {
		t.Fatal(err)
	}
	if len(doc.Wiring) != 5 || len(doc.Images) != 12 {
		t.Errorf("%d joints, %d images", len(doc.Wiring), len(doc.Images))
	}
	first := doc.Layers[0].Points[0]
	if got := first.Values[0]; *got.Value != explorer.Round(*r.Layers[0].Pearson) || len(got.Draws) != 3 {
		t.Errorf("%+v, the record has %v", got, *r.Layers[0].Pearson)
	}
	w := v.Net.Filters("a")
	for m, s := range map[mat.Symmetric]*explorer.Spectrum{
		cnfa.CNFM(w): first.CNFM, r.Result.Layers[0].AGOP(w): first.AGOP,
	} {
		var eigen mat.EigenSym
		if !eigen.Factorize(m, true) {
			t.Fatal("no eigenvalues")
		}
		values := eigen.Values(nil)
		for i, got := range s.Values {
			want := values[len(values)-1-i]
			if math.Abs(float64(got)-want) > 1e-3*values[len(values)-1] {
				t.Errorf("eigenvalue %d is %v, want %v", i, got, want)
			}
		}
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		checkSpots(t, v, s, mat.Col(nil, len(values)-1, &vectors))
	}
}

// TestExploreUndefined checks that a layer without a similarity is listed without values and spectra.
func TestExploreUndefined(t *testing.T) {
	v, err := NewVerification(spec(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := v.Run(t.Context(), nil)
	if err == nil {
		err = r.AddPictures(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if dead := r.page.Explorer.Layers[1].Points[0]; dead.CNFM != nil || dead.Values[0].Value != nil {
		t.Errorf("the dead layer has %+v", dead)
	}
}

// checkSpots compares the patch that responds most to the first eigenvector with inner products with all patches of all
// images.
func checkSpots(t *testing.T, v *Verification, s *explorer.Spectrum, vector []float64) {
	t.Helper()
	const side, positions = 28, 26 // of the images, and of the 3×3 patches in them
	px := make([]float32, 12*side*side)
	if err := v.Source.Loader.Load(t.Context(), 0, 12, px, make([]int, 12)); err != nil {
		t.Fatal(err)
	}
	most := 0.
	for image := range 12 {
		for row := range positions {
			for column := range positions {
				sum := 0.
				for k, x := range vector {
					sum += x * float64(px[image*side*side+(row+k/3)*side+column+k%3])
				}
				most = max(most, math.Abs(sum))
			}
		}
	}
	best := s.Seen[0][0]
	if got := math.Abs(float64(best.Response)); math.Abs(got-most) > 1e-3*most {
		t.Errorf("the largest response is %v, want %v", got, most)
	}
	row, column := float64(best.Row)*side-1.5, float64(best.Column)*side-1.5 // of the corner
	if off := max(math.Abs(row-math.Round(row)), math.Abs(column-math.Round(column))); off > .1 || best.Height != explorer.Round(3./side) {
		t.Fatalf("the patch begins at row %v and column %v, with a height of %v", row, column, best.Height)
	}
	r, c := int(math.Round(row)), int(math.Round(column))
	sum := 0.
	for k, x := range vector {
		sum += x * float64(px[best.Image*side*side+(r+k/3)*side+c+k%3])
	}
	if math.Abs(math.Abs(sum)-most) > 1e-3*most {
		t.Errorf("the patch at %d, %d of image %d responds with %v, want %v", r, c, best.Image, sum, most)
	}
}
