package ntkpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
)

// The measures of a task's kernels. First and last are the smallest and the largest width. Rank is the Jacobian's
// effective rank, share is rank divided by the number of rows, and kernel_rank is the effective rank of Θ. The fall of
// the condition number and the rise of the least singular value are in powers of ten.
var (
	rankFirst            = study.NewMeasure("rank_first")
	rankLast             = study.NewMeasure("rank_last")
	rankRises            = study.NewMeasure("rank_rises")
	rankRisesShare       = study.NewMeasure("rank_rises_share")
	rankShareFirst       = study.NewMeasure("share_first")
	rankShareLast        = study.NewMeasure("share_last")
	kernelRankRisesShare = study.NewMeasure("kernel_rank_rises_share")
	conditionFalls       = study.NewMeasure("condition_falls")
	leastRises           = study.NewMeasure("least_rises")
)

// The measures that compare shifted with centred digits: by how much the effective ranks are higher, averaged over the
// widths, and by how much less they rise with width.
var (
	shiftedOverStandard = study.NewMeasure("shifted_over_standard")
	standardRisesMore   = study.NewMeasure("standard_rises_more")
)

// spectrumSpecs returns the specs of Figs. 6 and 7: LeNet on digits and AlexNet on photographs.
func spectrumSpecs() map[study.Scale]study.Spec {
	digits := func(data string, images, shift int, widths ...float64) []KernelsTask {
		standard := KernelsTask{Name: "standard", Arch: "lenet", Data: data, Split: "test", Images: images,
			Widths: widths}
		shifted := standard
		shifted.Name, shifted.Shift = "shifted", shift
		return []KernelsTask{standard, shifted}
	}
	alexnet := func(data string, size, images int, widths ...float64) KernelsTask {
		return KernelsTask{Name: "alexnet", Arch: "alexnet", Data: data, Split: "test", Size: size, Images: images,
			Widths: widths}
	}
	paper := alexnet("imagenet:snakes", 224, 600, 1, 2, 3, 4)
	paper.Split = "train"
	return map[study.Scale]study.Spec{
		study.Smoke: &KernelsSpec{append(digits("glyphs", 6, 3, .2, .5), alexnet("glyphs", 64, 3, .02, .04))},
		study.Small: &KernelsSpec{append(digits("mnist", 300, 7, 1, 2, 5, 10),
			alexnet("cifar10", 64, 300, .0625, .125, .25))},
		study.PaperScale: &KernelsSpec{append(digits("mnist", 600, 7, paperWidths()...), paper)},
	}
}

// fig6 returns Fig. 6: effective ranks.
func fig6() *study.Experiment {
	return &study.Experiment{
		ID: "ntk/fig6", Paper: "ntk", Figure: "Fig. 6", Title: "Effective rank of the Jacobian by width",
		About: study.About{}.With(kernelsAbout),
		Claims: []study.Claim{
			rankRisesShare.Of("standard").Claim("The effective rank of LeNet's Jacobian on MNIST rises with "+
				"width: rise relative to the smallest.", "picture", study.AtLeast(.05)).On(mnist),
			rankRisesShare.Of("shifted").Claim("The effective rank of LeNet's Jacobian on shifted digits rises "+
				"with width: rise relative to the smallest.", "picture", study.AtLeast(.05)).On(mnist),
			standardRisesMore.Claim("The effective rank of LeNet's Jacobian rises less with width on shifted "+
				"digits than on centred ones: difference of the rises.", "picture",
				study.Above(0)).On(mnist).From(study.PaperScale, "With fewer than "+
				"the paper's 600 images the rank nears the number of rows at large widths, where it cannot rise."),
			shiftedOverStandard.Claim("The effective rank of LeNet's Jacobian is higher on shifted digits than "+
				"on centred ones: difference, mean over the widths.", "picture", study.Above(0)).On(mnist),
			rankShareFirst.Of("standard").Claim("At the standard width the effective rank of LeNet's Jacobian on "+
				"MNIST is much lower than the number of its rows: share of the rows.", "picture",
				study.AtMost(.75)).On(mnist),
			rankRises.Of("alexnet").Claim("The effective rank of AlexNet's Jacobian on similar classes rises "+
				"marginally with width: rise.",
				"picture", study.Above(0)).On(snakes),
			rankShareLast.Of("alexnet").Claim("The effective rank of AlexNet's Jacobian on similar classes is "+
				"significantly lower than the number of its rows at all widths: share of the rows.", "picture",
				study.AtMost(.75)).On(snakes),
			kernelRankRisesShare.Of("standard").Check("The effective rank of LeNet's kernel matrix on MNIST "+
				"rises with width: rise relative to the smallest.", study.AtLeast(.05)).On(mnist),
			kernelRankRisesShare.Of("shifted").Check("The effective rank of LeNet's kernel matrix on shifted "+
				"digits rises with width: rise relative to the smallest.", study.AtLeast(.05)).On(mnist),
			kernelRankRisesShare.Of("alexnet").Check("The effective rank of AlexNet's kernel matrix on similar "+
				"classes rises with width: rise relative to the smallest.", study.Above(0)).On(snakes),
		},
		Shows: []string{"standard", "shifted", "alexnet", "*effective-rank"},
		Specs: spectrumSpecs(),
	}
}

