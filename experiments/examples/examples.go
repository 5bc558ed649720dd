package examples

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Spec says which examples a kernel machine learns from and is tested on. Only Data is required.
type Spec struct {
	Data     string // an image set, a folder of images, a table, polynomial:NAME, or [input.Stdin] for a table
	TestData string // the test images or rows, where Data has none of its own
	Dir      string // the data folder
	Train    int    // training examples; 0 is all
	Test     int    // test examples; 0 is all
	Seed     uint64

	// Of images.
	Classes   string // A,B,…: only images of these; "" is all
	Size      int    // height and width in pixels; 0 is the default of the set, see [data.Options]
	Fit       string // crop or stretch; "" is the set's own
	Normalise string // none, dataset, imagenet or MEAN/STD; "" is none. Of tables, see Transform
	Grey      bool   // the mean of their channels by luminance
	Balanced  bool   // as many of every class as the rarest has
	// Unlabelled says that test images need no labels, because they are only predicted.
	Unlabelled bool `json:"-"`

	// Of tables.
	Target    string          // the column to predict; "" is the table's own
	Classify  bool            // takes a numeric target for classes
	Transform string          // of the features: none, standard, quantile or blocks; "" is what Normalise says, or standard
	Ignore    []string        // columns that are no features
	ForFolds  bool            // keeps the table, for [Set.Fold]
	CSV       dialect.Dialect // of CSV files; empty fields are detected
	// At most one of these columns is given. It divides the rows of a table and is no feature: SplitColumn says train,
	// validation or test; rows with equal values of SplitGroup stay together; in the order of SplitTime the rows after
	// the training rows are the test rows.
	SplitColumn, SplitGroup, SplitTime string
	// Holdout is the share of the training rows that are validation rows, if groups or a time divide the rows; 0 is none.
	// Otherwise the machine holds out rows itself.
	Holdout float64

	// Sphere divides every example by its norm (paper rfm, Appendix D).
	Sphere bool
}

// Set is the examples that a spec names, as matrices.
type Set struct {
	Description
	Train, Test rfm.Examples // Test may be empty
	Parts       Parts        // the rows of a table; the training examples are those of Train and Validation

	source *tableSource // of a table that is kept for folds, else nil
}

// Description describes examples without holding their matrices.
type Description struct {
	Name string
	Task rfm.Task
	// Shape is the shape of images, nil for tables.
	Shape *data.Shape
	// Features names the features of a table, Classes the classes of the targets.
	Features, Classes []string
	// Unit is a difference of 1 between the scaled targets, in the targets' own unit.
	Unit        float64
	Conventions Conventions
	// Pipeline makes inputs of other examples in the same way.
	Pipeline Pipeline
	// TestFiles are the files of the test images, as paths relative to their folder; nil for sets of other kinds.
	TestFiles []string
}

// Columns returns, for every feature of a table, the name of the column that it is made of.
func (e *Description) Columns() []string {
	if e.Pipeline.Table == nil {
		return e.Features
	}
	return e.Pipeline.Table.FeatureColumns()
}

// Conventions describes the examples in a record.
type Conventions struct {
	Train string `json:"train" fact:"training"`
	// Validation describes the validation examples. Validation rows of a table are part of Train, images are not.
	Validation    string       `json:"validation,omitempty" fact:"validation"`
	Test          string       `json:"test,omitempty" fact:"test"`
	TestCopies    input.Copies `json:"test_copies,omitempty" fact:"test images seen in training"`
	Features      int          `json:"features"`
	Inputs        string       `json:"inputs" fact:"inputs"`
	Targets       string       `json:"targets" fact:"targets"`
	Missing       int          `json:"missing_filled_in,omitempty"`
	Zeros         int          `json:"zero_rows,omitempty"` // which cannot be scaled to norm 1
	TrainSHA      string       `json:"train_sha256,omitempty"`
	ValidationSHA string       `json:"validation_sha256,omitempty"`
	TestSHA       string       `json:"test_sha256,omitempty"`
	Generated     bool         `json:"generated,omitempty"`

	Table *TableProfile `json:"table,omitempty"` // nil unless the data are a table
}

