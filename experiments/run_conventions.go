package experiments

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph"
)

// RunConventions is how the numbers of a kernel machine were computed.
type RunConventions struct {
	Precision string `json:"precision"`
	Backend   string `json:"backend"`
	Threads   int    `json:"threads"`
	Seed      uint64 `json:"seed"`
	Version   string `json:"version"`
}

// runConventions writes down what flags, which may be zero, stand for.
func runConventions(p graph.Precision, backend string, threads int, seed uint64) RunConventions {
	c := RunConventions{
		Precision: "float32, regressions in float64", Backend: backendName(backend),
		Threads: cmp.Or(threads, runtime.GOMAXPROCS(0)), Seed: seed, Version: Version(),
	}
	if p == graph.Double {
		c.Precision = "float64"
	}
	return c
}

// provenance says where the numbers of a record come from.
func (c RunConventions) provenance(e ExamplesConventions, machine string, seconds float64) []report.Fact {
	facts := []report.Fact{
		{Name: "ansatz", Value: c.Version},
		{Name: "backend", Value: fmt.Sprintf("%s, %s, %d threads", c.Backend, c.Precision, c.Threads)},
		{Name: "machine", Value: machine},
		{Name: "seed", Value: fmt.Sprint(c.Seed)},
		{Name: "seconds", Value: fmt.Sprintf("%.1f", seconds)},
		{Name: "training, SHA-256", Value: e.TrainSHA},
	}
	if e.ValidationSHA != "" {
		facts = append(facts, report.Fact{Name: "validation, SHA-256", Value: e.ValidationSHA})
	}
	return append(facts, report.Fact{Name: "test, SHA-256", Value: e.TestSHA})
}
