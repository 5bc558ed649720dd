package examples

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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
	if s.Transform != "" && s.Transform != table.NoScaling || s.Normalise != "" && s.Normalise != table.NoScaling ||
		s.Target != "" || s.Classify {
		return nil, input.Errorf("%s is generated: it takes neither --target, --classify, --normalise nor "+
			"--transform", s.Data)
	}
	if s.TestData != "" || len(s.Ignore) > 0 || len(s.splitColumns()) > 0 {
		return nil, input.Errorf("%s is generated: it takes neither --test-data, --ignore nor --split-column, --split-group and "+
			"--split-time", s.Data)
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
		Train:  fmt.Sprintf("%s, seed %d", words.Count(cmp.Or(s.Train, p.Train), "row"), s.Seed),
		Test:   words.Count(cmp.Or(s.Test, p.Test), "row"),
		Inputs: "as generated: " + p.Formula, Targets: "as generated", Generated: true,
	}
	return e, nil
}

// openTable reads a table and divides its rows by seed, or takes the rows of another table to test on. An encoder
// that is fitted to the training rows makes the inputs and targets of both.
func openTable(s Spec) (*Set, error) {
	if s.SplitGroup != "" {
		s.CSV.Verbatim = []string{s.SplitGroup}
	}
	t, err := s.openFile(s.Data, true)
	if err != nil {
		return nil, err
	}
	if len(t.Columns) == 1 && t.ReadAs != "" {
		return nil, input.Errorf("%s has one column, %q, with %s: there is nothing to learn from; --separator says what is between "+
			"values, as --separator space", s.Data, t.Columns[0].Name, t.ReadAs)
	}
	scaling, err := s.scaling()
	if err != nil {
		return nil, err
	}
	options := table.EncodeOptions{Target: s.Target, Classify: s.Classify}
	if options.Ignore, err = s.notFeatures(t); err != nil {
		return nil, err
	}
	profile := s.newProfile(t)
	if err := profile.dropColumns(t, &options, s.splitColumns()); err != nil {
		return nil, err
	}
	labels, _, err := t.Encode(options)
	if err != nil {
		return nil, &input.Error{Err: fmt.Errorf("%s: %w%s", s.Data, err, manyCategories(t, options))}
	}
	if text := cmp.Or(constantText(labels), tinyText(labels)); text != "" {
		return nil, input.Errorf("%s: %s", s.Data, text)
	}
	parts, err := s.divide(t, labels)
	if err != nil {
		return nil, err
	}
	if err := profile.checkFit(labels, parts.Train); err != nil {
		return nil, err
	}
	parts.rows, parts.kept = profile.Rows, profile.kept
	options.Rows = parts.fitted() // they determine what replaces missing values
	encoder, set, match, err := fitEncoder(t, options)
	if err != nil {
		return nil, &input.Error{Err: fmt.Errorf("%s: %w", s.Data, err)}
	}
	e := &Set{Description: Description{Name: fileName(s.Data), Task: rfm.Regression, Features: set.Features,
		Classes: set.Classes, Pipeline: Pipeline{Table: encoder}}}
	if len(set.Classes) > 0 {
		e.Task = rfm.Classification
	}
	e.Conventions.Missing, e.Conventions.Table = match.CountMissing(), profile
	profile.describe(t, encoder, set, match)
	raw := rfm.Examples{X: set.X, Y: table.Targets(set.Y)} // before anything is scaled
	e.Conventions.TrainSHA, e.Pipeline.TableSHA = e.digestRows(rowsOf(raw, options.Rows)), e.digestRows(raw)
	if err := encoder.FitScaling(scaling, set, options.Rows); err != nil {
		if text := hugeText(set); text != "" {
			return nil, input.Errorf("%s: %s", s.Data, text)
		}
		return nil, &input.Error{Err: fmt.Errorf("%s: %w", s.Data, err)}
	}
	encoder.Scale(set)
	e.Unit = encoder.Target.Unit()
	all := rfm.Examples{X: set.X, Y: encodedTargets(set)}
	e.Train, e.Test, e.Parts = rowsOf(all, options.Rows), rowsOf(all, parts.Test), parts
	e.Conventions.Inputs, e.Conventions.Targets = describeScaling(scaling), e.describeTargets()
	e.Conventions.Train = fmt.Sprintf("%d of %s%s", len(options.Rows), words.Count(t.Rows, "row"), parts.how)
	if n := len(parts.Validation); n > 0 {
		e.Conventions.Validation = fmt.Sprintf("%d of them", n)
	}
	if s.ForFolds {
		e.source = &tableSource{t, options}
	}
	if s.TestData != "" {
		return e, e.openTestTable(s, t)
	}
	if n := len(parts.Test); n > 0 {
		e.Conventions.Test = fmt.Sprintf("%d of the others", n)
	}
	return e, nil
}

