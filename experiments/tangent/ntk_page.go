package tangent

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

// name is the architecture's, with its width.
func (r *NTKRecord) name() string {
	if r.Width != 1 {
		return fmt.Sprintf("%s ×%g", r.Arch, r.Width)
	}
	return r.Arch
}

// Summary says in a sentence or two what the kernel is like.
func (r *NTKRecord) Summary() string {
	text := fmt.Sprintf("The Jacobian of %s (%d weights) at %d images × %d outputs has effective rank %.1f of %d rows (the kernel's eigenvalues %.1f), rank %d above rounding and condition number %.3g%s. The kernel took %s, its eigenvalues %s.",
		r.name(), r.Parameters, r.Images, r.Outputs, r.EffectiveRank, r.Rows, r.EffectiveRankGram, r.Rank, r.Condition, singularText(r.KernelRecord), train.FormatSeconds(r.Seconds), train.FormatSeconds(r.EigenSeconds))
	if c := r.Change; c != nil {
		text += fmt.Sprintf(" Training changed the kernel by %.1f %% (‖Θ − Θ₀‖/‖Θ₀‖); its cosine with the one before is %.4f, centred %.4f", 100*c.Relative, c.Cosine, c.Centred)
		if c.CosineNull != nil {
			text += fmt.Sprintf("; with its eigenvectors rotated at random the cosine would be %.4f", *c.CosineNull)
		}
		text += "."
	}
	return text
}

// singularText says of a singular kernel what its condition number is of.
func singularText(k KernelRecord) string {
	if k.Rank == k.Rows {
		return ""
	}
	return " (of those: the kernel is singular)"
}

// Table has a line for the kernel and, where there is one, for that before
// training.
func (r *NTKRecord) Table() *report.Table {
	t := &report.Table{
		Name: "kernel", Caption: "The neural tangent kernel Θ = JJᵀ. Effective ranks are of J's singular values and, under Θ, of the kernel's eigenvalues.",
		Columns: record.NumericColumns("kernel", "rows", "parameters", "effective rank", "effective rank, Θ", "rank", "condition", "mean Θ(x, x)", "seconds"),
	}
	if r.Initial != nil {
		t.Rows = append(t.Rows, r.KernelRecord.row("trained"), r.Initial.row("before training"))
		return t
	}
	t.Rows = append(t.Rows, r.KernelRecord.row(r.name()))
	return t
}

func (k KernelRecord) row(name string) []report.Cell {
	return []report.Cell{
		{Text: name}, {Value: float64(k.Rows), Text: fmt.Sprint(k.Rows)}, {Value: float64(k.Parameters), Text: fmt.Sprint(k.Parameters)},
		record.NumberCell(&k.EffectiveRank, "%.1f"), record.NumberCell(&k.EffectiveRankGram, "%.1f"), {Value: float64(k.Rank), Text: fmt.Sprint(k.Rank)},
		record.NumberCell(&k.Condition, "%.3g"), record.NumberCell(&k.Diagonal.Mean, "%.4g"), record.NumberCell(&k.Seconds, "%.3f"),
	}
}

// Page is the record as a report.
func (r *NTKRecord) Page() (*report.Page, error) {
	series := []report.Series{SingularSeries(r.name(), r.Singular)}
	if r.Initial != nil {
		series = []report.Series{SingularSeries("trained", r.Singular), SingularSeries("before training", r.Initial.Singular)}
	}
	f, err := singularFigure(series)
	if err != nil {
		return nil, err
	}
	d := r.Diagonal
	facts := append(report.FactsOf(r.Conventions), report.Fact{
		Name:  "diagonal",
		Value: fmt.Sprintf("mean %.4g, standard deviation %.4g, from %.4g to %.4g", d.Mean, d.SD, d.Least, d.Largest),
	})
	return &report.Page{
		Title: fmt.Sprintf("Neural tangent kernel of %s on %s", r.name(), r.Data), Lead: r.Summary(),
		Sections:   []report.Section{{Heading: "Spectrum", Figures: []report.Figure{f}, Tables: []report.Table{*r.Table()}, Facts: facts}},
		Provenance: r.Conventions.Provenance(r.page.Machine, 0),
	}, nil
}

// singularPoints is as many points as a curve of singular values has at most.
const singularPoints = 400

// SingularSeries is log₁₀ of singular values, the largest first, by their place;
// those that are 0 are absent. Of many, places even apart are shown.
func SingularSeries(label string, values []float64) report.Series {
	s := report.Series{Label: label}
	step := max(1, (len(values)+singularPoints-1)/singularPoints)
	for i := 0; i < len(values); i += step {
		if values[i] > 0 {
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, math.Log10(values[i]))
		}
	}
	return s
}

// The words of a figure of singular values.
const (
	SingularX       = "place, from the largest"
	SingularY       = "log10 σ"
	SingularCaption = "Singular values σ of the Jacobian, the largest first; those that are lost in rounding are left out."
)

func singularFigure(series []report.Series) (report.Figure, error) {
	f, err := report.LineChart("singular-values", "Singular values of the Jacobian", SingularX, SingularY, series)
	f.Caption = SingularCaption
	f.Alt = "Curves of the singular values of the Jacobian on a logarithmic scale"
	return f, err
}
