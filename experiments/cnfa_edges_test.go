package experiments

import "testing"

// Settings that cannot be used are the input's mistakes.
func TestCNFASpecsRefused(t *testing.T) {
	cntk := smokeMachine("cntk", 3)
	grey := PatchTask{Name: "digits", Data: "glyphs", Size: 10, Train: 10, Validation: 10, Test: 10}
	pixel, none, other := cntk, cntk, cntk
	pixel.Patch, none.Iterations, other.Kernel = 1, 0, "gaussian"
	machine := func(task PatchTask, m PatchMachineSpec) *EdgesSpec {
		return &EdgesSpec{Machines: []EdgeMachine{{"a", task, m}}, Photographs: smokePhotographs, Images: 1, Draws: 2}
	}
	for name, s := range map[string]Spec{
		"no machines": &EdgesSpec{Photographs: smokePhotographs, Images: 1, Draws: 2}, "grey images": machine(grey, cntk),
		"patches of a pixel": machine(smokeLeaves(), pixel), "no iterations": machine(smokeLeaves(), none), "no such kernel": machine(smokeLeaves(), other),
		"no tasks": &SeenSpec{Images: 1}, "two patch sizes": &ConvFeaturesSpec{Task: grey, Deep: cntk, Laplace: pixel, Images: 1},
		"a network that there is not": &SeenSpec{Tasks: []PatchTask{grey}, Machine: cntk, Net: PatchNetSpec{"cnn9", "", 1, 1, 1}, Images: 1},
	} {
		if _, err := s.Run(t.Context(), Setting{DataDir: t.TempDir()}); !IsInput(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