// checkFit returns an input error if all rows to fit have the same target, and notes classes that none of them has.
func (p *TableProfile) checkFit(labels *table.Set, rows []int) error {
	const again = "choose another split (--split-time, --split-group, --split-column, --train)"
	rowsHave := fmt.Sprintf("the %d rows to fit have", len(rows))
	if len(rows) == 1 {
		rowsHave = "the row to fit has"
	}
	first, seen := labels.Y[rows[0]], map[int]bool{}
	constant := true
	for _, row := range rows {
		constant = constant && labels.Y[row] == first
		seen[int(labels.Y[row])] = true
	}
	if len(labels.Classes) == 0 {
		if constant {
			return input.Errorf("%s: %s the same %s, %v: there is nothing to learn; %s", p.Name, rowsHave, labels.Target, first,
				again)
		}
		return nil
	}
	if constant && len(labels.Classes) > 1 {
		return input.Errorf("%s: %s one class, %s: there is nothing to learn; %s", p.Name, rowsHave, labels.Classes[int(first)],
			again)
	}
	for _, y := range labels.Y { // classes of no row at all may be declared
		if k := int(y); !seen[k] {
			seen[k] = true
			class := labels.Classes[k]
			p.note("unseen", class, fmt.Sprintf("no row to fit has the class %s, which the fit cannot learn", class))
		}
	}
	return nil
}

// leastTarget is the least magnitude of targets: errors are squared, and the squares must not vanish.
const leastTarget = 1e-140

// tinyText says that the targets of a regression are too small, "" if they are not.
func tinyText(set *table.Set) string {
	largest := floats.Norm(set.Y, math.Inf(1))
	if len(set.Classes) > 0 || largest == 0 || largest >= leastTarget {
		return ""
	}
	return fmt.Sprintf("the target %s has numbers up to %.3g, whose squares are 0 in float64: multiply them in the file",
		set.Target, largest)
}

// RefusalText says why no machine can be fitted to a table: its target is the same in all rows, or has numbers too small, or a
// column has numbers too large, for a variance in float64. It returns "" if there is no such reason.
func RefusalText(set *table.Set) string {
	return cmp.Or(constantText(set), tinyText(set), hugeText(set))
}

// constantText says that the target is the same in all rows; "" if it is not.
func constantText(set *table.Set) string {
	switch y := set.Y; {
	case slices.Min(y) < slices.Max(y):
		return ""
	case len(set.Classes) == 0:
		return fmt.Sprintf("the target %s is %v in all rows: there is nothing to learn (--target names another column)", set.Target,
			y[0])
	default:
		return fmt.Sprintf("the target %s has one class, %q: there is nothing to learn", set.Target, set.Classes[int(y[0])])
	}
}

// hugeText names the columns whose numbers are too large for a variance in float64, and their largest numbers; "" if there
// are none.
func hugeText(set *table.Set) string {
	var names []string
	add := func(name string, v float64) {
		if most := math.Sqrt(math.MaxFloat64) / float64(len(set.Y)+1); v > most {
			names = append(names, fmt.Sprintf("%s has numbers up to %.3g", name, v))
		}
	}
	for j, name := range set.Features {
		add(name, mat.Norm(set.X.ColView(j), math.Inf(1)))
	}
	if len(set.Classes) == 0 {
		add(set.Target, floats.Norm(set.Y, math.Inf(1)))
	}
	if names == nil {
		return ""
	}
	return words.Some(names, shownNames) + ", of which there is no variance in float64: divide them in the file, or leave the " +
		"column out (--ignore)"
}

// fitEncoder fits an encoder to a table, and encodes the table with it.
func fitEncoder(t *table.Table, o table.EncodeOptions) (*table.Encoder, *table.Set, table.Match, error) {
	encoder, err := table.NewEncoder(t, o)
	if err == nil {
		err = encoder.CheckText()
	}
	if err != nil {
		return nil, nil, table.Match{}, err
	}
	set, match, err := encoder.Encode(t)
	return encoder, set, match, err
}

// openTestTable takes the rows of another table to test on. It returns an input error if a row has no target, or a class
// that the training table does not have. It notes rows that were fitted, and groups of which rows were.
func (e *Set) openTestTable(s Spec, fitted *table.Table) error {
	t, err := s.openFile(s.TestData, true)
	if err != nil {
		return err
	}
	encoder := e.Pipeline.Table
	set, match, err := encoder.Encode(t)
	switch {
	case err != nil:
		return &input.Error{Err: fmt.Errorf("--test-data %s: %w", s.TestData, err)}
	case !match.HasTarget:
		return input.Errorf("--test-data %s has no column %s, the target: give rows with it, or predict these "+
			"with ansatz predict", s.TestData, encoder.Target.Name)
	case match.Unlabelled > 0:
		return input.Errorf("--test-data %s: %d rows have no %s: take them out", s.TestData, match.Unlabelled,
			encoder.Target.Name)
	case match.UnknownTargets.Rows > 0:
		return input.Errorf("--test-data %s has targets that the training table does not have: rows of %v%s",
			s.TestData, match.UnknownTargets, listClasses(encoder.Target.Classes))
	}
	rows := make([]int, t.Rows)
	if s.Test > t.Rows {
		return input.Errorf("--test %d: %s has %s", s.Test, s.TestData, words.Count(t.Rows, "row"))
	}
	for i := range rows {
		rows[i] = i
	}
	rows = rows[:cmp.Or(s.Test, t.Rows)]
	all := rfm.Examples{X: set.X, Y: table.Targets(set.Y)}
	e.Conventions.TestSHA = e.digestRows(rowsOf(all, rows))
	if e.Conventions.TestSHA == e.Conventions.TrainSHA || e.digestRows(all) == e.Pipeline.TableSHA {
		e.addNote("the test rows are from the table of the fit: scores on them say little about new rows")
	} else if err := e.noteGroups(s, fitted, t); err != nil {
		return err
	}
	e.Conventions.Missing += match.CountMissing()
	encoder.Scale(set)
	e.Test = rowsOf(rfm.Examples{X: set.X, Y: encodedTargets(set)}, rows)
	e.Conventions.Test = fmt.Sprintf("the first %d of %d rows of %s", len(rows), t.Rows, fileName(s.TestData))
	if t.ReadAs != "" {
		e.Conventions.Test += " (" + t.ReadAs + ")"
	}
	e.Conventions.Test = strings.Join(append([]string{e.Conventions.Test}, match.Notes()...), "; ")
	return nil
}

