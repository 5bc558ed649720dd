package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// howToExplore introduces the explorer.
const howToExplore = "The network from its input to its output; a circle is a place where branches meet. Choose a layer to " +
	"see its similarity among the draws of its null, the eigenvalues of CNFM and AGOP, and their leading eigenvectors."

const (
	// exploredFilters and exploredPatch bound the layers whose spectra are explored, by the size of their eigenproblem and
	// of their eigenvectors.
	exploredFilters = 512
	exploredPatch   = 8192
	// exploredPixels is how many pixels the images have in which eigenvectors are looked for, all together; there are at
	// least two images, and at most exploredImages.
	exploredPixels = 16 * 32 * 32
	exploredImages = 16
	// exploredSpots is how many patches are shown of an eigenvector, exploredSide the largest side of an image.
	exploredSpots = 4
	exploredSide  = 112
	// angleDraws is the number of draws of the null of principal angles.
	angleDraws = 20
)

// explore returns what the page's explorer shows.
func (v *Verification) explore(ctx context.Context, r *cnfa.Verification) (*explorer.Document, error) {
	joints, err := v.Net.Wiring()
	if err != nil {
		return nil, err
	}
	doc := &explorer.Document{Measures: []string{"Pearson", "cosine"}, Times: []string{"trained"}}
	for _, alpha := range v.Options.Powers {
		doc.Measures = append(doc.Measures, fmt.Sprintf("Pearson of AGOP^%.4g", alpha))
	}
	for _, j := range joints {
		doc.Wiring = append(doc.Wiring, explorer.Joint(j))
	}
	s := v.Source.Dataset.Shape()
	n := min(r.Images, exploredImages, max(2, exploredPixels/(s.Height*s.Width)))
	raw, px, err := v.firstImages(ctx, n)
	if err != nil {
		return nil, err
	}
	if s.Channels == 1 || s.Channels == 3 {
		for _, img := range raw {
			doc.Images = append(doc.Images, shrink(img))
		}
	}
	for _, l := range r.Layers {
		layer, err := v.exploreLayer(ctx, l, px, len(doc.Images) > 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		doc.Layers = append(doc.Layers, *layer)
	}
	return doc, nil
}

// exploreLayer returns a layer of the explorer, with its spectra where they are small.
func (v *Verification) exploreLayer(ctx context.Context, l cnfa.LayerResult, px []float32, look bool) (*explorer.Layer,
	error) {
	out := &explorer.Layer{Name: l.Name, Kind: l.Kind, Filters: l.Filters, Patch: l.Patch}
	p := explorer.Point{Values: exploredValues(l.Ansatz)}
	if l.Err == nil && l.Filters <= exploredFilters && l.PatchSize() <= exploredPatch {
		if err := v.exploreSpectra(ctx, &p, l, px, look); err != nil && !errors.Is(err, cnfa.ErrZero) {
			return nil, err
		}
	}
	out.Points = []explorer.Point{p}
	return out, nil
}

// exploredValues returns the similarities of a layer, in the order of the document's measures.
func exploredValues(a cnfa.Ansatz) []explorer.Value {
	if a.Err != nil {
		return make([]explorer.Value, 2+len(a.Powers))
	}
	value := func(v, stderr, null, sd float64, draws []float64) explorer.Value {
		return explorer.Value{Value: explorer.Number(v), StdErr: explorer.Number(stderr), Null: explorer.Number(null),
			NullSD: explorer.Number(sd), Draws: explorer.Numbers(draws)}
	}
	all := []explorer.Value{
		value(a.Pearson, a.PearsonStdErr, a.PearsonNull, a.PearsonNullSD, a.PearsonDraws),
		value(a.Cosine, math.NaN(), a.CosineNull, a.CosineNullSD, a.CosineDraws),
	}
	for _, p := range a.Powers {
		all = append(all, value(p.Pearson, math.NaN(), p.PearsonNull, p.PearsonNullSD, p.Draws))
	}
	return all
}

// exploreSpectra adds the spectra of CNFM and AGOP, how their eigenvectors are related, and what they respond to.
func (v *Verification) exploreSpectra(ctx context.Context, p *explorer.Point, l cnfa.LayerResult, px []float32,
	look bool) error {
	w := v.Net.Filters(l.Name)
	if v.spec.MinusInit {
		return nil // the eigenvectors of W − W₀ are no combinations of the filters W
	}
	c, err := cnfa.CNFMFeatures(w, record.ShownVectors)
	if err != nil {
		return err
	}
	a, err := l.AGOPFeatures(w, record.ShownVectors)
	if err != nil {
		return err
	}
	p.CNFM, p.AGOP = explorer.NewSpectrum(c.Values, c.Vectors), explorer.NewSpectrum(a.Values, a.Vectors)
	var cosines mat.Dense
	cosines.Mul(c.Vectors, a.Vectors.T())
	rows, _ := cosines.Dims()
	for i := range rows {
		p.Cosines = append(p.Cosines, explorer.Numbers(cosines.RawRowView(i)))
	}
	if p.Angles, p.NullAngles, err = v.exploredAngles(l, c, a); err != nil {
		return err
	}
	if !look || l.Kind != "conv" {
		return nil
	}
	seen, err := cnfa.Project(ctx, v.Net, l, px, c.Filters, a.Filters)
	if err != nil {
		return err
	}
	p.CNFM.Seen, p.AGOP.Seen = spots(seen[0], l), spots(seen[1], l)
	return nil
}

// exploredAngles returns the principal angles between the eigenvectors, and those of random directions among as many as
// the span of the filters has.
func (v *Verification) exploredAngles(l cnfa.LayerResult, c, a *cnfa.Features) (angles, null []float32, err error) {
	of, err := cnfa.PrincipalAngles(c.Vectors, a.Vectors)
	if err != nil {
		return nil, nil, err
	}
	k, _ := c.Vectors.Dims()
	if other, _ := a.Vectors.Dims(); other != k {
		return degrees(of), nil, nil
	}
	random, err := cnfa.RandomAngles(k, len(c.Values), angleDraws, models.Stream(v.spec.Seed, "angles/"+l.Name))
	return degrees(of), degrees(random), err
}

// degrees returns angles in degrees.
func degrees(radians []float64) []float32 {
	out := make([]float32, len(radians))
	for i, r := range radians {
		out[i] = float32(r * 180 / math.Pi)
	}
	return out
}

// spots returns, for every eigenvector, the patches with the largest |vᵀh|, at most one of every image.
func spots(p cnfa.Projections, l cnfa.LayerResult) [][]explorer.Spot {
	_, vectors := p.Values.Dims()
	all := make([][]explorer.Spot, vectors)
	side := func(patch, positions int) float32 { return min(1, float32(patch)/float32(positions)) }
	for k := range all {
		var best []explorer.Spot
		for image := range p.Images {
			at, most := 0, -1.
			for i := range p.Height * p.Width {
				if x := math.Abs(p.Values.At(image*p.Height*p.Width+i, k)); x > most {
					at, most = i, x
				}
			}
			best = append(best, explorer.Spot{
				Image:    image,
				Row:      (float32(at/p.Width) + .5) / float32(p.Height),
				Column:   (float32(at%p.Width) + .5) / float32(p.Width),
				Height:   side(l.Patch[1], p.Height),
				Width:    side(l.Patch[2], p.Width),
				Response: float32(p.Values.At(image*p.Height*p.Width+at, k)),
			})
		}
		slices.SortStableFunc(best, func(a, b explorer.Spot) int {
			return cmp.Compare(math.Abs(float64(b.Response)), math.Abs(float64(a.Response)))
		})
		all[k] = best[:min(exploredSpots, len(best))]
	}
	return all
}

// shrink returns an image in 8 bits, with sides of at most exploredSide pixels: each pixel is the mean of a block.
func shrink(img report.Image) explorer.Image {
	block := (max(img.Height, img.Width) + exploredSide - 1) / exploredSide
	out := explorer.Image{Height: img.Height / block, Width: img.Width / block, Channels: img.Channels}
	for r := range out.Height {
		for c := range out.Width {
			for k := range img.Channels {
				sum := 0.
				for i := range block {
					for j := range block {
						sum += img.Pixels[((r*block+i)*img.Width+c*block+j)*img.Channels+k]
					}
				}
				mean := sum / float64(block*block)
				out.Pixels = append(out.Pixels, byte(math.Round(255*min(1, max(0, mean)))))
			}
		}
	}
	return out
}
