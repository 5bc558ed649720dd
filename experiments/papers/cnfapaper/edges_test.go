package cnfapaper

import (
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Settings that cannot be used are the input's mistakes.
func TestCNFASpecsRefused(t *testing.T) {
	smoke := smokeEdges("cntk", "cntk", 3)
	leaves, cntk := smoke.Task, smoke.Machine
	grey := setups.PatchTask{Name: "digits", Data: "glyphs", Size: 10, Train: 10, Validation: 10, Test: 10}
	pixel, none, other := cntk, cntk, cntk
	pixel.Patch, none.Iterations, other.Kernel = 1, 0, "gaussian"
	machine := func(task setups.PatchTask, m setups.PatchMachineSpec) *EdgesSpec {
		return &EdgesSpec{Machines: []EdgeMachine{{"a", task, m}}, Photographs: smokePhotographs, Images: 1, Draws: 2}
	}
	for name, s := range map[string]study.Spec{
		"no machines":        &EdgesSpec{Photographs: smokePhotographs, Images: 1, Draws: 2},
		"grey images":        machine(grey, cntk),
		"patches of a pixel": machine(leaves, pixel), "no iterations": machine(leaves, none),
		"no such kernel":  machine(leaves, other),
		"no tasks":        &ResponsesSpec{Images: 1},
		"two patch sizes": &ConvFeaturesSpec{Task: grey, Deep: cntk, Laplace: pixel, Images: 1},
		"a network that there is not": &ResponsesSpec{
			Tasks: []setups.PatchTask{grey}, Machine: cntk,
			Net: setups.PatchNetworkSpec{Arch: "cnn9", Init: "", Rate: 1, Batch: 1, Epochs: 1}, Images: 1,
		},
	} {
		if _, err := s.Run(t.Context(), study.Setting{DataDir: t.TempDir()}); !input.IsError(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
