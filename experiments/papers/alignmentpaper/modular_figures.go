package alignmentpaper

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
)

func (s networkScores) train() float64    { return s.Train }
func (s networkScores) test() float64     { return s.Test }
func (s machineState) place() float64     { return float64(s.Iteration) }
func (s machineState) train() float64     { return s.Train.Accuracy }
func (s machineState) test() float64      { return s.Test.Accuracy }
func (s machineState) testMSE() float64   { return s.Test.MSE }
func (s machineState) circulant() float64 { return s.circularity.Circulant }
func (s machineState) hankel() float64    { return s.circularity.Hankel }
func (s machineState) null() float64      { return s.circularity.Null }
func (s machineState) like() float64      { return s.alignment }
func (s machineState) likeNull() float64  { return s.alignmentNull }

// chance is the accuracy of guessing.
func (f *modularFound) chance() float64 { return 1 / float64(f.spec.Modulus) }

// labelsName names curves of tests with random labels.
const labelsName = "test, random labels"

// draw adds all tables, charts and figures.
func (f *modularFound) draw() error {
	f.drawMachineCharts()
	f.drawNetworkCharts()
	f.drawSpectra()
	f.addTables()
	if err := f.drawMachineFeatures(); err != nil {
		return err
	}
	return f.drawNetworkFeatures()
}

// constant returns a horizontal line over the x values of another curve.
func constant(label string, like report.Series, y float64) report.Series {
	s := report.Series{Label: label, X: like.X}
	for range like.X {
		s.Y = append(s.Y, y)
	}
	return s
}

// drawMachineCharts adds the curves of the recursive feature machine.
func (f *modularFound) drawMachineCharts() {
	all, labels := f.addition.machine, f.labels.machine
	curve := func(label string, rows []machineState, y func(machineState) float64) report.Series {
		return record.SeriesOf(label, rows, machineState.place, y)
	}
	train := curve("training", all, machineState.train)
	const x = "iteration"
	f.out.Charts = append(f.out.Charts,
		study.Chart{
			Name: "rfm-accuracy", Title: "Recursive feature machine", XLabel: x, YLabel: "accuracy",
			Caption: "Accuracy by iteration. The training accuracy is 100 % throughout; chance is 1/p.",
			Series: []report.Series{train, curve("test", all, machineState.test),
				curve(labelsName, labels, machineState.test), constant("chance", train, f.chance())},
		},
		study.Chart{
			Name: "rfm-loss", Title: "Recursive feature machine", XLabel: x, YLabel: "mean squared error on test pairs",
			Caption: "The mean squared error on test pairs, over all outputs.",
			Series: []report.Series{curve("addition", all, machineState.testMSE),
				curve("random labels", labels, machineState.testMSE)},
		},
		study.Chart{
			Name: "rfm-circulant", Title: "Block of M", XLabel: x, YLabel: "circulant deviation",
			Caption: "How far the block of M is from constant along a − b, and along a + b: its circulant deviations. The " +
				"null is the lesser of both with the rows and columns of the block permuted.",
			Series: []report.Series{curve("along a − b", all[1:], machineState.circulant),
				curve("along a + b", all[1:], machineState.hankel),
				curve("random labels, the lesser", labels[1:], func(s machineState) float64 { return s.circularity.least() }),
				curve("null", all[1:], machineState.null)},
		},
		study.Chart{
			Name: "rfm-alignment", Title: "M and the last M", XLabel: x, YLabel: "cosine similarity",
			Caption: "Cosine of M with the last M. The null has the values of a and of b renamed at random.",
			Series:  []report.Series{curve("M", all, machineState.like), curve("null", all, machineState.likeNull)},
		})
}

