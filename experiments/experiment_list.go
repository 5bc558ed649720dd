package experiments

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// ExperimentList is all experiments as scripts read them.
type ExperimentList struct {
	Experiments []ListedExperiment `json:"experiments"`
}

// ListedExperiment says what an experiment is.
type ListedExperiment struct {
	ID     string         `json:"id"`
	Paper  string         `json:"paper"`
	Figure string         `json:"figure"`
	Title  string         `json:"title"`
	About  string         `json:"about"`
	Claims int            `json:"claims"`
	Specs  map[Scale]Spec `json:"specs"`
}

// ListExperiments lists all experiments.
func ListExperiments() *ExperimentList {
	l := &ExperimentList{Experiments: []ListedExperiment{}}
	for _, e := range Experiments() {
		l.Experiments = append(l.Experiments, ListedExperiment{e.ID, e.Paper, e.Figure, e.Title, e.About, len(e.Claims), e.Specs})
	}
	return l
}

// Summary counts them.
func (l *ExperimentList) Summary() string {
	return fmt.Sprintf("%d experiments. Run one: ansatz run ID --scale small --seeds %d.", len(l.Experiments), MinSeeds)
}

// Table has a line for each.
func (l *ExperimentList) Table() *report.Table {
	t := &report.Table{
		Name: "experiments", Caption: "Experiments of the papers.",
		Columns: []report.Column{{Name: "id"}, {Name: "of the paper"}, {Name: "claims", Numeric: true}, {Name: "title"}},
	}
	for _, e := range l.Experiments {
		t.Rows = append(t.Rows, []report.Cell{{Text: e.ID}, {Text: e.Figure}, {Value: float64(e.Claims)}, {Text: e.Title}})
	}
	return t
}
