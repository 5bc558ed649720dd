package examples

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// trainShare is the default share of a table's rows to train on.
const trainShare = .8

// openPolynomial generates a table, by default with the sizes of its paper.
func openPolynomial(s Spec) (*Set, error) {
	p, ok := input.FindPolynomial(s.Data)
	if !ok {
		var all []string
		for _, p := range table.Polynomials() {
			all = append(all, input.Polynomials+":"+p.Name)
		}
		return nil, input.Errorf("%q: want one of %s", s.Data, strings.Join(all, ", "))
	}
	if s.Transform != "" && s.Transform != noTransform || s.Normalise != "" && s.Normalise != noTransform ||
		s.Target != "" || s.Classify {
		return nil, input.Errorf("%s is generated: it takes neither --target, --classify, --normalise nor "+
			"--transform", s.Data)
	}
	e := &Set{Description: Description{Name: s.Data, Task: rfm.Regression, Unit: 1}}
	for _, part := range []struct {
		into *rfm.Examples
		name string
		n    int
	}{{&e.Train, "train", cmp.Or(s.Train, p.Train)}, {&e.Test, "test", cmp.Or(s.Test, p.Test)}} {
		set, err := p.Generate(part.n, s.Seed, part.name)
		if err != nil {
			return nil, &input.Error{Err: err}
		}
		*part.into = rfm.Examples{X: set.X, Y: table.Targets(set.Y)}
		e.Features = set.Features
	}
	e.Conventions = Conventions{
		Train:  fmt.Sprintf("%d rows, seed %d", cmp.Or(s.Train, p.Train), s.Seed),
		Test:   fmt.Sprintf("%d rows", cmp.Or(s.Test, p.Test)),
		Inputs: "as generated: " + p.Formula, Targets: "as generated", Generated: true,
	}
	return e, nil
}

// openTable reads a table and divides its rows by seed, or takes the rows of another table to test
// on.
func openTable(s Spec) (*Set, error) {
	if s.TestData != "" {
		return nil, input.Errorf("--test-data is for folders of images: the rows of a table are divided")
	}
	t, err := data.OpenTable(s.Data, s.Dir)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	options := table.EncodeOptions{Target: s.Target, Classify: s.Classify}
	set, _, err := t.Encode(options)
	if err != nil {
		return nil, &input.Error{Err: fmt.Errorf("%s: %w", s.Data, err)}
	}
	split, err := s.split(set)
	if err != nil {
		return nil, err
	}
	options.Rows = split.Train // what fills in for missing values is theirs
	set, conventions, err := t.Encode(options)
	if err != nil {
		return nil, &input.Error{Err: fmt.Errorf("%s: %w", s.Data, err)}
	}
	e := &Set{Description: Description{Name: s.Data, Task: rfm.Regression, Features: set.Features,
		Classes: set.Classes, Unit: 1}}
	e.Conventions.Missing = conventions.Imputed
	y := table.Targets(set.Y)
	e.Conventions.TrainSHA = e.digestRows(rowsOf(set.X, y, split.Train)) // before anything is scaled
	if len(set.Classes) > 0 {
		if e.Task = rfm.Classification; len(set.Classes) < 2 {
			return nil, input.Errorf("%s: the target %s has one class, %q: there is nothing to learn", s.Data,
				set.Target, set.Classes[0])
		}
		y = rfm.OneHot(labelsOf(set.Y), len(set.Classes))
	} else if err := e.standardise(y, split.Train); err != nil {
		return nil, err
	}
	name, err := s.transform()
	if err != nil {
		return nil, err
	}
	if e.Conventions.Inputs, err = transformFeatures(name, set.X, split.Train); err != nil {
		return nil, err
	}
	e.Train, e.Test = rowsOf(set.X, y, split.Train), rowsOf(set.X, y, split.Test)
	e.Conventions.Targets = e.describeTargets()
	e.Conventions.Train = fmt.Sprintf("%d of %d rows, drawn by seed %d", len(split.Train), t.Rows, s.Seed)
	if e.Task == rfm.Classification {
		e.Conventions.Train += ", classes in their shares"
	}
	e.Conventions.Test = fmt.Sprintf("%d of the others", len(split.Test))
	return e, nil
}