// drawNetworkCharts adds the curves of the network. The logarithmic axis of steps leaves out the state before the
// first step.
func (f *modularFound) drawNetworkCharts() {
	const x = "log₁₀ steps"
	place := func(epoch int) float64 { return math.Log10(float64(epoch * f.stepsPerEpoch())) }
	scores := func(label string, c *followed, y func(networkScores) float64) report.Series {
		s := report.Series{Label: label}
		for epoch, v := range c.Scores {
			if epoch > 0 {
				s.X, s.Y = append(s.X, place(epoch)), append(s.Y, y(v))
			}
		}
		return s
	}
	features := func(label string, y func(networkFeatures) float64) report.Series {
		s := report.Series{Label: label}
		for _, v := range f.addition.net.Features {
			if v.Epoch > 0 {
				s.X, s.Y = append(s.X, place(v.Epoch)), append(s.Y, y(v))
			}
		}
		return s
	}
	net, labels := f.addition.net, f.labels.net
	train := scores("training", net, networkScores.train)
	f.out.Charts = append(f.out.Charts,
		study.Chart{
			Name: "network-accuracy", Title: "Network of squares", XLabel: x, YLabel: "accuracy",
			Caption: "Accuracy after every epoch. With random labels the network fits its training pairs too, which is not drawn.",
			Series: []report.Series{train, scores("test", net, networkScores.test), scores(labelsName, labels, networkScores.test),
				constant("chance", train, f.chance())},
		},
		study.Chart{
			Name: "network-circulant", Title: "Blocks of the first layer", XLabel: x, YLabel: "circulant deviation",
			Caption: "Circulant deviations of the blocks of W₁ᵀW₁ and of AGOP^½. The null is the lesser of both with the rows " +
				"and columns of the block of W₁ᵀW₁ permuted.",
			Series: []report.Series{
				features("W₁ᵀW₁ along a − b", func(n networkFeatures) float64 { return n.Filters.Circulant }),
				features("W₁ᵀW₁ along a + b", func(n networkFeatures) float64 { return n.Filters.Hankel }),
				features("AGOP^½ along a − b", func(n networkFeatures) float64 { return n.AGOP.Circulant }),
				features("AGOP^½ along a + b", func(n networkFeatures) float64 { return n.AGOP.Hankel }),
				features("null", func(n networkFeatures) float64 { return n.Filters.Null }),
			},
		})
	f.drawAlignments(x, features)
}

// alignmentCharts are the statements that a chart shows together.
var alignmentCharts = []struct {
	name, title string
	statements  []string
}{
	{"outputs", "Statements about the AGOP of the outputs", []string{cnfa.NFA, "nfa^0.25", rootName, cnfa.FittedNFA,
		cnfa.CentredNFA, cnfa.Commutator}},
	{"loss", "Statements about gradients of the loss", []string{cnfa.LossAGOP, cnfa.FACT, cnfa.BackFACT,
		cnfa.ForwardGWA, cnfa.ForwardRGA, cnfa.BackRGA}},
	{"inputs", "Statements about the inputs", []string{cnfa.InputCov, cnfa.ForwardRWA}},
}

// drawAlignments adds the alignments of the first layer: those with the AGOP and its root with their nulls, and the
// excess of all statements.
func (f *modularFound) drawAlignments(x string,
	features func(label string, y func(networkFeatures) float64) report.Series) {
	number := func(name string, of func(similarity.AlignmentRecord) *float64) func(networkFeatures) float64 {
		return func(n networkFeatures) float64 {
			for _, a := range n.Alignments {
				if a.Name == name {
					return record.ValueOrNaN(of(a))
				}
			}
			return math.NaN()
		}
	}
	value := func(a similarity.AlignmentRecord) *float64 { return a.Value }
	null := func(a similarity.AlignmentRecord) *float64 { return a.Null }
	var pairs []report.Series
	for _, name := range []string{cnfa.NFA, rootName} {
		pairs = append(pairs, features(name, number(name, value)), features("null of "+name, number(name, null)))
	}
	f.out.Charts = append(f.out.Charts, study.Chart{
		Name: "network-nfa", Title: "W₁ᵀW₁ and the AGOP", XLabel: x, YLabel: "Pearson correlation",
		Caption: "Alignment of W₁ᵀW₁ with the AGOP (nfa) and with its root (nfa^0.5). The nulls turn W₁'s directions among " +
			"the filters at random.",
		Series: pairs,
	})
	for _, c := range alignmentCharts {
		var curves []report.Series
		for _, name := range c.statements {
			curves = append(curves, features(name,
				number(name, func(a similarity.AlignmentRecord) *float64 { return a.NormalisedExcess })))
		}
		f.out.Charts = append(f.out.Charts, study.Chart{
			Name: "network-" + c.name, Title: c.title, XLabel: x, YLabel: "normalised excess",
			Caption: "By how much each alignment of the first layer exceeds its null, as a share of what is possible; values " +
				"and nulls are in the table of alignments, which says what each name stands for.",
			Series: curves,
		})
	}
}

// stepsPerEpoch returns the number of steps of an epoch.
func (f *modularFound) stepsPerEpoch() int { return f.addition.net.mlp.Batches.Steps() }

