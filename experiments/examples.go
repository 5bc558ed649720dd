package experiments

import (
	"context"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// ExamplesSpec says which examples a kernel machine learns from, and which it is
// tested on. Only Data is needed.
type ExamplesSpec struct {
	Data     string // an image set, a folder of images, a table, or polynomial:NAME
	TestData string // the test images or rows, where Data has none of its own
	Dir      string // the data folder
	Train    int    // training examples; 0 is all
	Test     int    // test examples; 0 is all
	Seed     uint64

	// Of images.
	Classes   string // A,B,…: only images of these; "" is all
	Size      int    // to which they are scaled; 0 is their own
	Fit       string // crop or stretch; "" is the set's own
	Normalise string // none, dataset, imagenet or MEAN/STD; "" is none. Of tables, see Transform
	Grey      bool   // the mean of their channels by luminance
	Balanced  bool   // as many of every class as the rarest has

	// Of tables.
	Target    string // the column to predict; "" is the table's own
	Classify  bool   // takes a numeric target for classes
	Transform string // of the features: none, standard or quantile; "" is what Normalise says, or standard

	// Sphere divides every example by its norm (paper rfm, Appendix D).
	Sphere bool
}

// examples are what a spec names, as matrices.
type examples struct {
	about
	train, test rfm.Examples // test is empty where there is none
}

// about is what is known of examples besides themselves.
type about struct {
	name string
	task rfm.Task
	// shape is that of the images, nil for tables.
	shape *data.Shape
	// features are the names of a table's features, classes of the targets'.
	features, classes []string
	// unit is what a difference of targets of 1 is in their own unit.
	unit float64
	conv ExamplesConventions
}

// ExamplesConventions is what the examples are, for the record.
type ExamplesConventions struct {
	Train string `json:"train" fact:"training"`
	// Validation are the images that choose, where they are not part of Train.
	Validation    string `json:"validation,omitempty" fact:"validation"`
	Test          string `json:"test,omitempty" fact:"test"`
	Features      int    `json:"features"`
	Inputs        string `json:"inputs" fact:"inputs"`
	Targets       string `json:"targets" fact:"targets"`
	Missing       int    `json:"missing_filled_in,omitempty"`
	Zeros         int    `json:"zero_rows,omitempty"` // that have no place on the unit sphere
	TrainSHA      string `json:"train_sha256,omitempty"`
	ValidationSHA string `json:"validation_sha256,omitempty"`
	TestSHA       string `json:"test_sha256,omitempty"`
	Generated     bool   `json:"generated,omitempty"`
}

// facts are the conventions as a page shows them.
func (c ExamplesConventions) facts() []report.Fact {
	facts := report.FactsOf(c)
	if c.Missing > 0 {
		text := fmt.Sprintf("%d, for which the mean or the most frequent category of the training rows stands", c.Missing)
		facts = append(facts, report.Fact{Name: "missing values", Value: text})
	}
	if c.Zeros > 0 {
		text := fmt.Sprintf("%d, which have no place on the unit sphere and stay zero", c.Zeros)
		facts = append(facts, report.Fact{Name: "rows of zeros", Value: text})
	}
	return facts
}

// digests identify the examples.
func (c ExamplesConventions) digests() []report.Fact {
	return []report.Fact{
		{Name: "training, SHA-256", Value: c.TrainSHA}, {Name: "validation, SHA-256", Value: c.ValidationSHA},
		{Name: "test, SHA-256", Value: c.TestSHA},
	}
}

// openExamples opens what a spec names. Its errors are the input's.
func openExamples(ctx context.Context, s ExamplesSpec) (*examples, error) {
	if s.Train < 0 || s.Test < 0 {
		return nil, badInput("--train %d and --test %d: want at least 1, or 0 for all", s.Train, s.Test)
	}
	if err := s.checkKind(); err != nil {
		return nil, err
	}
	var e *examples
	var err error
	switch {
	case strings.HasPrefix(s.Data, polynomials+":"):
		e, err = openPolynomial(s)
	case IsTable(s.Data):
		e, err = openTable(s)
	default:
		e, err = openImages(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	if s.Sphere {
		e.toSphere()
	}
	_, e.conv.Features = e.train.X.Dims()
	return e, nil
}

// checkKind refuses flags that are for another kind of data.
func (s ExamplesSpec) checkKind() error {
	table := IsTable(s.Data)
	for _, f := range []struct {
		flag  string
		given bool
		table bool
	}{
		{"--classes", s.Classes != "", false}, {"--size", s.Size != 0, false}, {"--fit", s.Fit != "", false},
		{"--grey", s.Grey, false}, {"--balanced", s.Balanced, false},
		{"--target", s.Target != "", true}, {"--classify", s.Classify, true}, {"--transform", s.Transform != "", true},
	} {
		if f.given && f.table != table {
			kind := map[bool]string{true: "tables", false: "images"}
			return badInput("%s is for %s, and %s is not one of them", f.flag, kind[f.table], s.Data)
		}
	}
	return nil
}

// toSphere divides every row by its norm. Rows of zeros stay.
func (e *examples) toSphere() {
	e.conv.Inputs += "; each divided by its norm"
	for _, x := range []*mat.Dense{e.train.X, e.test.X} {
		if x == nil {
			continue
		}
		n, _ := x.Dims()
		for i := range n {
			row := mat.NewVecDense(len(x.RawRowView(i)), x.RawRowView(i))
			if norm := mat.Norm(row, 2); norm > 0 {
				row.ScaleVec(1/norm, row)
			} else {
				e.conv.Zeros++
			}
		}
	}
}

// describeTargets says what the targets are.
func (e *about) describeTargets() string {
	if e.task == rfm.Classification {
		return fmt.Sprintf("one-hot 0/1 of %d classes", len(e.classes))
	}
	if e.unit == 1 {
		return "as they are"
	}
	return fmt.Sprintf("centred and divided by their standard deviation on the training rows, %.6g; errors are in their own unit", e.unit)
}
