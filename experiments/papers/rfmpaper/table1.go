package rfmpaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/papers/theory"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// ConnectionsSpec says how precisely the settings of rfm's Table 1 are checked. In each of them the feature matrix of
// a network is an expected gradient outer product.
type ConnectionsSpec struct {
	theory.Spec
}

// table1 returns the settings of the theory.
func table1() *study.Experiment {
	e := &study.Experiment{
		ID: "rfm/table1", Paper: "rfm", Figure: "Table 1",
		Title: "Settings that connect the expected gradient outer product with the feature matrix",
		About: study.About{
			Done: "Every row of the table is a theorem or a proposition, checked as ansatz run theory checks it, " +
				"with weights, inputs and targets drawn by the seed.",
			Deviations: []string{
				"The outer layers of Theorem 1 are drawn and stay fixed, so that the gradient independence " +
					"ansatz is not used.",
			},
			Conventions: []string{
				"Exact statements have to hold to rounding in float64. For limits of infinite width the error " +
					"has to fall at the stated rate, k^−½: the slope of log error against log width.",
				"Gradient descent is computed by pullbacks, and gradient outer products by package graph. Where " +
					"a statement is about any number of steps or any initialisation of the first layer, that " +
					"layer has weights of low rank, as training might leave them.",
			},
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      &ConnectionsSpec{theory.Spec{Widths: []int{16, 64}, Draws: 20, Dims: []int{4}}},
			study.Small:      connectionsSpec(),
			study.PaperScale: connectionsSpec(),
		},
	}
	for _, c := range connections {
		for _, s := range c.checked {
			e.Claims = append(e.Claims, s.claim)
		}
	}
	return e
}

// connectionsSpec returns the settings of scales small and paper, which take about a minute.
func connectionsSpec() *ConnectionsSpec {
	return &ConnectionsSpec{theory.Spec{Widths: []int{16, 64, 256, 1024, 4096}, Draws: 400, Dims: []int{4}}}
}

// connection is a row of Table 1, in the columns of the table, with the statements that are checked for it.
type connection struct {
	result, activation, steps, depth, outer, initialisation, independence string

	checked []checkedStatement
}

// checkedStatement is a statement of the theory, with the claim about its number: a relative error,
// or the slope of log error against log width.
type checkedStatement struct {
	statement string // its name
	kind      study.Kind
	claim     study.Claim
}

// connections are the rows of the table as the paper prints them.
var connections = []connection{
	{"Theorem 1", "ReLU", "any", "any", "fixed, i.i.d.", "any", "yes", []checkedStatement{
		{"Theorem 1", study.AsPrinted, study.NewMeasure("theorem1").Claim(
			"As paper rfm's Theorem 1 implies, the error of a network's W₁ᵀW₁/k₁ as expected gradient outer "+
				"product falls with the width of the outer layers as k^−½: slope.",
			"equal as k₂, … → ∞", theory.AsInverseRoot)},
	}},
	{"Proposition 3", "ReLU", "any", "2", "re-sampled, i.i.d.", "any", "no", []checkedStatement{
		{"Proposition 3", study.AsPrinted, study.NewMeasure("proposition3").Claim(
			"As paper rfm's Proposition 3 says, a network's W₁ᵀW₁/k is the expected gradient outer product at "+
				"any width: relative error.",
			"equal", theory.Exact)},
		{"Proposition 3, sampled", study.Besides, study.NewMeasure("proposition3_sampled").Check(
			"In the setting of paper rfm's Proposition 3, the error of W₁ᵀW₁/k as gradient outer product falls "+
				"as k^−½ if outer weights are drawn k times: slope.", theory.AsInverseRoot)},
		{"Proposition 3, one network", study.Besides, study.NewMeasure("proposition3_one").Check(
			"In the setting of paper rfm's Proposition 3, the error of W₁ᵀW₁/k as gradient outer product of a "+
				"single network does not fall with the width: slope.", study.Within(0, .15))},
	}},
	{"Proposition 4", "linear", "any", "2", "fixed, i.i.d.", "zero", "no", []checkedStatement{
		{"Proposition 4", study.AsPrinted, study.NewMeasure("proposition4").Claim(
			"As paper rfm's Proposition 4 implies, the error of a network's BᵀB as gradient outer product after "+
				"several steps falls as k^−½: slope.",
			"equal as k → ∞", theory.AsInverseRoot)},
		{"Proposition 4 at any width", study.Besides, study.NewMeasure("proposition4_proportional").Check(
			"In the setting of paper rfm's Proposition 4, BᵀB and the gradient outer product are proportional at "+
				"any width: relative error.", theory.Exact)},
	}},
	{"Proposition 5", "linear", "2 steps", "2", "trainable, i.i.d.", "zero", "no", []checkedStatement{
		{"Proposition 5", study.AsPrinted, study.NewMeasure("proposition5").Claim(
			"As paper rfm's Proposition 5 implies, the error of a network's BᵀB as gradient outer product after "+
				"2 steps on both layers falls as k^−½: slope.",
			"equal as k → ∞", theory.AsInverseRoot)},
	}},
}

// Run implements Spec.
func (s *ConnectionsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if in.Dry() {
		return nil, in.AddJobs(s.ConnectionJobs(), nil)
	}
	found, err := s.CheckConnections(ctx, in)
	if err != nil {
		return nil, err
	}
	type row struct {
		connection
		checkedStatement
		number float64
	}
	var rows []row
	o := &study.Outcome{Charts: []study.Chart{found.Errors}}
	for _, c := range connections {
		for _, checked := range c.checked {
			number, err := found.Number(checked.statement, checked.kind)
			if err != nil {
				return nil, err
			}
			o.Set(checked.claim.Measure, number)
			rows = append(rows, row{c, checked, number})
		}
	}
	o.Tables = []report.Table{record.TableOf("settings",
		"The settings as the paper prints them, and the measurement in each: a relative error, or the slope of "+
			"log error against log width, which is −½ if the error falls as k^−½. Exact statements have an error "+
			"of 0 up to rounding, below 1e-10.", rows,
		record.TextField("result", func(r row) string { return r.result }),
		record.TextField("activation", func(r row) string { return r.activation }),
		record.TextField("steps", func(r row) string { return r.steps }),
		record.TextField("depth", func(r row) string { return r.depth }),
		record.TextField("outer layers", func(r row) string { return r.outer }),
		record.TextField("initialisation", func(r row) string { return r.initialisation }),
		record.TextField("GIA required", func(r row) string { return r.independence }),
		record.TextField("checked", func(r row) string { return r.statement }),
		record.NumberField("number", "%.4f", func(r row) float64 { return r.number }),
		record.TextField("threshold", func(r row) string { return r.claim.Holds.String() }))}
	return o, nil
}