// drawSpectra adds the shares of the blocks' squares by frequency.
func (f *modularFound) drawSpectra() {
	machine, labels := f.addition.machine, f.labels.machine
	var all []report.Series
	for _, b := range []struct {
		label string
		block mat.Matrix
	}{
		{"M of the RFM, iteration 1", crossBlock(machine[1].M.Dense())},
		{"M of the RFM, last", crossBlock(machine[len(machine)-1].M.Dense())},
		{"W₁ᵀW₁ of the network", f.addition.net.lastBlock()},
		{"RFM, random labels", crossBlock(labels[len(labels)-1].M.Dense())},
	} {
		s := report.Series{Label: b.label}
		for k, v := range leastDirection(b.block).frequencyShares(b.block) {
			s.X, s.Y = append(s.X, float64(k)), append(s.Y, v)
		}
		all = append(all, s)
	}
	f.out.Charts = append(f.out.Charts, study.Chart{
		Name: "spectrum", Title: "Frequencies of the blocks", XLabel: "frequency", YLabel: "share of the sum of squares",
		Caption: "Shares of the sum of squares of a block that lie in the frequencies of the nearest circulant matrix. They " +
			"add up to 1 less the circulant deviation.",
		Series: all,
	})
}

// blockPanel returns a block as a panel of heat maps, with the values of b beside it and those of a below.
func blockPanel(title string, a *mat.Dense) report.Matrix {
	p, _ := a.Dims()
	return report.Matrix{Title: title, Rows: p, Cols: p, Data: slices.Clone(a.RawMatrix().Data), RowNames: values(p),
		ColNames: values(p)}
}

// values returns the names of the values 0 to p − 1.
func values(p int) (names []string) {
	for k := range p {
		names = append(names, strconv.Itoa(k))
	}
	return names
}

// drawMachineFeatures adds the blocks of M as heat maps: at the first and the last iteration, when the test accuracy
// first exceeds chance, and half-way before and after that.
func (f *modularFound) drawMachineFeatures() error {
	all := f.addition.machine
	h := min(hidden(all, chanceLimit(f.spec.Modulus)), len(all)-1)
	shown := []int{1, (1 + h) / 2, h, (h + len(all) - 1) / 2, len(all) - 1}
	slices.Sort(shown)
	var panels []report.Matrix
	for _, k := range slices.Compact(shown) {
		if k == 0 {
			continue // for M = I the block is 0
		}
		block := crossBlock(all[k].M.Dense())
		f.out.Matrices[fmt.Sprintf("rfm-block-%d", k)] = block
		panels = append(panels, blockPanel(fmt.Sprintf("M, iteration %d, test %.0f %%", k, 100*all[k].Test.Accuracy), block))
	}
	last := all[len(all)-1].M.Dense()
	whole := record.MatrixPanel("M, last iteration, whole", last)
	whole.Blocks = f.spec.Modulus
	whole.RowNames = slices.Repeat(values(f.spec.Modulus), 2)
	whole.ColNames = whole.RowNames
	panels = append(panels, whole)
	labels := f.labels.machine
	panels = append(panels, blockPanel("M, random labels, last iteration", crossBlock(labels[len(labels)-1].M.Dense())))
	f.out.Matrices["rfm-last"] = mat.DenseCopyOf(last)
	return f.addHeatMaps("rfm-features", panels, "The lower left block of M = AGOP^½ by iteration, a row for each value "+
		"of b and a column for each of a; the whole of the last M; and the block after the last iteration on random labels.",
		"Heat maps of blocks of M: noise at first, even diagonals at last, noise with random labels")
}

// lastBlock returns the block of W₁ᵀW₁ after the last epoch.
func (f *followed) lastBlock() *mat.Dense {
	return crossBlock(cnfa.CNFM(setups.FirstFilters(f.mlp.Net)))
}

// drawNetworkFeatures adds the blocks of the network as heat maps.
func (f *modularFound) drawNetworkFeatures() error {
	net, p := f.addition.net, f.spec.Modulus
	panels := []report.Matrix{blockPanel("W₁ᵀW₁ before training", crossBlock(cnfa.CNFM(setups.FirstFilters(net.mlp.Initial))))}
	if net.Fitted != nil {
		panels = append(panels, blockPanel("W₁ᵀW₁, training pairs fitted", mat.NewDense(p, p, net.Fitted)))
	}
	agop := mat.NewDense(p, p, net.Features[len(net.Features)-1].AGOPBlock)
	f.out.Matrices["network-block"], f.out.Matrices["network-agop-block"] = net.lastBlock(), agop
	panels = append(panels, blockPanel("W₁ᵀW₁, last epoch", net.lastBlock()), blockPanel("AGOP^½, last epoch", agop),
		blockPanel("W₁ᵀW₁, random labels, last epoch", f.labels.net.lastBlock()))
	return f.addHeatMaps("network-features", panels, "The lower left block of W₁ᵀW₁ of the network, a row for each "+
		"value of b and a column for each of a, and that of its AGOP^½.",
		"Heat maps of blocks of W₁ᵀW₁: noise at first, diagonals at last, noise with random labels")
}

