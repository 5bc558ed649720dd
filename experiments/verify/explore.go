package verify

import (
	"context"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/models"
)

// explore returns the document of the page's explorer. The CNFM of W − W₀ has no spectra, since its eigenvectors are
// not combinations of the filters W.
func (v *Verification) explore(ctx context.Context, r *cnfa.Verification) (*explorer.Document, error) {
	e, err := v.explorer(ctx, r)
	if err != nil {
		return nil, err
	}
	e.Vectors, e.Values, e.MaxFilters, e.MaxPatch = record.ShownVectors, 128, 512, 8192
	doc, err := v.document(e, r)
	if err != nil {
		return nil, err
	}
	return doc, v.addPoints(ctx, doc, e, r, "trained")
}

// explorer returns an explorer of the network on its images; the caller sets the limits on what it keeps.
func (v *Verification) explorer(ctx context.Context, r *cnfa.Verification) (similarity.Explorer, error) {
	images, err := similarity.OpenExploredImages(ctx, v.Source.Loader, r.Images)
	return similarity.Explorer{Net: v.Net, Seed: v.spec.Seed, StatementDraws: true, Images: images}, err
}

// document returns the document of the page's explorer, without any measurement.
func (v *Verification) document(e similarity.Explorer, r *cnfa.Verification) (*explorer.Document, error) {
	var layers []models.LayerInfo
	for _, l := range r.Layers {
		layers = append(layers, l.LayerInfo)
	}
	measures := append(similarity.Measures(""), similarity.StatementMeasures(r.Layers[0].Alignments)...)
	return e.Document(layers, measures...)
}

// addPoints adds the measurements at every layer to the explorer.
func (v *Verification) addPoints(ctx context.Context, doc *explorer.Document, e similarity.Explorer, r *cnfa.Verification,
	name string) error {
	var points []explorer.Point
	for _, l := range r.Layers {
		p, err := e.Point(ctx, l, !v.spec.MinusInit, l.Ansatz)
		if err != nil {
			return err
		}
		points = append(points, p)
	}
	doc.Add(name, points)
	return nil
}