// fig7 returns Figs. 7 and A.3: the singular values of the Jacobians and kernels of Fig. 6.
func fig7() *study.Experiment {
	return &study.Experiment{
		ID: "ntk/fig7", Paper: "ntk", Figure: "Figs. 7, A.3",
		Title: "Singular values of the Jacobian and of the kernel matrix by width",
		About: study.About{
			Conventions: []string{
				"The smallest singular value is the smallest above rounding. Claims are about those of J; in " +
					"powers of ten those of Θ change by twice as much, so the verdicts are the same.",
			},
		}.With(kernelsAbout),
		Claims: []study.Claim{
			leastRises.Of("standard").Claim("Width increases the smallest singular values of LeNet's Jacobian on "+
				"MNIST that do not vanish: powers of ten.", "picture", study.Above(0)).On(mnist),
			leastRises.Of("shifted").Claim("Width increases the smallest singular values of LeNet's Jacobian on "+
				"shifted digits that do not vanish: powers of ten.", "picture", study.Above(0)).On(mnist),
			conditionFalls.Of("standard").Claim("Width lowers the condition number of LeNet's Jacobian on MNIST: "+
				"powers of ten.", "picture", study.Above(0)).On(mnist),
			conditionFalls.Of("shifted").Claim("Width lowers the condition number of LeNet's Jacobian on shifted "+
				"digits: powers of ten.", "picture", study.Above(0)).On(mnist),
			leastRises.Of("alexnet").Claim("Width increases the smallest singular values of AlexNet's Jacobian "+
				"on similar classes that do not vanish: powers of ten.", "picture (A.3)", study.Above(0)).On(snakes),
		},
		Of: fig6(), Shows: []string{"standard", "shifted", "alexnet", "*-singular-values"},
	}
}

// KernelsSpec computes the spectra of the Jacobians of untrained networks by width (ntk, section
// 4.2).
type KernelsSpec struct {
	Tasks []KernelsTask `json:"tasks" toml:"tasks"`
}

// KernelsTask is a network on some images. The measures about it are those of the part with its name.
type KernelsTask struct {
	Name    string    `json:"name" toml:"name"`
	Arch    string    `json:"arch" toml:"arch"`
	Data    string    `json:"data" toml:"data"`
	Split   string    `json:"split" toml:"split"`
	Size    int       `json:"size,omitempty" toml:"size"`       // of the images; 0 is their own
	Shift   int       `json:"shift,omitempty" toml:"shift"`     // random shifts, in pixels
	Images  int       `json:"images" toml:"images"`             // number of images, drawn by the seed
	Outputs int       `json:"outputs,omitempty" toml:"outputs"` // 0: one per class
	Widths  []float64 `json:"widths" toml:"widths"`             // factors on the network's widths, rising
}

// kernelPoint is a kernel at one width.
type kernelPoint struct {
	width factor
	tangent.KernelRecord
}

