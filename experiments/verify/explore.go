package verify

import (
	"context"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/models"
)

// explore returns what the page's explorer shows. The CNFM of W − W₀ has no spectra: its eigenvectors are no
// combinations of the filters W.
func (v *Verification) explore(ctx context.Context, r *cnfa.Verification) (*explorer.Document, error) {
	images, err := similarity.OpenExploredImages(ctx, v.Source.Loader, r.Images)
	if err != nil {
		return nil, err
	}
	e := similarity.Explorer{Net: v.Net, Seed: v.spec.Seed, Vectors: record.ShownVectors, Values: 128, MaxFilters: 512,
		MaxPatch: 8192, StatementDraws: true, Images: images}
	var layers []models.LayerInfo
	for _, l := range r.Layers {
		layers = append(layers, l.LayerInfo)
	}
	measures := append(similarity.Measures("", v.Options.Powers), similarity.StatementMeasures(r.Layers[0].Alignments)...)
	doc, err := e.Document(layers, measures...)
	if err != nil {
		return nil, err
	}
	var points []explorer.Point
	for _, l := range r.Layers {
		p, err := e.Point(ctx, l, !v.spec.MinusInit, l.Ansatz)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	doc.Add("trained", points)
	return doc, nil
}
