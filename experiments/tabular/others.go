package tabular

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Others are results of methods that another program ran, as a record keeps them.
type Others struct {
	File    string   `json:"file"` // its path
	SHA256  string   `json:"sha256"`
	Methods []string `json:"methods"`
	// Scores holds, for every dataset of the file, the scores in the order of Methods; nil is missing.
	Scores map[string][]*float64 `json:"scores"`
}

// OpenOthers reads results of other methods from a CSV file, as [ReadResults] does, with the digest of the file.
func OpenOthers(file string) (*Others, error) {
	results, digest, err := openResults(file)
	if err != nil {
		return nil, err
	}
	o := &Others{File: file, SHA256: digest, Methods: results.Methods, Scores: map[string][]*float64{}}
	for i, name := range results.Datasets {
		row := make([]*float64, len(o.Methods))
		for j, v := range results.Scores[i] {
			if !math.IsNaN(v) {
				row[j] = record.Ptr(v)
			}
		}
		o.Scores[name] = row
	}
	return o, nil
}

// readDigest reads results, and returns the SHA-256 of what it read.
func readDigest(file string, r io.Reader) (*Results, string, error) {
	h := sha256.New()
	results, err := ReadResults(file, io.TeeReader(r, h)) // reads all there is
	return results, hex.EncodeToString(h.Sum(nil)), err
}

// Add adds the methods of others. It matches datasets by name, and leaves out those that the results do not have.
func (r *Results) Add(o *Others) {
	if r.From == nil {
		r.From = make([]string, len(r.Methods))
	}
	for _, m := range o.Methods {
		r.Methods, r.From = append(r.Methods, m), append(r.From, shortPath(o.File))
	}
	for i, name := range r.Datasets {
		row := slices.Clone(r.Scores[i])
		for j := range o.Methods {
			v := math.NaN()
			if scores := o.Scores[name]; scores != nil {
				v = record.ValueOrNaN(scores[j])
			}
			row = append(row, v)
		}
		r.Scores[i] = row
	}
}

// shortPath returns a file with its folder, since many files are called results.csv.
func shortPath(file string) string {
	dir, name := filepath.Split(file)
	if dir == "" {
		return name
	}
	return path.Join(filepath.Base(dir), name)
}

// checkMethods returns an input error if a method of others has the name of a present method.
func (o *Others) checkMethods(present []string) error {
	for _, m := range o.Methods {
		if slices.Contains(present, m) {
			return input.Errorf("%s has a method %s, and so have the results before it: give one of them another name",
				o.File, m)
		}
	}
	return nil
}

// names returns the datasets of a file, sorted.
func (o *Others) names() (names []string) {
	for name := range o.Scores {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// scale returns the largest score, which tells percentages from fractions. R² has no lower bound.
func (r *Results) scale() (most float64) {
	for _, row := range r.Scores {
		for _, v := range row {
			if !math.IsNaN(v) {
				most = max(most, v)
			}
		}
	}
	return most
}

// openOthers reads the results of other methods for a benchmark. It returns an input error if a file has a method whose
// name is taken, a dataset that is not among the benchmark's tables, or a score above 1.
func (t *Benchmark) openOthers(files []string) (all []Others, err error) {
	selected, err := t.Spec.datasetFilter()
	if err != nil {
		return nil, err
	}
	present := slices.Clone(t.Spec.Methods)
	for _, file := range files {
		o, err := OpenOthers(file)
		if err != nil {
			return nil, err
		}
		if err := o.checkMethods(present); err != nil {
			return nil, err
		}
		present = append(present, o.Methods...)
		if err := t.checkScores(o, selected); err != nil {
			return nil, err
		}
		all = append(all, *o)
	}
	return all, nil
}

// checkScores returns an input error for scores above 1, and for scores on other tables than the benchmark's. It
// ignores tables that --datasets does not select.
func (t *Benchmark) checkScores(o *Others, selected func(name string) bool) error {
	matched := 0
	for _, name := range o.names() {
		if !slices.ContainsFunc(t.Members, func(m Member) bool { return m.Name == name }) {
			if selected(name) {
				return input.Errorf("--others %s: %q is no table of %s, which has %s", o.File, shorten(name),
					t.Spec.Benchmark, listNames(t.Members))
			}
			continue
		}
		matched++
		for j, v := range o.Scores[name] {
			if v != nil && *v > 1 {
				return input.Errorf("--others %s: %s of %s on %s: want an accuracy of at most 1, not in percent, or R²",
					o.File, strconv.FormatFloat(*v, 'g', -1, 64), o.Methods[j], name)
			}
		}
	}
	if matched == 0 {
		return input.Errorf("--others %s has results on none of the tables that --datasets selects", o.File)
	}
	return nil
}

// listNames lists the first tables of a benchmark.
func listNames(members []Member) string {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	return words.Some(names, 5)
}

// merge adds the results of other files to those of the first. It returns an input error if a file shares no dataset
// with the first, has a method whose name is taken, or has fractions where the first has percentages, or the other way
// round.
func (r *Results) merge(first string, others []Others) error {
	r.From = slices.Repeat([]string{shortPath(first)}, len(r.Methods))
	scale := r.scale()
	for i := range others {
		o := &others[i]
		if err := o.checkMethods(r.Methods); err != nil {
			return err
		}
		if !slices.ContainsFunc(o.names(), func(name string) bool { return slices.Contains(r.Datasets, name) }) {
			return input.Errorf("%s and %s have no dataset in common: datasets are matched by name, of which they have %s "+
				"and %s", o.File, first, shorten(o.names()[0]), shorten(r.Datasets[0]))
		}
		r.addDatasets(o)
		r.Add(o)
		last := &Results{Scores: lastColumns(r.Scores, len(o.Methods))}
		if most := last.scale(); most > 1.5 != (scale > 1.5) {
			return input.Errorf("%s has scores of up to %g, and %s of up to %g: give both as fractions, or both in percent",
				o.File, most, first, scale)
		}
	}
	return nil
}

// addDatasets adds the datasets that only others have, on which the methods so far have no score.
func (r *Results) addDatasets(o *Others) {
	for _, name := range o.names() {
		if !slices.Contains(r.Datasets, name) {
			r.Datasets = append(r.Datasets, name)
			r.Scores = append(r.Scores, slices.Repeat([]float64{math.NaN()}, len(r.Methods)))
		}
	}
}

// lastColumns returns the last n scores of every dataset.
func lastColumns(scores [][]float64, n int) (last [][]float64) {
	for _, row := range scores {
		last = append(last, row[len(row)-n:])
	}
	return last
}

// othersFacts says where the results of others are from.
func othersFacts(others []Others) (facts []report.Fact) {
	for _, o := range others {
		facts = append(facts, report.Fact{Name: "others", Value: fmt.Sprintf("%s, from %s, SHA-256 %s",
			strings.Join(o.Methods, ", "), shortPath(o.File), o.SHA256)})
	}
	return facts
}
