package tangent

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
)

// NTKRecord is the record of a neural tangent kernel.
type NTKRecord struct {
	Arch    string  `json:"arch"`
	Form    string  `json:"form,omitempty"`
	Width   float64 `json:"width"`
	Data    string  `json:"data"`
	Images  int     `json:"images"`
	Outputs int     `json:"outputs"`
	Kernel  string  `json:"kernel"` // full, trace or diagonal
	// Parameterisation is standard, or ntk:W:B with the scales of weights and biases
	Parameterisation string `json:"parameterisation"`
	KernelRecord
	// Initial is the kernel at the weights before training, and Change how far training moved the
	// kernel from it, where those weights are known.
	Initial  *KernelRecord       `json:"initial,omitempty"`
	Change   *KernelChangeRecord `json:"change,omitempty"`
	Infinite *InfiniteRecord     `json:"infinite,omitempty"` // where it is asked for
	Layers   []LayerKernelRecord `json:"layers,omitempty"`   // the parts of the layers, where they are asked for
	// Order holds the indices of the images in the dataset, from 0, if the images were shuffled.
	Order       []int          `json:"order,omitempty"`
	Conventions NTKConventions `json:"conventions"`

	page record.PageData
}

// KernelRecord is a kernel Θ = JJᵀ and its spectrum.
type KernelRecord struct {
	Rows              int            `json:"rows"` // images · outputs; of a trace kernel images
	Parameters        int            `json:"parameters"`
	EffectiveRank     float64        `json:"effective_rank"`      // of J's singular values
	EffectiveRankGram float64        `json:"effective_rank_gram"` // of Θ's eigenvalues
	Rank              int            `json:"rank"`                // singular values above rounding
	Condition         float64        `json:"condition"`           // σ_max/σ_min of the singular values above rounding
	Diagonal          DiagonalRecord `json:"diagonal"`
	Seconds           float64        `json:"seconds"`         // of the kernel
	EigenSeconds      float64        `json:"eigen_seconds"`   // of its eigenvalues
	Singular          []float64      `json:"singular_values"` // roots of Θ's eigenvalues; the largest first, 0 below rounding
}

// DiagonalRecord sums up Θ(x, x) = ‖∇f(x)‖² over the rows.
type DiagonalRecord struct {
	Mean    float64 `json:"mean"`
	SD      float64 `json:"sd"`
	Least   float64 `json:"least"`
	Largest float64 `json:"largest"`
}

// KernelChangeRecord is how far training moved a kernel; see [kernels.Change].
type KernelChangeRecord struct {
	Relative float64 `json:"relative"`
	Cosine   float64 `json:"cosine"`
	Centred  float64 `json:"cosine_centred"`
	// CosineNull is the mean, and CosineNullSD the standard deviation, of the cosine with the
	// eigenvectors of one kernel rotated at random, in each block; absent for blocks of one row.
	CosineNull   *float64 `json:"cosine_null,omitempty"`
	CosineNullSD *float64 `json:"cosine_null_sd,omitempty"`
}

// newKernelChange compares two kernels, beside the null.
func newKernelChange(now, before kernels.Kernel) (*KernelChangeRecord, error) {
	c, err := kernels.Compare(now, before)
	if err != nil {
		return nil, err
	}
	null := similarity.CompareBlocks(now, before)
	return &KernelChangeRecord{Relative: c.Relative, Cosine: c.Cosine, Centred: c.Centred, CosineNull: null.CosineNull,
		CosineNullSD: null.CosineNullSD}, nil
}

// NTKConventions says what a kernel and its ranks depend on.
type NTKConventions struct {
	Kernel        string `json:"kernel" fact:"kernel"`
	Network       string `json:"network,omitempty" fact:"network"` // remarks on the network
	EffectiveRank string `json:"effective_rank" fact:"effective rank"`
	Rounding      string `json:"rounding" fact:"rounding"`
	Change        string `json:"change,omitempty" fact:"change"`
	Layers        string `json:"layers,omitempty" fact:"layers"`
	Infinite      string `json:"infinite,omitempty" fact:"infinite width"`
	Weights       string `json:"weights" fact:"weights"`
	Initial       string `json:"initial_weights,omitempty" fact:"weights before training"`
	Images        string `json:"images" fact:"images"`
	Normalise     string `json:"normalise" fact:"normalisation"`
	record.RunConventions

	trainedWith string // the normalisation in training, which the file of weights states
}

