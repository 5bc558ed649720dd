package calibrate

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// WriteScale writes, as Markdown, the costs of the experiments at the scale of their papers, and how well the models
// agree with measurements that were held out.
func WriteScale(w io.Writer) error {
	devices, largest, err := cost.GPUs()
	if err != nil {
		return err
	}
	needs, total, err := scaleTable(devices)
	if err != nil {
		return err
	}
	models, err := modelTable()
	if err != nil {
		return err
	}
	checks, err := variantTable()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, `# What the scale of the papers takes

%s, with %d seeds each, on cores such as those of the machine that was measured, one thread a process.
`+"`ansatz plan all --scale paper --out DIR`"+` makes the plan, and says the same of it. Written by `+"`make scale`"+`.

`, total, study.MinSeeds)
	if err := needs.WriteMarkdown(w); err != nil {
		return err
	}
	fmt.Fprintf(w, `
The estimate of an experiment is what its seed was measured to take at scale small (`+
		"`experiments/cost/measured/costs.csv`"+`), times by how
much more its jobs take at the scale of the paper. What a job takes is a sum of terms, such as n³ of a regression on n
examples, whose weights are fitted to jobs that were measured on this machine (`+
		"`experiments/cost/points.csv`"+`). These are
of seconds, the largest jobs of the papers take days: what is said of them extrapolates the leading terms.

On a GPU a kind of job takes a fixed share of its time on one thread, and a training some time more for every layer and
step. These numbers are fitted to the few jobs that were measured on a GPU (`+
		"`experiments/cost/gpu.csv`"+`) and are within
%.0f %% of them; nothing is held back. The estimates leave out the work between the jobs. A dash says that a kind of job,
such as a tangent kernel, was not measured there. Kernel machines solve their regressions on the processor.

## How well the models agree with what was held back

Of the measured jobs some are held back: they are of other sizes, were measured once the models were made, and nothing
is fitted to them. Errors are of those, as shares of what was measured, on jobs of seconds. `+
		`A test wants all of them within 30 %%.

`, 100*largest)
	if err := models.WriteMarkdown(w); err != nil {
		return err
	}
	fmt.Fprint(w, `
## How well estimates of experiments agree

Of some experiments settings between those of smoke and small were run, to which nothing is fitted. `+
		`Tangent kernels take the
memory that there is, up to that of all gradients, of which 16 GiB are counted; decoding JPEGs is in no `+
		`estimate. Of tables
that were not at hand (rfm/fig4, fig5) the sizes were not checked.

`)
	return checks.WriteMarkdown(w)
}

// scaleTable returns a table with a row for each experiment that has its own run, with its time on GPUs, and a sentence on the
// total cost.
func scaleTable(devices []string) (t report.Table, total string, err error) {
	type row struct {
		id string
		job.Needs
		gpu map[string]float64 // seconds on a GPU, by its name
	}
	var rows []row
	var sum, most float64
	var unknown []string
	for _, e := range experiments.All() {
		if e.Of != nil || e.Absent != "" {
			continue
		}
		p, err := study.PlanRuns([]study.Run{{Experiment: e, Scale: study.PaperScale, Seeds: study.MinSeeds}}, 1, 0)
		if err != nil {
			return t, "", err
		}
		n := job.PlanNeeds(p)
		if n.Unknown > 0 {
			unknown = append(unknown, e.ID)
		}
		sum, most = sum+n.Seconds, max(most, n.Bytes)
		spec, err := e.SpecAt(study.PaperScale)
		if err != nil {
			return t, "", err
		}
		r := row{e.ID, n, map[string]float64{}}
		for _, device := range devices {
			r.gpu[device] = study.MinSeeds * study.Predicted(device, spec).Seconds
		}
		rows = append(rows, r)
	}
	fields := []record.Field[row]{
		record.TextField("experiment", func(r row) string { return r.id }),
		record.CountField("shards", func(r row) int { return r.Shards }),
		record.TextField("core time", func(r row) string { return job.KnownText(r.Seconds, record.FormatDuration) }),
		record.TextField("longest shard", func(r row) string { return job.KnownText(r.Longest, record.FormatDuration) }),
		record.TextField("memory of a process", func(r row) string { return job.KnownText(r.Bytes, words.Bytes) }),
	}
	for _, device := range devices {
		fields = append(fields, record.TextField("on one "+device, func(r row) string {
			return job.KnownText(r.gpu[device], record.FormatDuration)
		}))
	}
	t = record.TableOf("scale", "at the scale of the papers", rows, fields...)
	total = fmt.Sprintf("All %s take about %s of a core's time, and up to %s for a process",
		words.Count(len(rows), "experiment"), record.FormatDuration(sum), words.Bytes(most))
	if len(unknown) > 0 {
		total += fmt.Sprintf("; what %s takes is not known", record.Names(unknown))
	}
	return t, total, nil
}

