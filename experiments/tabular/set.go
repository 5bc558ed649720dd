package tabular

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Set is a table in memory.
type Set struct {
	name      string
	table     *table.Table
	encode    table.EncodeOptions
	published *table.UCI // holds the published splits; nil if there are none
	Labels    *table.Set // the targets of all rows
	features  int
	task      rfm.Task
	rows      []int // the rows that the benchmark uses, in order
	digest    string
	notes     []string // remarks on how the table is used
	dropped   []string // columns that name the rows
	about     string   // which column of a table of one's own is predicted, and what is left out
}

// Load reads the table.
func (m Member) Load(spec Spec) (*Set, error) {
	t, published, err := m.Open()
	if err != nil {
		return nil, err
	}
	s := &Set{name: m.Name, table: t, published: published, encode: table.EncodeOptions{
		Classify: m.classify || spec.Classify, Target: spec.Target,
	}}
	target := t.DefaultTarget()
	if spec.Target != "" {
		if target = t.Find(spec.Target); target < 0 {
			return nil, input.Errorf("it has no column %q: --target names one of %s", spec.Target, columnNames(t))
		}
	}
	unlabelled := s.dropRows(target)
	s.dropNames(target)
	var conventions table.Conventions
	if s.Labels, conventions, err = t.Encode(s.encode); err != nil {
		return nil, err
	}
	if m.own {
		s.describe(spec, unlabelled)
	}
	s.features, s.Labels.X = conventions.Features, nil // view encodes features by the training rows of a fold
	if len(s.Labels.Classes) > 0 {
		s.task = rfm.Classification
	}
	s.digest = s.computeDigest()
	if err := s.sample(spec); err != nil {
		return nil, err
	}
	if conventions.Imputed > 0 {
		s.addNote("%d missing values were replaced by the mean or the mode of the training rows", conventions.Imputed)
	}
	return s, s.check(spec)
}

// addNote adds a remark on the table, unless it is there already.
func (s *Set) addNote(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// columnNames lists the columns of a table.
func columnNames(t *table.Table) string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return words.Names(names, shownColumns)
}

// shownColumns is the number of columns that a text names.
const shownColumns = 8

// dropRows takes out the rows without a target, unless there are published splits or no row has one, and returns their number.
func (s *Set) dropRows(target int) int {
	labelled := s.table.RowsWith(target)
	if len(labelled) == 0 || s.published != nil {
		return 0
	}
	n := s.table.Rows - len(labelled)
	s.table.Keep(labelled)
	s.addNote("%s without a target left out", words.Count(n, "row"))
	return n
}

// describe says which column is predicted, how it was chosen, and what is left out.
func (s *Set) describe(spec Spec, unlabelled int) {
	s.about = "Target: " + s.Labels.Target
	switch {
	case spec.Target != "":
	case strings.EqualFold(s.Labels.Target, "class"):
		s.about += ", by its name; --target names another"
	default:
		s.about += ", the last column; --target names another"
	}
	if s.dropped != nil {
		s.about += ". Left out, since they name the rows: " + words.Some(s.dropped, shownColumns)
	}
	if unlabelled > 0 {
		s.about += ". Left out: " + words.Count(unlabelled, "row") + " without a target"
	}
}

// dropNames drops nominal columns with more categories than half of the rows. Such columns name the
// rows, and one-hot encoding would make a feature of every name.
func (s *Set) dropNames(target int) {
	for i, c := range s.table.Columns {
		if i != target && c.Kind == table.Nominal && 2*len(c.Categories) > s.table.Rows {
			s.encode.Ignore = append(s.encode.Ignore, c.Name)
			s.dropped = append(s.dropped, c.Name)
			s.addNote("the column %q names the rows (%d names) and is left out", c.Name, len(c.Categories))
		}
	}
}

