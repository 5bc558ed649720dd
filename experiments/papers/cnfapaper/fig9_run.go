package cnfapaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// PoolingSpec verifies the ansatz in small convolutional networks over poolings,
// patch sizes and datasets (cnfa Fig. 9).
type PoolingSpec struct {
	Poolings []string      `json:"poolings" toml:"poolings"` // architectures whose name takes a patch size
	Patches  []int         `json:"patches" toml:"patches"`   // odd sides, ascending
	Sets     []PoolingSet  `json:"sets" toml:"sets"`
	Width    float64       `json:"width" toml:"width"` // a factor on the 64 filters; 0 is 1
	Init     string        `json:"init" toml:"init"`
	Lessons  NetworkLesson `json:"lessons" toml:"lessons"`
	Images   int           `json:"images" toml:"images"` // training images on which AGOPs are taken
}

// PoolingSet is images in the size to which they are scaled, 0 for their own.
type PoolingSet struct {
	Name      string `json:"name" toml:"name"`
	Data      string `json:"data" toml:"data"`
	Size      int    `json:"size" toml:"size"`
	Normalise string `json:"normalise" toml:"normalise"` // see [AnsatzNetwork]
}

// poolingNet is a network of the study after its training.
type poolingNet struct {
	pooling        string
	patch          int
	set            string
	training, test float64 // accuracies
	overChance     float64
	layers         []poolingLayer
}

// poolingLayer is the ansatz at a convolution: of the trained CNFM, and of the
// initial one, with the AGOP of the trained network.
type poolingLayer struct{ trained, initial similarity.Record }

// Run implements Spec.
func (s *PoolingSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Poolings) == 0 || len(s.Patches) < 2 || s.Images < 1 {
		return nil, input.Errorf("%d poolings, %d patch sizes and %d images: want at least 1, 2 and 1", len(s.Poolings), len(s.Patches), s.Images)
	}
	o := &study.Outcome{Values: map[string]float64{}}
	var found []*poolingNet
	for _, set := range s.Sets {
		of, err := s.learn(ctx, in, set, o)
		if missing := input.MissingFile(err); missing != "" {
			o.Notes = append(o.Notes, fmt.Sprintf("%s is left out: %s.", set.Name, missing))
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, of...)
	}
	if len(found) == 0 {
		return nil, input.Errorf("none of the datasets can be had: %v", o.Notes)
	}
	s.tell(found, o)
	s.show(found, o)
	return o, nil
}

// learn trains and measures all networks on one set.
func (s *PoolingSpec) learn(ctx context.Context, in study.Setting, set PoolingSet, o *study.Outcome) ([]*poolingNet, error) {
	var all []*poolingNet
	for _, pooling := range s.Poolings {
		for _, patch := range s.Patches {
			n := AnsatzNetwork{
				Name: fmt.Sprintf("%s of %d×%d on %s", pooling, patch, patch, set.Name), Arch: fmt.Sprintf("%s:%d", pooling, patch),
				Width: s.Width, Init: s.Init, Data: set.Data, Size: set.Size, Normalise: set.Normalise, Lessons: s.Lessons,
			}
			have, err := n.have(ctx, in)
			if err != nil {
				return nil, err
			}
			if len(all) == 0 { // the others learn the same images
				if err := o.AddDataset(set.Name, have.images); err != nil {
					return nil, err
				}
			}
			p := &poolingNet{pooling: pooling, patch: patch, set: set.Name, training: record.ValueOrNaN(have.training), test: record.ValueOrNaN(have.test)}
			p.overChance = p.test - 1/float64(have.net.Classes)
			if err := p.measure(ctx, in, have, s.Images); err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return all, nil
}

func (p *poolingNet) measure(ctx context.Context, in study.Setting, n *ansatzNet, images int) error {
	v, err := n.verify(ctx, in, images, 0, false)
	if err != nil {
		return err
	}
	for _, l := range v.Result.Layers {
		p.layers = append(p.layers, poolingLayer{
			trained: alikeOfAnsatz(l.Ansatz), initial: similarity.Compare(cnfa.CNFM(n.initial.Filters(l.Name)), l.AGOP(n.net.Filters(l.Name))),
		})
	}
	return nil
}

// meanOfPooled is the mean of a measure over the convolutions of the networks that
// are chosen.
func meanOfPooled(found []*poolingNet, chosen func(*poolingNet) bool, of func(poolingLayer) float64) float64 {
	var v []float64
	for _, p := range found {
		if chosen(p) {
			for _, l := range p.layers {
				v = append(v, of(l))
			}
		}
	}
	return meanOfDefined(v)
}

// tell finds the values of the claims: NAME of cosines, and NAME_excess of what of
// them lies above the null.
func (s *PoolingSpec) tell(found []*poolingNet, o *study.Outcome) {
	all := func(*poolingNet) bool { return true }
	pooled := func(name string) func(*poolingNet) bool {
		return func(p *poolingNet) bool { return p.pooling == name }
	}
	ofPatch := func(patch int) func(*poolingNet) bool {
		return func(p *poolingNet) bool { return p.patch == patch }
	}
	for _, m := range []struct {
		suffix string
		of     func(similarity.Record) float64
	}{{"", func(a similarity.Record) float64 { return record.ValueOrNaN(a.Cosine) }}, {"_excess", similarity.Record.CosineExcess}} {
		trained := func(l poolingLayer) float64 { return m.of(l.trained) }
		mean := func(chosen func(*poolingNet) bool) float64 { return meanOfPooled(found, chosen, trained) }
		o.Values["trained_over_initial"+m.suffix] = meanOfPooled(found, all, func(l poolingLayer) float64 { return m.of(l.trained) - m.of(l.initial) })
		o.Values["max_over_vec"+m.suffix] = mean(pooled("cnn-max")) - mean(pooled("cnn-vec"))
		o.Values["max_over_avg"+m.suffix] = mean(pooled("cnn-max")) - mean(pooled("cnn-avg"))
		o.Values["patch_drop"+m.suffix] = mean(ofPatch(s.Patches[0])) - mean(ofPatch(s.Patches[len(s.Patches)-1]))
	}
	o.Values["trained_cosine"] = meanOfPooled(found, all, func(l poolingLayer) float64 { return record.ValueOrNaN(l.trained.Cosine) })
	o.Values["trained_excess"] = meanOfPooled(found, all, func(l poolingLayer) float64 { return l.trained.CosineExcess() })
	o.Values["accuracy_over_chance"] = meanBy(found, func(p *poolingNet) float64 { return p.overChance })
}