// agreed is the largest relative error at which an estimate counts as agreeing with the measurement.
const agreed = .3

// modelTable returns a row for each kind of job.
func modelTable() (report.Table, error) {
	held, err := cost.HeldBack()
	if err != nil {
		return report.Table{}, err
	}
	fitted, err := cost.Fitted()
	if err != nil {
		return report.Table{}, err
	}
	type row struct {
		kind           string
		fitted, within int
		seconds, bytes []float64 // sizes of the relative errors
	}
	var rows []row
	var kinds []string
	for _, m := range held {
		if !slices.Contains(kinds, m.Kind) {
			kinds = append(kinds, m.Kind)
		}
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		r := row{kind: kind}
		for _, m := range held {
			if m.Kind != kind {
				continue
			}
			r.seconds, r.bytes = append(r.seconds, math.Abs(m.Seconds)), append(r.bytes, math.Abs(m.Bytes))
			if max(math.Abs(m.Seconds), math.Abs(m.Bytes)) <= agreed {
				r.within++
			}
		}
		for _, m := range fitted {
			if m.Kind == kind {
				r.fitted++
			}
		}
		rows = append(rows, r)
	}
	return record.TableOf("models", "models of jobs, on jobs that were held back", rows,
		record.TextField("kind", func(r row) string { return r.kind }),
		record.CellField("fitted", func(r row) report.Cell { return report.Cell{Text: fmt.Sprint(r.fitted)} }),
		record.CellField("held back", func(r row) report.Cell { return report.Cell{Text: fmt.Sprint(len(r.seconds))} }),
		record.CellField("time: median", func(r row) report.Cell { return record.WholePercentCell(medianOf(r.seconds)) }),
		record.CellField("time: largest", func(r row) report.Cell { return record.WholePercentCell(slices.Max(r.seconds)) }),
		record.CellField("memory: median", func(r row) report.Cell { return record.WholePercentCell(medianOf(r.bytes)) }),
		record.CellField("memory: largest", func(r row) report.Cell { return record.WholePercentCell(slices.Max(r.bytes)) }),
		record.TextField("within 30 %", func(r row) string { return fmt.Sprintf("%d of %d", r.within, len(r.seconds)) })), nil
}

// medianOf returns the median, the higher one of two.
func medianOf(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// variantTable returns a row for each measured variant.
func variantTable() (report.Table, error) {
	all, err := estimatedVariants()
	type row = estimatedVariant
	percent := func(name string, share func(row) float64) record.Field[row] {
		return record.Field[row]{Column: report.Column{Name: name, Numeric: true},
			Cell: func(r row) report.Cell { return record.SignedPercentCell(share(r)) }}
	}
	return record.TableOf("variants", "estimates of experiments, on settings that were run besides", all,
		record.TextField("experiment", func(r row) string { return r.id }),
		record.TextField("estimated", func(r row) string { return record.FormatDuration(r.estimate.Seconds) }),
		record.TextField("took", func(r row) string { return record.FormatDuration(r.took.Seconds) }),
		percent("error", row.seconds),
		record.TextField("memory: estimated", func(r row) string { return words.Bytes(r.estimate.Bytes) }),
		record.TextField("memory: took", func(r row) string { return words.Bytes(r.took.Bytes) }),
		percent("memory: error", row.bytes)), err
}
