package similarity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// Explorer computes the explorer of a network on a page: the network's wiring and, layer by layer, the spectra and
// leading eigenvectors of CNFM and AGOP.
type Explorer struct {
	Net     *models.Network
	Seed    uint64 // of the nulls of the principal angles
	Vectors int    // the number of eigenvectors kept for each matrix
	Values  int    // the number of eigenvalues kept
	// MaxFilters bounds the layers for which spectra are computed, by the size of the eigenproblem. MaxPatch bounds
	// those whose eigenvectors are drawn.
	MaxFilters, MaxPatch int
	// StatementDraws says that every draw of the statements' nulls is kept.
	StatementDraws bool
	// Images are searched for the eigenvectors; without images there is no search.
	Images ExploredImages
}

const (
	// exploredSpots is how many patches are kept of an eigenvector.
	exploredSpots = 4
	// angleDraws is the number of draws of the null of principal angles.
	angleDraws = 20
)

// Measures returns the names of the similarities of a CNFM, in the order of exploredValues: "Pearson, W" if of is "W",
// and "Pearson" if it is empty.
func Measures(of string) []string {
	if of != "" {
		of = ", " + of
	}
	return []string{"Pearson" + of, "cosine" + of}
}

// exploredValues returns the similarities of a CNFM, in the order of [Measures], with the draws of their nulls.
func exploredValues(a cnfa.Ansatz) []explorer.Value {
	if a.Err != nil {
		return make([]explorer.Value, 2)
	}
	value := func(v, stderr, null, sd float64, draws []float64) explorer.Value {
		return explorer.Value{Value: explorer.Number(v), StdErr: explorer.Number(stderr), Null: explorer.Number(null),
			NullSD: explorer.Number(sd), Draws: explorer.Numbers(draws)}
	}
	return []explorer.Value{
		value(a.Pearson, a.PearsonStdErr, a.PearsonNull, a.PearsonNullSD, a.PearsonDraws),
		value(a.Cosine, math.NaN(), a.CosineNull, a.CosineNullSD, a.CosineDraws),
	}
}

// StatementMeasures returns the names of the statements besides the ansatz, in the order of the values that
// [Explorer.Point] adds for them.
func StatementMeasures(all []cnfa.Alignment) (names []string) {
	for _, a := range all {
		if a.Name != cnfa.NFA {
			names = append(names, a.Name)
		}
	}
	return names
}

// statementValues returns the alignments besides the ansatz, in the order of [StatementMeasures].
func (e *Explorer) statementValues(all []cnfa.Alignment) (values []explorer.Value) {
	for _, a := range all {
		if a.Name == cnfa.NFA {
			continue
		}
		var v explorer.Value
		if a.Err == nil {
			v = explorer.Value{Value: explorer.Number(a.Value), StdErr: explorer.Number(a.StdErr),
				Null: explorer.Number(a.Null), NullSD: explorer.Number(a.NullSD)}
			if e.StatementDraws {
				v.Draws = explorer.Numbers(a.Draws)
			}
		}
		values = append(values, v)
	}
	return values
}

// ExplorerSection returns the section of a page that shows the document.
func ExplorerSection(doc *explorer.Document) report.Section {
	text := "The network from its input to its output; a circle is a place where branches meet. Choose a layer to see its " +
		"similarity among the draws of its null, the eigenvalues of CNFM and AGOP, and their leading eigenvectors."
	if len(doc.Times) > 1 {
		text += " The slider moves through the training."
	}
	return report.Section{Heading: "Layer by layer", ID: "layer-by-layer", Text: []string{text}, Explorer: doc}
}

// Document returns a document of the network without measurements: its wiring, its layers and the images.
func (e *Explorer) Document(layers []models.LayerInfo, measures ...string) (*explorer.Document, error) {
	joints, err := e.Net.Wiring()
	if err != nil {
		return nil, err
	}
	doc := &explorer.Document{Measures: measures, Images: e.Images.Shown}
	for _, j := range joints {
		doc.Wiring = append(doc.Wiring, explorer.Joint(j))
	}
	for _, l := range layers {
		doc.Layers = append(doc.Layers, explorer.Layer{Name: l.Name, Kind: l.Kind, Filters: l.Filters, Patch: l.Patch})
	}
	return doc, nil
}

