package cnfapaper

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
	"gonum.org/v1/gonum/mat"
)

// Pairs of the network's own matrices have the null that was measured with them. Other pairs have the null of random
// rotations.
func TestFeatureMatricesTable(t *testing.T) {
	a := mat.NewSymDense(4, []float64{4, 1, 0, 0, 1, 3, 1, 0, 0, 1, 2, 1, 0, 0, 1, 1})
	f := &featureMatrices{
		all: []featureMatrix{
			{"agop", "A", rfm.FullMetric(a)}, {"cnfm", "B", rfm.Identity(4)}, {"cntk", "C", rfm.FullMetric(a)},
		},
		own: map[string]similarity.Record{
			"agop_cnfm": {
				Pearson: record.Ptr(.9), PearsonNull: record.Ptr(.8), PearsonNullSD: record.Ptr(.05),
				Cosine: record.Ptr(.7),
			},
		},
	}
	o := &study.Outcome{}
	table := f.addTable(o)
	if len(table.Rows) != 3 || table.Rows[0][0].Text != "A and B" || table.Rows[2][0].Text != "B and C" {
		t.Fatalf("%+v", table.Rows)
	}
	if v := o.Values["agop_cnfm_sds"]; math.Abs(v-2) > 1e-9 || table.Rows[0][3].Value != .05 {
		t.Errorf("%v of the network's own null", v)
	}
	if v := o.Values["agop_cntk_pearson"]; math.Abs(v-1) > 1e-12 || !(o.Values["agop_cntk_excess"] > .1) {
		t.Errorf("a matrix with itself: %v, excess %v", v, o.Values["agop_cntk_excess"])
	}
	// A similarity without a null, as of a matrix that no rotation changes, has no excess.
	if e, sds := (similarity.Record{Pearson: record.Ptr(.5)}).Excess(); !math.IsNaN(e) || !math.IsNaN(sds) {
		t.Errorf("%v, %v without a null", e, sds)
	}
}

func TestMiddle(t *testing.T) {
	r := responses.Map{Height: 3, Width: 4}
	for k := range 12 {
		r.Values = append(r.Values, float64(k))
	}
	got := cropResponses([]responses.Map{r}, 1, 2)[0]
	if got.Height != 1 || got.Width != 2 || got.Values[0] != 5 || got.Values[1] != 6 || len(got.Values) != 2 {
		t.Errorf("%+v", got)
	}
}

// Every claim about SVHN names the images that stand in for it, its null controls too.
func TestFeaturesNameStandIns(t *testing.T) {
	r, err := (study.Run{Experiment: features(), Scale: study.Smoke, Seeds: 1, Out: t.TempDir()}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Claims {
		if strings.Contains(c.Sentence, "SVHN") != (c.StandIn == "glyphs for SVHN") {
			t.Errorf("%q: stand-in %q", c.Sentence, c.StandIn)
		}
	}
}