const (
	rankConvention = "exp of the entropy of the singular values of J over their sum (Roy and Vetterli 2007); " +
		"that of Θ is of their squares, its eigenvalues"
	roundingConvention = "eigenvalues of at most max(n·ε₆₄·λmax, ε²·tr Θ) count as 0, ε that of the " +
		"gradients' precision"
	changeConvention = "relative is ‖Θ − Θ₀‖/‖Θ₀‖ in Frobenius norms, cosine ⟨Θ, Θ₀⟩/(‖Θ‖‖Θ₀‖), centred of HΘH and " +
		"HΘ₀H with H = I − 11ᵀ/n; the cosine's null is its mean, exactly, with the eigenvectors of Θ rotated at " +
		"random, its spectrum kept; a diagonal kernel is centred and rotated block by block"
)

// setConventions sets the conventions of the record.
func (m *NTKMeasurement) setConventions() error {
	info, err := data.Describe(m.Source.Dataset)
	if err != nil {
		return &input.Error{Err: err}
	}
	c := &m.conv
	precision := input.PrecisionText(m.options.Precision) + " gradients, their products added up in float64"
	run := record.NewRunConventions(precision, m.spec.Backend, m.spec.Threads, m.spec.Seed)
	run.WeightsSHA256, run.DataSHA256 = c.WeightsSHA256, info.SHA256
	c.RunConventions = run
	c.EffectiveRank, c.Rounding = rankConvention, roundingConvention
	c.Kernel = fmt.Sprintf(formTexts[m.options.Form].convention, parameterisationText(m.net.Arch.Parameterisation))
	if m.spec.ByLayer {
		c.Layers = layersConvention
	}
	if m.spec.Infinite {
		c.Infinite = infiniteConvention
	}
	if m.initial != nil {
		c.Change = changeConvention
	}
	split := input.OfSplit(info.Split)
	c.Images = fmt.Sprintf("the first %d%s, %s", m.spec.Images, split, m.Source.Order)
	if m.spec.Draw != 0 {
		c.Images = fmt.Sprintf("%d%s, drawn with seed %d", m.spec.Images, split, m.spec.Draw)
	}
	if m.spec.Shift > 0 {
		c.Images += fmt.Sprintf("; each shifted by up to %d pixels", m.spec.Shift)
	}
	c.Network = strings.Join(m.net.Arch.Notes, " ")
	c.Normalise = input.NormalisationText(m.Source.Loader.Normalisation)
	return nil
}

// parameterisationText names a parameterisation in a sentence.
func parameterisationText(p models.Parameterisation) string {
	if p.NTK {
		return fmt.Sprintf("the NTK (weights times %.4g/√fan-in, biases times %.4g)", p.WeightScale, p.BiasScale)
	}
	return "PyTorch's"
}

// newRecord returns the record without the kernel.
func (m *NTKMeasurement) newRecord() *NTKRecord {
	r := &NTKRecord{
		Arch: m.net.Arch.Name, Form: m.net.Arch.Form, Width: cmp.Or(m.spec.Width, 1), Data: m.Source.Dataset.Name(),
		Images: m.spec.Images, Outputs: m.net.Classes, Kernel: m.options.Form.String(),
		Parameterisation: m.net.Arch.Parameterisation.String(), Conventions: m.conv, page: record.NewPageData(),
	}
	if m.spec.Draw == 0 && m.Source.Shuffled != nil {
		r.Order = m.Source.Shuffled[:m.spec.Images]
	}
	return r
}

// setMeasures sets the measures of a kernel from its spectrum.
func (k *KernelRecord) setMeasures(gram kernels.Kernel, parameters int, s *kernels.Spectrum) {
	k.Rows, k.Parameters = gram.Rows(), parameters
	k.EffectiveRank, k.EffectiveRankGram, k.Rank, k.Condition = s.EffectiveRank, s.EffectiveRankGram, s.Rank,
		s.Condition
	k.Singular, k.Diagonal = s.Singular, kernelDiagonal(gram)
}

