package ntkpaper

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// KernelsSpec computes the spectra of the Jacobians of untrained networks by width (ntk, section
// 4.2).
type KernelsSpec struct {
	Tasks []KernelsTask `json:"tasks" toml:"tasks"`
}

// KernelsTask is a network on some images. The values of claims about it begin
// with its name.
type KernelsTask struct {
	Name    string    `json:"name" toml:"name"`
	Arch    string    `json:"arch" toml:"arch"`
	Data    string    `json:"data" toml:"data"`
	Split   string    `json:"split" toml:"split"`
	Size    int       `json:"size,omitempty" toml:"size"`       // of the images; 0 is their own
	Shift   int       `json:"shift,omitempty" toml:"shift"`     // random shifts, in pixels
	Images  int       `json:"images" toml:"images"`             // the first so many
	Outputs int       `json:"outputs,omitempty" toml:"outputs"` // 0 is one a class
	Widths  []float64 `json:"widths" toml:"widths"`             // factors on the network's own, rising
}

// kernelPoint is a kernel at one width.
type kernelPoint struct {
	width float64
	tangent.KernelRecord
}

// Run implements Spec.
func (s *KernelsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{Values: map[string]float64{}}
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
		setKernelValues(t.Name, points, o.Values)
		o.Tables = append(o.Tables, kernelsTable(t, points))
	}
	setKernelDifferences(all["standard"], all["shifted"], o.Values)
	o.Charts = append(o.Charts, s.rankChart(all))
	for _, t := range s.Tasks {
		o.Charts = append(o.Charts, spectrumChart(t, all[t.Name]))
	}
	return o, nil
}

// Jobs implements [study.Worker]: the kernel of each width, and its spectrum.
func (s *KernelsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t KernelsTask) ([]cost.Job, error) {
		return train.JobsOf(t.Widths, func(width float64) ([]cost.Job, error) {
			_, set, err := train.LookupOn(t.Arch, width, t.Data, t.Size)
			if err != nil {
				return nil, err
			}
			outputs := cmp.Or(t.Outputs, set.Classes)
			layers, err := workload.LayersAt(t.Arch, width, set.Shape, outputs)
			return []cost.Job{cost.TangentsOf(layers, t.Images, outputs)}, err
		})
	})
}

// measureKernels computes the kernels of all widths.
func (t KernelsTask) measureKernels(ctx context.Context, in study.Setting, o *study.Outcome) ([]kernelPoint, error) {
	var points []kernelPoint
	for _, width := range t.Widths {
		m, err := tangent.NewNTK(tangent.NTKSpec{
			DataSpec: input.DataSpec{Data: t.Data, Split: t.Split, Dir: in.DataDir, Size: t.Size, Count: t.Images,
				Seed: in.Seed},
			Arch: t.Arch, Width: width, Images: t.Images, Shift: t.Shift, Outputs: t.Outputs, Threads: in.Threads,
		})
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
		points = append(points, kernelPoint{width, r})
	}
	return points, nil
}

// setKernelValues sets the values of the claims about a task.
func setKernelValues(task string, points []kernelPoint, values map[string]float64) {
	first, last := points[0], points[len(points)-1]
	values[task+"_rank_first"], values[task+"_rank_last"] = first.EffectiveRank, last.EffectiveRank
	values[task+"_rank_rises"] = last.EffectiveRank - first.EffectiveRank
	values[task+"_rank_rises_share"] = last.EffectiveRank/first.EffectiveRank - 1
	values[task+"_share_first"] = first.EffectiveRank / float64(first.Rows)
	values[task+"_share_last"] = last.EffectiveRank / float64(last.Rows)
	values[task+"_condition_falls"] = math.Log10(first.Condition / last.Condition)
	values[task+"_least_rises"] = math.Log10(leastSingular(last) / leastSingular(first))
}

// leastSingular returns the smallest singular value above rounding.
func leastSingular(p kernelPoint) float64 { return p.Singular[p.Rank-1] }

// setKernelDifferences sets how much higher the effective ranks of shifted digits are, on average
// over the widths, and how much less they rise with width.
func setKernelDifferences(standard, shifted []kernelPoint, values map[string]float64) {
	n := min(len(standard), len(shifted))
	if n == 0 {
		return
	}
	for i := range n {
		values["shifted_over_standard"] += (shifted[i].EffectiveRank - standard[i].EffectiveRank) / float64(n)
	}
	values["standard_rises_more"] = values["standard_rank_rises"] - values["shifted_rank_rises"]
}

func kernelsTable(t KernelsTask, points []kernelPoint) report.Table {
	out := report.Table{
		Name: t.Name, Caption: fmt.Sprintf("%s: the Jacobian of %s at %d images, fresh weights. Under Θ is the "+
			"effective rank of the kernel's eigenvalues.", t.Name, t.Arch, t.Images),
		Columns: record.NumericColumns("width", "rows", "parameters", "effective rank", "share of the rows, %",
			"effective rank, Θ", "largest σ", "smallest σ", "condition", "rank"),
	}
	for _, p := range points {
		share, least := p.EffectiveRank/float64(p.Rows), leastSingular(p)
		out.Rows = append(out.Rows, []report.Cell{
			{Text: fmt.Sprintf("×%g", p.width)}, record.CountCell(p.Rows), record.CountCell(p.Parameters),
			record.NumberCell(&p.EffectiveRank, "%.1f"), record.PercentCell(share),
			record.NumberCell(&p.EffectiveRankGram, "%.1f"), record.NumberCell(&p.Singular[0], "%.2f"),
			record.NumberCell(&least, "%.4f"), record.NumberCell(&p.Condition, "%.1f"), record.CountCell(p.Rank),
		})
	}
	return out
}

// rankChart draws the effective ranks by width, as shares of the rows.
func (s *KernelsSpec) rankChart(all map[string][]kernelPoint) study.Chart {
	c := study.Chart{
		Name: "effective-rank", Title: "Effective rank by width", XLabel: widthLabel, YLabel: "share of the rows",
		Caption: "Effective rank of the Jacobian's singular values over the number of its rows.",
	}
	for _, t := range s.Tasks {
		line := report.Series{Label: t.Name}
		for _, p := range all[t.Name] {
			line.X, line.Y = append(line.X, math.Log2(p.width)), append(line.Y, p.EffectiveRank/float64(p.Rows))
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// spectrumChart draws the singular values of a task.
func spectrumChart(t KernelsTask, points []kernelPoint) study.Chart {
	c := study.Chart{
		Name: t.Name + "-singular-values", Title: t.Name + ": singular values of the Jacobian",
		XLabel: tangent.SingularX, YLabel: tangent.SingularY, Caption: tangent.SingularCaption,
	}
	for _, p := range points {
		c.Series = append(c.Series, tangent.SingularSeries(fmt.Sprintf("×%g", p.width), p.Singular))
	}
	return c
}