// Point measures a layer of the network in its present state: the values of some CNFMs and, if spectra is true and the
// layer has few enough filters, the spectra of WᵀW and AGOP.
func (e *Explorer) Point(ctx context.Context, l cnfa.LayerResult, spectra bool, of ...cnfa.Ansatz) (explorer.Point, error) {
	var p explorer.Point
	for _, a := range of {
		p.Values = append(p.Values, exploredValues(a)...)
	}
	p.Values = append(p.Values, e.statementValues(l.Alignments)...)
	if !spectra || l.Err != nil || l.Filters > e.MaxFilters {
		return p, nil
	}
	if err := e.addSpectra(ctx, &p, l); err != nil && !errors.Is(err, cnfa.ErrZero) {
		return p, fmt.Errorf("%s: %w", l.Name, err)
	}
	return p, nil
}

// addSpectra adds the spectra of CNFM and AGOP, how their eigenvectors relate, and the patches these respond to.
func (e *Explorer) addSpectra(ctx context.Context, p *explorer.Point, l cnfa.LayerResult) error {
	w := e.Net.Filters(l.Name)
	c, err := cnfa.CNFMFeatures(w, e.Vectors)
	if err != nil {
		return err
	}
	a, err := l.AGOPFeatures(w, e.Vectors)
	if err != nil {
		return err
	}
	if err := RelateVectors(p, c.Vectors, a.Vectors, len(c.Values), models.Stream(e.Seed, "angles/"+l.Name)); err != nil {
		return err
	}
	p.CNFM, p.AGOP = e.spectrum(c), e.spectrum(a)
	if len(e.Images.Shown) == 0 || l.Kind != "conv" {
		return nil
	}
	seen, err := cnfa.Project(ctx, e.Net, l, e.Images.Pixels, c.Filters, a.Filters)
	if err != nil {
		return err
	}
	p.CNFM.Seen, p.AGOP.Seen = spots(seen[0]), spots(seen[1])
	return nil
}

// spectrum returns the spectrum of a matrix, with its eigenvectors unless they are too large.
func (e *Explorer) spectrum(f *cnfa.Features) *explorer.Spectrum {
	if _, d := f.Vectors.Dims(); d > e.MaxPatch {
		return explorer.NewSpectrum(f.Values, e.Values, nil)
	}
	return explorer.NewSpectrum(f.Values, e.Values, f.Vectors)
}

// RelateVectors adds to a point the relation between the eigenvectors of two matrices, given as rows: their inner
// products, the principal angles between their spans and, if both have equally many, the angles for as many random
// directions in n dimensions.
func RelateVectors(p *explorer.Point, c, a *mat.Dense, n int, rng *rand.Rand) error {
	var cosines mat.Dense
	cosines.Mul(c, a.T())
	k, other := cosines.Dims()
	for i := range k {
		p.Cosines = append(p.Cosines, explorer.Numbers(cosines.RawRowView(i)))
	}
	angles, err := cnfa.PrincipalAngles(c, a)
	if err != nil {
		return err
	}
	p.Angles = degrees(angles)
	if other != k {
		return nil
	}
	random, err := cnfa.RandomAngles(k, n, angleDraws, rng)
	p.NullAngles = degrees(random)
	return err
}

// degrees returns angles in degrees.
func degrees(radians []float64) []float32 {
	out := make([]float64, len(radians))
	for i, r := range radians {
		out[i] = r * 180 / math.Pi
	}
	return explorer.Numbers(out)
}

// spots returns, for every eigenvector, the patches with the largest |vᵀh|, at most one of every image.
func spots(p cnfa.Projections) [][]explorer.Spot {
	_, vectors := p.Values.Dims()
	all := make([][]explorer.Spot, vectors)
	for k := range all {
		var best []explorer.Spot
		for image := range p.Images {
			at, most := 0, -1.
			for i := range p.Height * p.Width {
				if x := math.Abs(p.Values.At(image*p.Height*p.Width+i, k)); x > most {
					at, most = i, x
				}
			}
			y, x, height, width := p.Patch(at/p.Width, at%p.Width)
			best = append(best, explorer.Spot{
				Image:    image,
				Row:      explorer.Round(y),
				Column:   explorer.Round(x),
				Height:   explorer.Round(min(1, height)),
				Width:    explorer.Round(min(1, width)),
				Response: explorer.Round(p.Values.At(image*p.Height*p.Width+at, k)),
			})
		}
		slices.SortStableFunc(best, func(a, b explorer.Spot) int {
			return cmp.Compare(math.Abs(float64(b.Response)), math.Abs(float64(a.Response)))
		})
		all[k] = best[:min(exploredSpots, len(best))]
	}
	return all
}