// SaveGram writes the kernel that Run computed as an NPY file: rows × rows, or outputs × images × images for a diagonal
// kernel. It writes nothing if path is "".
func (m *NTKMeasurement) SaveGram(path string) error {
	switch {
	case path == "":
		return nil
	case m.options.Form == kernels.Diagonal:
		return array.WriteNPYBlocks(path, m.gram)
	}
	return array.WriteNPY(path, m.gram[0])
}

// Save writes the report into a folder: report.html, its figures and tables, and
// record.json. It returns the path of the report.
func (r *NTKRecord) Save(dir string) (string, error) { return record.SaveRecord(dir, r) }

// RecordKind implements [record.Record].
func (r *NTKRecord) RecordKind() string { return "ntk" }

// PageData returns what the page shows besides the numbers.
func (r *NTKRecord) PageData() *record.PageData { return &r.page }

// kernelDiagonal summarises the diagonal of a kernel, ‖∇f(x)‖² of every row.
func kernelDiagonal(k kernels.Kernel) (d DiagonalRecord) {
	n := float64(k.Rows())
	d.Least, d.Largest = math.Inf(1), math.Inf(-1)
	squares := 0.
	for _, b := range k {
		for i := range b.SymmetricDim() {
			v := b.At(i, i)
			d.Least, d.Largest = min(d.Least, v), max(d.Largest, v)
			d.Mean += v / n
			squares += v * v / n
		}
	}
	d.SD = math.Sqrt(max(0, squares-d.Mean*d.Mean))
	return d
}

// archName returns the name of an architecture, with the factor on its widths unless that is 1.
func archName(arch string, width float64) string {
	if width == 1 {
		return arch
	}
	return fmt.Sprintf("%s ×%g", arch, width)
}

// Summary describes the kernel in a sentence or two.
func (r *NTKRecord) Summary() string {
	what := fmt.Sprintf(textOf(r.Kernel).subject, archName(r.Arch, r.Width), r.Parameters,
		words.Count(r.Images, "image"), words.Count(r.Outputs, "output"))
	text := fmt.Sprintf("%s has effective rank %.1f of %d rows (by the kernel's eigenvalues: %.1f), numerical rank %d and "+
		"condition number %.3g%s. Computing the kernel took %s, its eigenvalues %s.", what, r.EffectiveRank, r.Rows,
		r.EffectiveRankGram, r.Rank, r.Condition, singularText(r.KernelRecord), train.FormatSeconds(r.Seconds),
		train.FormatSeconds(r.EigenSeconds))
	if c := r.Change; c != nil {
		text += fmt.Sprintf(" Training changed the kernel by %.1f %% (‖Θ − Θ₀‖/‖Θ₀‖); its cosine with the one before "+
			"is %.4f, centred %.4f", 100*c.Relative, c.Cosine, c.Centred)
		if c.CosineNull != nil {
			text += fmt.Sprintf("; with eigenvectors rotated at random the cosine would be %.4f", *c.CosineNull)
		}
		text += "."
	}
	if r.Infinite != nil {
		text += " " + r.Infinite.text()
	}
	return strings.TrimSpace(text + " " + r.Conventions.Network)
}

// infiniteName names the kernel of infinite width in tables and figures.
const infiniteName = "infinite width"

// singularText says which singular values the condition number of a singular kernel compares; it is "" for other kernels.
func singularText(k KernelRecord) string {
	if k.Rank == k.Rows {
		return ""
	}
	return " (among those above rounding: the kernel is singular)"
}

// Tables returns the table of the layers if they were measured, else the table of the kernel.
func (r *NTKRecord) Tables() []*report.Table {
	t := r.kernelTable()
	if len(r.Layers) > 0 {
		t = r.layersTable()
	}
	return []*report.Table{&t}
}