// sample draws as many rows as the spec wants, stratified by class.
func (s *Set) sample(spec Spec) error {
	n := s.table.Rows
	for i := range n {
		s.rows = append(s.rows, i)
	}
	if spec.Rows == 0 || spec.Rows >= n {
		return nil
	}
	split, err := s.Labels.Split(table.Fractions{Train: float64(spec.Rows) / float64(n)}, spec.Seed)
	if err != nil {
		return err
	}
	s.rows = split.Train
	s.addNote("%d of %d rows, drawn by seed in proportion to the classes", len(s.rows), n)
	return nil
}

// check returns an input error if the protocol cannot be run on the table.
func (s *Set) check(spec Spec) error {
	first := s.Labels.Y[s.rows[0]]
	varies := slices.ContainsFunc(s.rows, func(i int) bool { return s.Labels.Y[i] != first })
	switch {
	case s.task == rfm.Regression && spec.Protocol == UciProtocol:
		return input.Errorf("its target %q is numeric: the protocol of the 121 sets classifies; --classify "+
			"treats whole numbers as classes, --protocol grinsztajn does regressions", s.Labels.Target)
	case !varies && s.task == rfm.Classification:
		return input.Errorf("all %d rows are of the class %s: there is nothing to learn", len(s.rows),
			s.Labels.Classes[int(first)])
	case !varies:
		return input.Errorf("the target %q of all %d rows is %g", s.Labels.Target, len(s.rows), first)
	}
	return nil
}

// classes returns the number of classes, 0 for a regression.
func (s *Set) classes() int { return len(s.Labels.Classes) }

// Measure returns the measure of the scores: accuracy or r2.
func (s *Set) Measure() string {
	if s.task == rfm.Classification {
		return "accuracy"
	}
	return "r2"
}

// targets returns the targets of rows, n×outputs: one-hot classes, or numbers.
func (s *Set) targets(rows []int) *mat.Dense {
	if s.task == rfm.Regression {
		y := mat.NewDense(len(rows), 1, nil)
		for i, r := range rows {
			y.Set(i, 0, s.Labels.Y[r])
		}
		return y
	}
	labels := make([]int, len(rows))
	for i, r := range rows {
		labels[i] = int(s.Labels.Y[r])
	}
	return rfm.OneHot(labels, s.classes())
}

// view returns the features of all rows, n×features. The values that replace missing ones, and the
// transform of numeric columns ("standard", "quantile", or "" for none), are fitted on the training
// rows.
func (s *Set) view(train []int, columns string) (*mat.Dense, error) {
	o := s.encode
	o.Rows = train
	set, conventions, err := s.table.Encode(o)
	if err != nil {
		return nil, err
	}
	selected := table.Selected{Columns: conventions.Numeric}
	switch columns {
	case "":
		return set.X, nil
	case "standard":
		selected.Transform = &table.Standard{}
	case "quantile":
		selected.Transform = &table.Quantile{Normal: true}
	}
	if err := selected.Fit(set.X, train); err != nil {
		return nil, err
	}
	selected.Apply(set.X)
	return set.X, nil
}

// scaleToSphere returns a copy of the rows, scaled to norm 1.
func scaleToSphere(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	new(table.UnitSphere).Apply(out)
	return out
}

// computeDigest returns a digest of everything in the table that results depend on.
func (s *Set) computeDigest() string {
	h := sha256.New()
	for _, c := range s.table.Columns {
		fmt.Fprintf(h, "%q %v %q\n", c.Name, c.Kind, c.Categories)
		for _, v := range c.Values {
			hashNumber(h, math.Float64bits(v))
		}
		for _, v := range c.Codes {
			hashNumber(h, uint64(v))
		}
		for i := range c.Missing {
			if c.Missing[i] {
				hashNumber(h, uint64(i))
			}
		}
	}
	if p := s.published; p != nil {
		fmt.Fprint(h, p.Tuning, p.Folds, p.Test)
	}
	fmt.Fprint(h, s.Labels.Target, s.Labels.Classes)
	return hex.EncodeToString(h.Sum(nil))
}

func hashNumber(h hash.Hash, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	_, _ = io.Writer(h).Write(b[:]) // a hash takes everything
}
