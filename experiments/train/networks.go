package train

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// sweepFile is the CSV file of the table of networks.
const sweepFile = "sweep.csv"

// NetworksRecord summarises the networks of a plan.
type NetworksRecord struct {
	Networks    []NetworkRecord `json:"networks"`
	Conventions Conventions     `json:"conventions"` // of the first network
}

// NetworkRecord is a network after its last epoch. A field is absent if it was not measured.
type NetworkRecord struct {
	Data               string   `json:"data"`
	Arch               string   `json:"arch"`
	Width              float64  `json:"width"`
	Seed               uint64   `json:"seed"`
	Folder             string   `json:"folder"` // relative to the folder of the record
	Parameters         int      `json:"parameters"`
	Epochs             int      `json:"epochs"`
	Steps              int      `json:"steps"`
	Stopped            string   `json:"stopped"`
	TrainLoss          *float64 `json:"train_loss,omitempty"`
	TrainAccuracy      *float64 `json:"train_accuracy,omitempty"`
	ValidationLoss     *float64 `json:"validation_loss,omitempty"`
	ValidationAccuracy *float64 `json:"validation_accuracy,omitempty"`
	TestLoss           *float64 `json:"test_loss,omitempty"`
	TestAccuracy       *float64 `json:"test_accuracy,omitempty"`
}

// addNetwork adds a network to the record.
func (r *NetworksRecord) addNetwork(folder string, t *Record) {
	if len(r.Networks) == 0 {
		r.Conventions = t.Conventions
	}
	n := NetworkRecord{
		Data: t.Data, Arch: t.Arch, Width: cmp.Or(t.Spec.Width, 1), Seed: t.Spec.Seed, Folder: folder,
		Parameters: t.Parameters, Epochs: len(t.Epochs), Steps: t.Steps, Stopped: t.Stopped,
	}
	if e := t.Final(); e != nil {
		n.TrainLoss, n.TrainAccuracy = &e.TrainLoss, &e.TrainAccuracy
		n.ValidationLoss, n.ValidationAccuracy = e.ValidationLoss, e.ValidationAccuracy
		n.TestLoss, n.TestAccuracy = e.TestLoss, e.TestAccuracy
	}
	r.Networks = append(r.Networks, n)
}

// group returns a name that is equal for networks that differ only in the seed.
func (n NetworkRecord) group() string { return fmt.Sprintf("%s/%s ×%g", n.Data, n.Arch, n.Width) }

// networkMeasures are the numeric columns of the tables of networks.
var networkMeasures = []struct {
	name string
	of   func(NetworkRecord) *float64
}{
	{"train_loss", func(n NetworkRecord) *float64 { return n.TrainLoss }},
	{"train_accuracy", func(n NetworkRecord) *float64 { return n.TrainAccuracy }},
	{"validation_loss", func(n NetworkRecord) *float64 { return n.ValidationLoss }},
	{"validation_accuracy", func(n NetworkRecord) *float64 { return n.ValidationAccuracy }},
	{"test_loss", func(n NetworkRecord) *float64 { return n.TestLoss }},
	{"test_accuracy", func(n NetworkRecord) *float64 { return n.TestAccuracy }},
}

// table returns a table with a row for each network.
func (r *NetworksRecord) table() *report.Table {
	type row = NetworkRecord
	fields := []record.Field[row]{
		record.TextField("data", func(n row) string { return n.Data }),
		record.TextField("arch", func(n row) string { return n.Arch }),
		record.CellField("width", func(n row) report.Cell { return report.Cell{Value: n.Width} }),
		record.TextField("seed", func(n row) string { return fmt.Sprint(n.Seed) }),
		record.CountField("parameters", func(n row) int { return n.Parameters }),
		record.CellField("epochs", func(n row) report.Cell { return report.Cell{Value: float64(n.Epochs)} }),
	}
	for _, m := range networkMeasures {
		fields = append(fields, record.CellField(m.name, func(n row) report.Cell { return record.NumberCell(m.of(n), "%.4f") }))
	}
	t := record.TableOf("networks", "Every network after its last epoch.", r.Networks, fields...)
	return t.WithoutEmpty()
}

// meansTable returns a table with a row for each group of networks that differ only in the seed, or nil if there is no
// such group.
func (r *NetworksRecord) meansTable() *report.Table {
	type row = []NetworkRecord
	var groups []row
	place := map[string]int{}
	for _, n := range r.Networks {
		i, there := place[n.group()]
		if !there {
			i = len(groups)
			place[n.group()], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], n)
	}
	if len(groups) == len(r.Networks) {
		return nil
	}
	fields := []record.Field[row]{
		record.TextField("data", func(g row) string { return g[0].Data }),
		record.TextField("arch", func(g row) string { return g[0].Arch }),
		record.CellField("width", func(g row) report.Cell { return report.Cell{Value: g[0].Width} }),
		record.CellField("seeds", func(g row) report.Cell { return report.Cell{Value: float64(len(g))} }),
	}
	for _, m := range networkMeasures {
		fields = append(fields, record.CellField(m.name, func(g row) report.Cell {
			var x []float64
			for _, n := range g {
				x = append(x, record.ValueOrNaN(m.of(n)))
			}
			return record.MeanCell(x, "%.4f")
		}))
	}
	t := record.TableOf("means", "Mean and standard deviation over the seeds, of every network after its last epoch.",
		groups, fields...)
	return t.WithoutEmpty()
}

// summarise returns a sentence that says which network was the best on the test images.
func (r *NetworksRecord) summarise() string {
	text := words.Count(len(r.Networks), "network")
	best, worst := -1, -1
	for i, n := range r.Networks {
		v := record.ValueOrNaN(n.TestAccuracy)
		if math.IsNaN(v) {
			continue
		}
		if best < 0 || v > *r.Networks[best].TestAccuracy {
			best = i
		}
		if worst < 0 || v < *r.Networks[worst].TestAccuracy {
			worst = i
		}
	}
	if best < 0 {
		return text + ", without test images."
	}
	b, w := r.Networks[best], r.Networks[worst]
	return fmt.Sprintf("%s: test accuracy from %.2f %% (%s) to %.2f %% (%s).", text, 100**w.TestAccuracy, w.Folder,
		100**b.TestAccuracy, b.Folder)
}

// RecordKind implements [record.Record].
func (r *NetworksRecord) RecordKind() string { return "train-networks" }

// CSVTables returns the table of the networks.
func (r *NetworksRecord) CSVTables() map[string]*report.Table {
	return map[string]*report.Table{sweepFile: r.table()}
}

// Page returns the record as a page.
func (r *NetworksRecord) Page() (*report.Page, error) {
	s := report.Section{
		Heading: "Networks", Text: []string{
			"Each network has its own report, in the folder DATA/ARCH-width-W/seed-K.",
		},
	}
	if means := r.meansTable(); means != nil {
		s.Tables = append(s.Tables, *record.InWords(means))
	}
	s.Tables = append(s.Tables, *record.InWords(r.table()))
	c := r.Conventions
	return &report.Page{
		Title: "Training of " + words.Count(len(r.Networks), "network"), Lead: r.summarise(),
		Sections: []report.Section{s},
		Provenance: []report.Fact{
			{Name: "precision", Value: c.Precision}, {Name: "backend", Value: c.Backend},
			{Name: "threads", Value: fmt.Sprint(c.Threads)},
			{Name: "version", Value: c.Version},
		},
	}, nil
}
