package energypaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
)

// addMatrices adds the correlations between all networks, before and after training, as in Figs. 10 to 15: on all
// components, and on those in the middle if a pair asks for it.
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

// addMatrix adds the correlations on the components from to to, counted from 1, or on all components if from is 0.
func addMatrix(found []*profiledNet, from, to int, suffix string, o *study.Outcome) error {
	var names []string
	var banks, changes []*filterBank
	for _, p := range found {
		names, banks, changes = append(names, p.Name), append(banks, p.compared), append(changes, p.change)
	}
	for _, p := range found {
		names, banks = append(names, p.Name+" before training"), append(banks, p.initial)
	}
	all, err := correlateBanks(found, banks, from, to)
	if err != nil {
		return err
	}
	changed, err := correlateBanks(found, changes, from, to)
	if err != nil {
		return err
	}
	on := "all components"
	if from > 0 {
		on = fmt.Sprintf("components %d to %d", from, to)
	}
	f, err := report.HeatMaps("matrix"+suffix, []report.Matrix{
		heatMap("Correlations, W and before training", all, names, len(found)),
		heatMap("Correlations, W − W₀", changed, names[:len(found)], len(found)),
	})
	f.Caption = fmt.Sprintf("Correlations of energy profiles on %s, of the filters W and of their change W − W₀ "+
		"by training. Weights from files have no known W₀.", on)
	f.Wide = true
	o.Figures = append(o.Figures, f)
	o.Tables = append(o.Tables, matrixTable("correlations"+suffix, on, names, all))
	o.Matrices["profile-correlations"+suffix] = all
	return err
}

// heatMap returns a matrix as a panel of a figure, with a row and a column for each name, and lines between blocks of rows.
func heatMap(title string, m *mat.Dense, names []string, blocks int) report.Matrix {
	return report.Matrix{Title: title, Rows: len(names), Cols: len(names), Data: m.RawMatrix().Data, Blocks: blocks,
		RowNames: names, ColNames: names}
}

// correlateBanks returns the correlations between the profiles of all banks, on the components from to to, or on all
// if from is 0. The banks belong to the networks found, cyclically. An element is NaN if a bank is nil, or if the two
// networks' patches differ in size.
func correlateBanks(found []*profiledNet, banks []*filterBank, from, to int) (*mat.Dense, error) {
	profiles := make([]*energy.Profile, len(banks))
	for i, b := range banks {
		if b == nil {
			continue
		}
		profiles[i] = b.profile
		if from > 0 {
			var err error
			if profiles[i], err = b.profile.Range(from, to); err != nil {
				return nil, input.Errorf("%s: %v", found[i%len(found)].Name, err)
			}
		}
	}
	m := mat.NewDense(len(banks), len(banks), nil)
	for i, p := range profiles {
		for j, q := range profiles {
			m.Set(i, j, math.NaN())
			if p == nil || q == nil || !samePatches(found[i%len(found)], found[j%len(found)]) {
				continue
			}
			s, err := profileSimilarity(p, q)
			if err != nil {
				return nil, err
			}
			m.Set(i, j, s.Pearson)
		}
	}
	return m, nil
}

// samePatches reports whether the profiles of two networks are on patches of the same size.
func samePatches(p *profiledNet, q *profiledNet) bool {
	return p.basis.Patch == q.basis.Patch && p.basis.Channels == q.basis.Channels && p.basis.Kept == q.basis.Kept
}

// matrixTable returns a table with a row and a column for each network.
func matrixTable(name, on string, names []string, correlations *mat.Dense) report.Table {
	fields := []record.Field[int]{
		record.TextField("network", func(i int) string { return fmt.Sprintf("%d %s", i+1, names[i]) }),
	}
	var rows []int
	for j, n := range names {
		rows = append(rows, j)
		fields = append(fields, record.NumberField(fmt.Sprint(j+1), "%.3f",
			func(i int) float64 { return correlations.At(i, j) }).WithHelp(n))
	}
	return record.TableOf(name, fmt.Sprintf("Correlations of energy profiles on %s. Columns are the networks by "+
		"their numbers.", on), rows, fields...)
}