// spectrumMatrix is one of the two matrices whose spectra are shown.
type spectrumMatrix struct {
	prefix, name string
	power        int // the power of the Jacobian's singular values that gives the matrix's
	rank         func(kernelPoint) float64
}

// spectrumMatrices are the Jacobian and the kernel matrix.
var spectrumMatrices = []spectrumMatrix{
	{"", "Jacobian J", 1, func(p kernelPoint) float64 { return p.EffectiveRank }},
	{"kernel-", "kernel matrix Θ = JJᵀ", 2, func(p kernelPoint) float64 { return p.EffectiveRankGram }},
}

// share returns the effective rank as a share of the rows.
func (p kernelPoint) share() float64 { return p.EffectiveRank / float64(p.Rows) }

// least returns the smallest singular value that is not due to rounding.
func (p kernelPoint) least() float64 { return p.Singular[p.Rank-1] }

// StandIns implements [study.Substituter].
func (s *KernelsSpec) StandIns() map[string]string {
	about := map[string]string{"standard": mnist, "shifted": mnist, "alexnet": snakes}
	var all []usedFor
	for _, t := range s.Tasks {
		all = append(all, usedFor{t.Data, about[t.Name]})
	}
	return standIns(all...)
}

// Run implements Spec.
func (s *KernelsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{}
	all := map[string][]kernelPoint{}
	for _, t := range s.Tasks {
		if len(t.Widths) == 0 {
			return nil, input.Errorf("%s has no widths", t.Name)
		}
		points, err := t.measureKernels(ctx, in, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		all[t.Name] = points
	}
	if in.Dry() {
		return nil, nil
	}
	for _, t := range s.Tasks {
		setKernelMeasures(o, t.Name, all[t.Name])
		o.Tables = append(o.Tables, kernelsTable(t, all[t.Name]))
	}
	setShiftMeasures(o, all["standard"], all["shifted"])
	for _, m := range spectrumMatrices {
		o.Charts = append(o.Charts, s.rankChart(m, all))
		for _, t := range s.Tasks {
			o.Charts = append(o.Charts, spectrumChart(t, m, all[t.Name]))
		}
	}
	return o, nil
}

// measureKernels computes the kernels of all widths.
func (t KernelsTask) measureKernels(ctx context.Context, in study.Setting, o *study.Outcome) ([]kernelPoint, error) {
	var points []kernelPoint
	for _, width := range t.Widths {
		spec := tangent.NTKSpec{
			DataSpec: input.DataSpec{Data: t.Data, Split: t.Split, Dir: in.DataDir, Size: t.Size, Count: t.Images,
				Seed: in.Seed},
			Arch: t.Arch, Width: width, Images: t.Images, Draw: drawOf(in), Shift: t.Shift, Outputs: t.Outputs,
			Threads: in.Threads,
		}
		if in.Dry() {
			if err := in.AddJob(spec.Job()); err != nil {
				return nil, err
			}
			continue
		}
		m, err := tangent.NewNTK(spec)
		if err != nil {
			return nil, err
		}
		if err := recordDataOnce(o, t.Data+", "+t.Name, m.Source.Dataset); err != nil {
			return nil, err
		}
		r, err := study.Keep(in, fmt.Sprintf("kernel of %s ×%g", t.Name, width), t,
			func() (tangent.KernelRecord, error) {
				r, err := m.Run(ctx, func(stage string, done, total int) {
					in.Report(fmt.Sprintf("%s ×%g: %s", t.Name, width, stage), done, total)
				})
				if err != nil {
					return tangent.KernelRecord{}, err
				}
				return r.KernelRecord, nil
			})
		if err != nil {
			return nil, err
		}
		points = append(points, kernelPoint{factor(width), r})
	}
	return points, nil
}

// setKernelMeasures sets the measures of a task.
func setKernelMeasures(o *study.Outcome, task string, points []kernelPoint) {
	first, last := points[0], points[len(points)-1]
	set := func(m study.Measure, v float64) { o.Set(m.Of(task), v) }
	wider := func(m study.Measure, v float64) { set(m, overWidths(len(points), v)) }
	set(rankFirst, first.EffectiveRank)
	set(rankLast, last.EffectiveRank)
	wider(rankRises, last.EffectiveRank-first.EffectiveRank)
	wider(rankRisesShare, last.EffectiveRank/first.EffectiveRank-1)
	wider(kernelRankRisesShare, last.EffectiveRankGram/first.EffectiveRankGram-1)
	set(rankShareFirst, first.share())
	set(rankShareLast, last.share())
	wider(conditionFalls, math.Log10(first.Condition/last.Condition))
	wider(leastRises, math.Log10(last.least()/first.least()))
}

// setShiftMeasures compares the kernels of shifted digits with those of unshifted ones.
func setShiftMeasures(o *study.Outcome, standard, shifted []kernelPoint) {
	n := min(len(standard), len(shifted))
	if n == 0 {
		return
	}
	over := 0.
	for i := range n {
		over += (shifted[i].EffectiveRank - standard[i].EffectiveRank) / float64(n)
	}
	o.Set(shiftedOverStandard, over)
	o.Set(standardRisesMore, o.Value(rankRises.Of("standard"))-o.Value(rankRises.Of("shifted")))
}

// kernelsTable returns the kernels of a task, a row for every width.
func kernelsTable(t KernelsTask, points []kernelPoint) report.Table {
	return record.TableOf(t.Name,
		fmt.Sprintf("%s: the Jacobian of %s at %d images, fresh weights. Under Θ is the effective rank of the "+
			"kernel's eigenvalues.", t.Name, t.Arch, t.Images), points,
		record.TextField("width", func(p kernelPoint) string { return p.width.String() }),
		record.CountField("rows", func(p kernelPoint) int { return p.Rows }),
		record.CountField("parameters", func(p kernelPoint) int { return p.Parameters }),
		record.NumberField("effective rank", "%.1f", func(p kernelPoint) float64 { return p.EffectiveRank }),
		record.PercentField("share of the rows, %", kernelPoint.share),
		record.NumberField("effective rank, Θ", "%.1f", func(p kernelPoint) float64 { return p.EffectiveRankGram }),
		record.NumberField("largest σ", "%.2f", func(p kernelPoint) float64 { return p.Singular[0] }),
		record.NumberField("smallest σ", "%.4f", kernelPoint.least),
		record.NumberField("condition", "%.1f", func(p kernelPoint) float64 { return p.Condition }),
		record.CountField("rank", func(p kernelPoint) int { return p.Rank }))
}

// rankChart draws the effective ranks of a matrix by width, as shares of the rows.
func (s *KernelsSpec) rankChart(m spectrumMatrix, all map[string][]kernelPoint) study.Chart {
	c := study.Chart{
		Name: m.prefix + "effective-rank", Title: "Effective rank of the " + m.name + " by width", XLabel: widthLabel,
		YLabel: "share of the rows", Caption: "Effective rank of the " + m.name + " over the number of its rows.",
	}
	for _, t := range s.Tasks {
		c.Series = append(c.Series, record.SeriesOf(t.Name, all[t.Name],
			func(p kernelPoint) float64 { return p.width.log2() },
			func(p kernelPoint) float64 { return m.rank(p) / float64(p.Rows) }))
	}
	return c
}

// spectrumChart draws the singular values of a matrix of a task.
func spectrumChart(t KernelsTask, m spectrumMatrix, points []kernelPoint) study.Chart {
	c := study.Chart{
		Name: t.Name + "-" + m.prefix + "singular-values", Title: t.Name + ": singular values of the " + m.name,
		XLabel: tangent.SingularX, YLabel: tangent.SingularY, Caption: "Singular values σ of the " + m.name +
			", the largest first; those below rounding are left out.",
	}
	for _, p := range points {
		values := make([]float64, len(p.Singular))
		for i, v := range p.Singular {
			values[i] = math.Pow(v, float64(m.power))
		}
		c.Series = append(c.Series, tangent.SingularSeries(p.width.String(), values))
	}
	return c
}