func (f *modularFound) addHeatMaps(name string, panels []report.Matrix, caption, alt string) error {
	figure, err := report.HeatMaps(name, panels)
	figure.Caption, figure.Alt = caption, alt
	f.out.Figures = append(f.out.Figures, figure)
	return err
}

// addTables adds the iterations and the network's measurements.
func (f *modularFound) addTables() {
	net, steps := f.addition.net, f.stepsPerEpoch()
	f.out.Tables = append(f.out.Tables, record.TableOf("iterations",
		"The recursive feature machine, iteration by iteration; accuracies in percent.", f.addition.machine,
		record.TextField("iteration", func(s machineState) string { return fmt.Sprint(s.Iteration) }),
		record.TextField("solved by", func(s machineState) string { return s.Solved }),
		record.PercentField("training", machineState.train), record.PercentField("test", machineState.test),
		record.NumberField("test MSE", "%.5f", machineState.testMSE),
		record.NumberField("deviation along a − b", "%.3f", machineState.circulant),
		record.NumberField("along a + b", "%.3f", machineState.hankel),
		record.NumberField("null", "%.3f", machineState.null),
		record.NumberField("cosine with the last M", "%.3f", machineState.like),
		record.NumberField("its null", "%.3f", machineState.likeNull)))
	fields := []record.Field[networkFeatures]{
		record.TextField("epoch", func(n networkFeatures) string { return fmt.Sprint(n.Epoch) }),
		record.TextField("steps", func(n networkFeatures) string { return fmt.Sprint(n.Epoch * steps) }),
		record.PercentField("training", func(n networkFeatures) float64 { return net.Scores[n.Epoch].Train }),
		record.PercentField("test", func(n networkFeatures) float64 { return net.Scores[n.Epoch].Test }),
		record.NumberField("deviation of W₁ᵀW₁", "%.3f", func(n networkFeatures) float64 { return n.Filters.least() }),
		record.NumberField("null", "%.3f", func(n networkFeatures) float64 { return n.Filters.Null }),
		record.NumberField("of AGOP^½", "%.3f", func(n networkFeatures) float64 { return n.AGOP.least() }),
		record.NumberField("its null", "%.3f", func(n networkFeatures) float64 { return n.AGOP.Null }),
	}
	f.out.Tables = append(f.out.Tables, record.TableOf("network", "The network while it trains; accuracies in percent, "+
		"and circulant deviations of the blocks with their nulls.", net.Features, fields...), f.alignmentsTable())
}

// alignmentsTable returns all alignments before training, when the training pairs were fitted, when the test pairs were,
// and after the last epoch.
func (f *modularFound) alignmentsTable() report.Table {
	net := f.addition.net
	last := len(net.Features) - 1
	after := func(epoch float64) int { // the first measurement at or after an epoch
		for i, n := range net.Features {
			if float64(n.Epoch) >= epoch {
				return i
			}
		}
		return last
	}
	times := []struct {
		name string
		at   int
	}{
		{"before", 0}, {"fitted", after(net.firstAt(networkScores.train))},
		{"generalised", after(net.firstAt(networkScores.test))}, {"last", last},
	}
	fields := []record.Field[int]{
		record.TextField("alignment", func(i int) string { return net.Features[0].Alignments[i].Name }),
	}
	for _, t := range times {
		at := net.Features[t.at].Alignments
		fields = append(fields,
			record.NumberField(t.name, "%.3f", func(i int) float64 { return record.ValueOrNaN(at[i].Value) }),
			record.NumberField("null "+t.name, "%.3f", func(i int) float64 { return record.ValueOrNaN(at[i].Null) }))
	}
	fields = append(fields, record.TextField("says", func(i int) string {
		s, err := cnfa.LookupStatement(net.Features[0].Alignments[i].Name)
		if err != nil {
			return ""
		}
		return fmt.Sprintf("%s (%s)", s.Says, s.Source)
	}))
	var rows []int
	for i := range net.Features[0].Alignments {
		rows = append(rows, i)
	}
	return record.TableOf("alignments", "Alignments of the first layer with their nulls: before training, at the first "+
		"measurement after 99 % of the training pairs were fitted, at the first after 99 % of the test pairs were, and after "+
		"the last epoch. Statements about a loss take the cross-entropy. W₁ᵀW₁ and AGOP commute where that number is 0.",
		rows, fields...)
}