// addNote adds a note to the profile of the table.
func (e *Set) addNote(text string) {
	e.Conventions.Table.Notes = append(e.Conventions.Table.Notes, text)
}

// noteGroups notes groups of --split-group of which rows are fitted and tested.
func (e *Set) noteGroups(s Spec, fitted, tested *table.Table) error {
	if s.SplitGroup == "" || tested.Find(s.SplitGroup) < 0 {
		return nil
	}
	groups, err := fitted.Texts(s.SplitGroup)
	if err != nil {
		return &input.Error{Err: err}
	}
	others, err := tested.Texts(s.SplitGroup)
	if err != nil {
		return &input.Error{Err: err}
	}
	known, shared := map[string]bool{}, map[string]bool{}
	for _, row := range e.Parts.fitted() {
		known[groups[row]] = true
	}
	for _, group := range others[:cmp.Or(s.Test, len(others))] {
		if known[group] {
			shared[group] = true
		}
	}
	if len(shared) > 0 {
		e.addNote(fmt.Sprintf("%s of %s, such as %s, in %s are those of rows to fit: scores say little about other groups",
			words.Count(len(shared), "value"), s.SplitGroup, slices.Min(slices.Collect(maps.Keys(shared))), fileName(s.TestData)))
	}
	return nil
}

// listClasses names the classes of a training table, if it has classes.
func listClasses(classes []string) string {
	if len(classes) == 0 {
		return "; they are numbers there"
	}
	return "; it has the classes " + strings.Join(classes, ", ")
}

// encodedTargets returns the targets of a set as a machine learns them: one-hot, or a column.
func encodedTargets(set *table.Set) *mat.Dense {
	if len(set.Classes) > 0 {
		return rfm.OneHot(labelsOf(set.Y), len(set.Classes))
	}
	return table.Targets(set.Y)
}

// digestRows returns the SHA-256 of rows, with the names of the features and the classes.
func (e *Description) digestRows(rows rfm.Examples) string {
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

func labelsOf(y []float64) []int {
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v)
	}
	return labels
}

// rowsOf returns some of the examples, in new memory.
func rowsOf(e rfm.Examples, rows []int) rfm.Examples {
	if len(rows) == 0 {
		return rfm.Examples{}
	}
	return e.Rows(rows)
}

// scaling returns the name of the scaling of a table's features.
func (s Spec) scaling() (string, error) {
	name := cmp.Or(s.Transform, table.StandardScaling)
	switch {
	case s.Normalise != "" && s.Transform != "":
		return "", input.Errorf("--normalise %s and --transform %s: give one of them", s.Normalise, s.Transform)
	case s.Normalise == "", s.Normalise == "dataset":
	case s.Normalise == table.NoScaling:
		name = table.NoScaling
	default:
		return "", input.Errorf("--normalise %s is for images: for a table, want none or dataset, or --transform",
			s.Normalise)
	}
	known := []string{table.NoScaling, table.StandardScaling, table.QuantileScaling, table.BlockScaling}
	if !slices.Contains(known, name) {
		return "", input.Errorf("--transform %q: want %s", name, strings.Join(known, ", "))
	}
	return name, nil
}

// describeScaling says how the features of a table are scaled.
func describeScaling(name string) string {
	switch name {
	case table.StandardScaling:
		return "features scaled to mean 0 and variance 1 on the training rows (constant ones to 0), after " +
			"categorical ones become one-hot"
	case table.BlockScaling:
		return "features scaled to mean 0 and variance 1 on the training rows (constant ones to 0); categorical ones become " +
			"one-hot, and the features of each are divided by one number, so that rows differ by as much in all of them as " +
			"in a numeric one"
	case table.QuantileScaling:
		return "quantiles of features on the training rows, after categorical ones become one-hot"
	}
	return "features unchanged, categorical ones one-hot"
}
