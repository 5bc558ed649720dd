package rfmpaper

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// leastGap is the smallest gap over all levels of noise.
var leastGap = study.NewMeasure("least_gap")

// lowRankBars are the learners with their measures, in the order of the bars.
var lowRankBars = []struct {
	name string
	r2   study.Measure
}{{"RFM", rfmR2}, {"Laplace", laplaceR2}, {"NTK", ntkR2}, {"network", netR2}}

// noiseLevel holds the learners' results at one level of noise.
type noiseLevel struct {
	noise float64
	r2    []float64 // of lowRankBars, on the test rows
	gap   float64
}

// sweepNoise compares the learners of a to c at the levels of noise, and adds the least gap, a table and a chart. o
// already has the results of the figure's half at the level of Signs.
func (s *LowRankPanelsSpec) sweepNoise(ctx context.Context, in study.Setting, o *study.Outcome) error {
	var levels []noiseLevel
	for _, noise := range s.Noises {
		spec := s.Signs
		spec.Noise = noise
		level, err := spec.compare(ctx, in)
		if err != nil {
			return err
		}
		levels = append(levels, level)
	}
	if in.Dry() {
		return nil
	}
	own := noiseLevel{noise: s.Signs.Noise, gap: o.Value(featuresGap.Of(signsHalf))}
	for _, b := range lowRankBars {
		own.r2 = append(own.r2, o.Value(b.r2.Of(signsHalf)))
	}
	levels = append(levels, own)
	slices.SortFunc(levels, func(a, b noiseLevel) int { return cmp.Compare(a.noise, b.noise) })
	o.Set(leastGap, record.LeastOf(levels, func(l noiseLevel) float64 { return l.gap }))
	fields := []record.Field[noiseLevel]{
		record.NumberField("noise", "%g", func(l noiseLevel) float64 { return l.noise }),
	}
	chart := study.Chart{
		Name: "noise", Title: "How far apart the learners are depends on the noise (a to c)", YLabel: "test R²",
		XLabel:  "standard deviation of the noise of the inputs",
		Caption: "The paper does not say how much noise it added.",
	}
	for i, b := range lowRankBars {
		r2 := func(l noiseLevel) float64 { return l.r2[i] }
		fields = append(fields, record.NumberField(b.name, "%.4f", r2))
		chart.Series = append(chart.Series,
			record.SeriesOf(b.name, levels, func(l noiseLevel) float64 { return l.noise }, r2))
	}
	fields = append(fields, record.NumberField("gap", "%.4f", func(l noiseLevel) float64 { return l.gap }))
	o.Tables = append(o.Tables, record.TableOf("noise", "a to c at several levels of noise: R² on the test rows, and "+
		"the least of the RFM and the network less the largest of the kernels.", levels, fields...))
	o.Charts = append(o.Charts, chart)
	return nil
}

// compare returns the learners' results, without comparing their features.
func (s *LowRankSpec) compare(ctx context.Context, in study.Setting) (noiseLevel, error) {
	out := noiseLevel{noise: s.Noise, gap: math.NaN()}
	r := &lowRank{spec: s, in: in, out: &study.Outcome{}}
	if _, _, err := r.learn(ctx); err != nil || in.Dry() {
		return out, err
	}
	r.addComparison()
	for _, b := range lowRankBars {
		out.r2 = append(out.r2, r.out.Value(b.r2))
	}
	out.gap = r.out.Value(featuresGap)
	return out, nil
}