// digestRows returns the SHA-256 of rows, with the names of the features and the classes.
func (e *Set) digestRows(rows rfm.Examples) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", e.Features, e.Classes)
	for _, m := range []*mat.Dense{rows.X, rows.Y} {
		if m == nil {
			continue
		}
		raw := m.RawMatrix()
		for i := range raw.Rows {
			row := raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols]
			_ = binary.Write(h, binary.LittleEndian, row) // a hash returns no errors
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// split divides the rows of a table.
func (s Spec) split(set *table.Set) (table.Split, error) {
	n := len(set.Y)
	train, test := s.Train, s.Test
	if train == 0 {
		train = int(math.Round(trainShare * float64(n)))
		if test > 0 {
			train = n - test
		}
		train = min(max(train, 1), n)
	}
	if test == 0 {
		test = n - train
	}
	if train < 1 || train+test > n {
		return table.Split{}, input.Errorf("--train %d and --test %d: %s has %d rows", s.Train, s.Test, s.Data, n)
	}
	// The validation part of the split is the test rows: the rest is left out.
	split, err := set.Split(table.Fractions{Train: float64(train) / float64(n),
		Validation: float64(test) / float64(n)}, s.Seed)
	if err != nil {
		return split, &input.Error{Err: err}
	}
	return table.Split{Train: split.Train, Test: split.Validation}, nil
}

func labelsOf(y []float64) []int {
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v)
	}
	return labels
}

func rowsOf(x, y *mat.Dense, rows []int) rfm.Examples {
	if len(rows) == 0 {
		return rfm.Examples{}
	}
	return rfm.Examples{X: x, Y: y}.Rows(rows)
}

// standardise centres regression targets on the training rows and scales their
// variance there to 1, as paper rfm does (Appendix D).
func (e *Set) standardise(y *mat.Dense, train []int) error {
	var t table.Standard
	if err := t.Fit(y, train); err != nil {
		return &input.Error{Err: err}
	}
	t.Apply(y)
	unit := mat.NewDense(2, 1, []float64{0, 1})
	t.Invert(unit)
	e.Unit = unit.At(1, 0) - unit.At(0, 0)
	return nil
}

// The transforms of a table's features.
const (
	noTransform       = "none"
	standardTransform = "standard"
	quantileTransform = "quantile"
)

// transform returns the name of the transform of a table's features.
func (s Spec) transform() (string, error) {
	switch {
	case s.Normalise == "":
		return cmp.Or(s.Transform, standardTransform), nil
	case s.Transform != "":
		return "", input.Errorf("--normalise %s and --transform %s: give one of them", s.Normalise, s.Transform)
	case s.Normalise == noTransform:
		return noTransform, nil
	case s.Normalise == "dataset":
		return standardTransform, nil
	}
	return "", input.Errorf("--normalise %s is for images: of a table, want none or dataset, or --transform",
		s.Normalise)
}

// transformFeatures transforms the features by constants of the training rows, and describes the
// transform.
func transformFeatures(name string, x *mat.Dense, train []int) (string, error) {
	var t table.Transform
	how := ""
	switch name {
	case noTransform:
		return "features as they are, nominal ones one-hot", nil
	case standardTransform:
		t, how = &table.Standard{}, "features centred and of variance 1 on the training rows (constant ones 0), "+
			"nominal ones one-hot before"
	case quantileTransform:
		t, how = &table.Quantile{}, "quantiles of features on the training rows, nominal ones one-hot before"
	default:
		return "", input.Errorf("--transform %q: want %s", name,
			strings.Join([]string{noTransform, standardTransform, quantileTransform}, ", "))
	}
	if err := t.Fit(x, train); err != nil {
		return "", &input.Error{Err: err}
	}
	t.Apply(x)
	return how, nil
}
