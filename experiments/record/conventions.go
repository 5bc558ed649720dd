package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// RunConventions records how the numbers of a record were computed, and on which data and machine. Fields that do not
// apply are zero.
type RunConventions struct {
	Precision     string `json:"precision"`
	Backend       string `json:"backend,omitempty"`
	Device        string `json:"device,omitempty"` // of the backend gpu
	Threads       int    `json:"threads,omitempty"`
	Batch         int    `json:"batch,omitempty"` // images at a time
	Seed          uint64 `json:"seed"`
	WeightsSHA256 string `json:"weights_sha256,omitempty"`
	DataSHA256    string `json:"data_sha256,omitempty"` // of images and labels
	Version       string `json:"version"`
}

// NewRunConventions returns conventions with defaults filled in: "" stands for the backend of this
// build, 0 for all threads.
func NewRunConventions(precision, backend string, threads int, seed uint64) RunConventions {
	return RunConventions{
		Precision: precision, Backend: input.BackendName(backend), Device: input.DeviceName(backend), Threads: cmp.Or(threads, runtime.GOMAXPROCS(0)),
		Seed: seed, Version: Version(),
	}
}

// RegressionPrecision names the precision of a kernel machine, whose regressions are always solved in float64.
func RegressionPrecision(p graph.Precision) string {
	if p == graph.Double {
		return "float64"
	}
	return "float32, regressions in float64"
}

// Provenance lists where the numbers of a record come from: program, backend, machine, seed, seconds, digests of
// files, and further facts of the record. An empty machine and 0 seconds are left out.
func (c RunConventions) Provenance(machine string, seconds float64, more ...report.Fact) []report.Fact {
	facts := []report.Fact{{Name: "ansatz", Value: c.Version}}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, report.Fact{Name: name, Value: value})
		}
	}
	if c.Backend != "" {
		how := fmt.Sprintf("%s, %s, %s", c.Backend, c.Precision, words.Count(c.Threads, "thread"))
		if c.Batch > 0 {
			how += fmt.Sprintf(", batches of %d", c.Batch)
		}
		add("backend", how)
	}
	add("device", c.Device)
	add("machine", machine)
	add("seed", fmt.Sprint(c.Seed))
	if seconds > 0 {
		add("seconds", fmt.Sprintf("%.1f", seconds))
	}
	add("weights, SHA-256", c.WeightsSHA256)
	for _, f := range more {
		add(f.Name, f.Value)
	}
	add("data, SHA-256", c.DataSHA256)
	return facts
}

// ChangedSettings lists the flags whose values now differ from those with which the run was begun.
func ChangedSettings(now, begun any) []string {
	is, was := settingsOf(now), settingsOf(begun)
	all := maps.Clone(is)
	maps.Copy(all, was)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if is[name] != was[name] {
			list = append(list, fmt.Sprintf("--%s was %s, is %s", strings.ReplaceAll(name, "_", "-"),
				cmp.Or(was[name], "not given"), cmp.Or(is[name], "not given")))
		}
	}
	return list
}

// settingsOf returns the fields of a spec by their JSON names, without zero fields that JSON omits.
func settingsOf(spec any) map[string]string {
	text, _ := json.Marshal(spec) // strings and numbers can always be encoded
	var raw map[string]json.RawMessage
	_ = json.Unmarshal(text, &raw)
	out := map[string]string{}
	for name, v := range raw {
		out[name] = string(v)
	}
	return out
}
