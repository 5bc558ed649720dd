package energypaper

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
)

// addMatrices adds the correlations of all networks, after and before training, with each other, as
// Figs. 10 to 15 have them: on all components, and on those in the middle where a pair asks for it.
func addMatrices(found []*profiledNet, pairs []comparedPair, o *study.Outcome) error {
	if err := addMatrix(found, 0, 0, "", o); err != nil {
		return err
	}
	for _, c := range pairs {
		if c.From > 0 {
			return addMatrix(found, c.From, c.To, "-middle", o)
		}
	}
	return nil
}

// addMatrix adds the correlations on the components from to to, counted from 1; on all components
// where from is 0.
func addMatrix(found []*profiledNet, from, to int, suffix string, o *study.Outcome) error {
	names, profiles, err := matrixProfiles(found, from, to)
	if err != nil {
		return err
	}
	n := len(names)
	pearson, partial := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, p := range profiles {
		for j, q := range profiles {
			s := undefinedSimilarity()
			if samePatches(found[i%len(found)], found[j%len(found)]) {
				if s, err = profileSimilarity(p, q); err != nil {
					return err
				}
			}
			pearson.Set(i, j, s.Pearson)
			partial.Set(i, j, s.Partial)
		}
	}
	on := "all components"
	if from > 0 {
		on = fmt.Sprintf("components %d to %d", from, to)
	}
	f, err := report.HeatMaps("matrix"+suffix, []report.Matrix{
		{Title: "Correlation", Rows: n, Cols: n, Data: pearson.RawMatrix().Data, Blocks: len(found)},
		{Title: "Beyond the spectrum", Rows: n, Cols: n, Data: partial.RawMatrix().Data, Blocks: len(found)},
	})
	f.Caption = fmt.Sprintf("Correlations of energy profiles on %s, and what is left of them beyond the spectrum of "+
		"the patches: %s.", on, numberNames(names))
	f.Wide = true
	o.Figures = append(o.Figures, f)
	o.Tables = append(o.Tables, matrixTable("correlations"+suffix, on, names, pearson))
	o.Matrices["profile-correlations"+suffix] = pearson
	return err
}

// samePatches says whether the profiles of two networks are on patches of one size.
func samePatches(p *profiledNet, q *profiledNet) bool {
	return p.basis.Patch == q.basis.Patch && p.basis.Channels == q.basis.Channels && p.basis.Kept == q.basis.Kept
}

// matrixProfiles returns the profiles of all networks after training, then those before training,
// with their names.
func matrixProfiles(found []*profiledNet, from, to int) (names []string, profiles []*cnfa.EnergyProfile, err error) {
	for _, p := range found {
		names, profiles = append(names, p.Name), append(profiles, p.compared)
	}
	for _, p := range found {
		names, profiles = append(names, p.Name+" before training"), append(profiles, p.initialProfile)
	}
	for i, p := range profiles {
		if from > 0 {
			if profiles[i], err = p.Range(from, to); err != nil {
				return nil, nil, input.Errorf("%s: %v", names[i], err)
			}
		}
	}
	return names, profiles, nil
}

// numberNames lists names with their numbers, counted from 1.
func numberNames(names []string) string {
	var all []string
	for i, n := range names {
		all = append(all, fmt.Sprintf("%d %s", i+1, n))
	}
	return strings.Join(all, "; ")
}

// matrixTable has a row and a column for each network.
func matrixTable(name, on string, names []string, pearson *mat.Dense) report.Table {
	t := report.Table{
		Name: name, Caption: fmt.Sprintf("Correlations of energy profiles on %s. Columns are the networks by their "+
			"numbers.", on),
		Columns: []report.Column{{Name: "network"}},
	}
	for i := range names {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprint(i + 1), Numeric: true, Help: names[i]})
	}
	for i, n := range names {
		row := []report.Cell{{Text: fmt.Sprintf("%d %s", i+1, n)}}
		for j := range names {
			row = append(row, record.CorrelationCell(pearson.At(i, j)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