// Facts returns the conventions as a page shows them.
func (c Conventions) Facts() []report.Fact {
	facts := report.FactsOf(c)
	if c.Missing > 0 {
		text := fmt.Sprintf("%d, replaced by the mean or the most frequent category of the training rows", c.Missing)
		facts = append(facts, report.Fact{Name: "missing values", Value: text})
	}
	if c.Zeros > 0 {
		text := fmt.Sprintf("%d, which cannot be scaled to the unit sphere and stay zero", c.Zeros)
		facts = append(facts, report.Fact{Name: "rows of zeros", Value: text})
	}
	return append(facts, c.Table.facts()...)
}

// Digests returns the digests that identify the examples.
func (c Conventions) Digests() []report.Fact {
	return []report.Fact{
		{Name: "training, SHA-256", Value: c.TrainSHA}, {Name: "validation, SHA-256", Value: c.ValidationSHA},
		{Name: "test, SHA-256", Value: c.TestSHA},
	}
}

// Open opens the examples that a spec names. Its errors are an [*input.Error].
func Open(ctx context.Context, s Spec) (*Set, error) {
	if s.Train < 0 || s.Test < 0 {
		return nil, input.Errorf("--train %d and --test %d: want at least 1, or 0 for all", s.Train, s.Test)
	}
	if err := s.checkKind(); err != nil {
		return nil, err
	}
	var e *Set
	var err error
	switch {
	case strings.HasPrefix(s.Data, input.Polynomials+":"):
		e, err = openPolynomial(s)
	case input.IsTable(s.Data):
		e, err = openTable(s)
	default:
		e, err = openImages(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	if s.Sphere {
		e.projectToSphere(e.Train.X, e.Test.X)
		e.Pipeline.Sphere = true
	}
	_, e.Conventions.Features = e.Train.X.Dims()
	return e, nil
}

// checkKind returns an error if a flag is for another kind of data.
func (s Spec) checkKind() error {
	table := input.IsTable(s.Data)
	for _, f := range []struct {
		flag  string
		given bool
		table bool
	}{
		{"--classes", s.Classes != "", false}, {"--size", s.Size != 0, false}, {"--fit", s.Fit != "", false},
		{"--grey", s.Grey, false}, {"--balanced", s.Balanced, false},
		{"--target", s.Target != "", true}, {"--classify", s.Classify, true}, {"--transform", s.Transform != "", true},
		{"--ignore", len(s.Ignore) > 0, true}, {"--split-column", s.SplitColumn != "", true},
		{"--split-group", s.SplitGroup != "", true}, {"--split-time", s.SplitTime != "", true},
	} {
		if f.given && f.table != table {
			kind := map[bool]string{true: "tables", false: "images"}
			return input.Errorf("%s is for %s, which %s is not", f.flag, kind[f.table], s.Data)
		}
	}
	return s.checkFiles()
}

// projectToSphere divides the rows of matrices, which may be nil, by their norms. Rows of zeros stay.
func (e *Description) projectToSphere(matrices ...*mat.Dense) {
	e.Conventions.Inputs += "; each divided by its norm"
	for _, x := range matrices {
		if x == nil {
			continue
		}
		n, _ := x.Dims()
		for i := range n {
			row := mat.NewVecDense(len(x.RawRowView(i)), x.RawRowView(i))
			if norm := mat.Norm(row, 2); norm > 0 {
				row.ScaleVec(1/norm, row)
			} else {
				e.Conventions.Zeros++
			}
		}
	}
}

// describeTargets says what the targets are.
func (e *Description) describeTargets() string {
	if e.Task == rfm.Classification {
		return fmt.Sprintf("one-hot 0/1 of %d classes", len(e.Classes))
	}
	return fmt.Sprintf("centred and divided by their standard deviation on the training rows, %.6g; errors are "+
		"in the original unit", e.Unit)
}

// Fitted says which examples a model was fitted to.
func (c Conventions) Fitted() string { return strings.TrimSpace(c.Train + " " + c.TrainSHA) }

// ClassIndices returns the classes of one-hot targets.
func ClassIndices(y *mat.Dense) []int {
	n, _ := y.Dims()
	labels := make([]int, n)
	for i := range labels {
		labels[i] = slices.Index(y.RawRowView(i), 1)
	}
	return labels
}