// kernelTable returns a row each for the kernel and, if known, for the kernels before training and of infinite width.
func (r *NTKRecord) kernelTable() report.Table {
	type row struct {
		name string
		KernelRecord
	}
	rows := []row{{archName(r.Arch, r.Width), r.KernelRecord}}
	if r.Initial != nil {
		rows = []row{{"trained", r.KernelRecord}, {"before training", *r.Initial}}
	}
	if r.Infinite != nil {
		rows = append(rows, row{infiniteName, r.Infinite.KernelRecord})
	}
	return record.TableOf("kernel",
		"The neural tangent kernel Θ. Effective ranks are those of J's singular values and, under Θ, of "+
			"the kernel's eigenvalues.", rows,
		record.TextField("kernel", func(r row) string { return r.name }),
		record.CountField("rows", func(r row) int { return r.Rows }),
		record.NumberField("parameters", "%.0f", func(r row) float64 {
			if r.Parameters == 0 { // of infinite width
				return math.NaN()
			}
			return float64(r.Parameters)
		}),
		record.NumberField("effective rank", "%.1f", func(r row) float64 { return r.EffectiveRank }),
		record.NumberField("effective rank, Θ", "%.1f", func(r row) float64 { return r.EffectiveRankGram }),
		record.NumberField("rank", "%.0f", func(r row) float64 { return float64(r.Rank) }),
		record.NumberField("condition", "%.3g", func(r row) float64 { return r.Condition }),
		record.NumberField("mean Θ(x, x)", "%.4g", func(r row) float64 { return r.Diagonal.Mean }),
		record.NumberField("seconds", "%.3f", func(r row) float64 { return r.Seconds }))
}

// Page returns the record as a report.
func (r *NTKRecord) Page() (*report.Page, error) {
	name := archName(r.Arch, r.Width)
	series := []report.Series{SingularSeries(name, r.Singular)}
	if r.Initial != nil {
		series = []report.Series{
			SingularSeries("trained", r.Singular), SingularSeries("before training", r.Initial.Singular),
		}
	}
	if r.Infinite != nil {
		series = append(series, SingularSeries(infiniteName, r.Infinite.Singular))
	}
	f, err := r.singularFigure(series)
	if err != nil {
		return nil, err
	}
	d := r.Diagonal
	facts := append(report.FactsOf(r.Conventions), report.Fact{
		Name:  "diagonal",
		Value: fmt.Sprintf("mean %.4g, standard deviation %.4g, from %.4g to %.4g", d.Mean, d.SD, d.Least, d.Largest),
	})
	page := &report.Page{
		Title: fmt.Sprintf("Neural tangent kernel of %s on %s", name, r.Data), Lead: r.Summary(),
		Sections: []report.Section{
			{Heading: "Spectrum", Figures: []report.Figure{f}, Tables: []report.Table{r.kernelTable()}, Facts: facts},
		},
		Provenance: r.Conventions.Provenance(r.page.Machine, 0),
	}
	if len(r.Layers) == 0 {
		return page, nil
	}
	byLayer, err := r.layersFigure()
	page.Sections = append(page.Sections, report.Section{Heading: "Layers", Figures: []report.Figure{byLayer},
		Tables: []report.Table{r.layersTable()}})
	return page, err
}

// singularPoints is the largest number of points in a curve of singular values.
const singularPoints = 400

// SingularSeries returns log₁₀ of singular values by their rank, the largest first. It leaves out
// zeros, and shows at most 400 evenly spaced ranks.
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

// The axes of a figure of singular values.
const (
	SingularX = "rank of the singular value"
	SingularY = "log10 of the singular value σ"
)

// singularFigure draws curves of singular values. For a kernel without a Jacobian they are the square roots of its eigenvalues.
func (r *NTKRecord) singularFigure(series []report.Series) (report.Figure, error) {
	title, of := textOf(r.Kernel).rootsTitle, textOf(r.Kernel).roots
	f, err := report.LineChart("singular-values", title, SingularX, SingularY, series)
	f.Caption = of + ", the largest first; those below rounding are left out."
	f.Alt = "Curves on a logarithmic scale: " + of
	return f, err
}
