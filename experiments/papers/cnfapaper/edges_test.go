package cnfapaper

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Settings that cannot be used are refused as input errors.
func TestCNFASpecsRefused(t *testing.T) {
	smoke := smokeEdges("cntk", "cntk", 3, "")
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

// Claims name the datasets that replace the paper's: street digits at scale small, none at scale paper.
func TestStandInsOfEdgesAndResponses(t *testing.T) {
	digits := map[string]string{"SVHN": "streetdigits"}
	for _, c := range []struct {
		e           *study.Experiment
		small       map[string]string
		smokeHolds  int // datasets with stand-ins at scale smoke
		paperClaims int
	}{
		{fig3(), digits, 1, 5}, {fig4(), digits, 1, 6}, {fig10(), map[string]string{}, 1, 3}, {fig11(), digits, 2, 12},
		{fig12(), digits, 2, 5},
	} {
		for scale, want := range map[study.Scale]map[string]string{study.Small: c.small, study.PaperScale: {}} {
			if got := c.e.Specs[scale].(study.Substituter).StandIns(); !maps.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", c.e.ID, scale, got, want)
			}
		}
		if got := c.e.Specs[study.Smoke].(study.Substituter).StandIns(); len(got) != c.smokeHolds {
			t.Errorf("%s, smoke: %v", c.e.ID, got)
		}
		n := 0
		for _, claim := range c.e.Claims {
			if claim.Origin == study.OfPaper {
				n++
			}
			if strings.Contains(claim.Sentence, "(") {
				t.Errorf("%s: %s", c.e.ID, claim.Sentence)
			}
		}
		if n != c.paperClaims {
			t.Errorf("%s: %d claims of the paper, want %d", c.e.ID, n, c.paperClaims)
		}
	}
}

// The published code selects the iteration on the test images. The machines do so at scale paper, and use validation
// images at other scales.
func TestChoiceOfIterations(t *testing.T) {
	for _, e := range []*study.Experiment{fig3(), fig11(), fig12()} {
		for scale, want := range map[study.Scale]string{study.Small: "", study.PaperScale: "test"} {
			for _, m := range e.Specs[scale].(*EdgesSpec).Machines {
				if m.Machine.Select != want {
					t.Errorf("%s, %s: %s chooses by %q", e.ID, scale, m.Name, m.Machine.Select)
				}
			}
		}
	}
}

// The titles of the machines differ, because curves and rows are averaged over seeds by title.
func TestTitlesOfMachines(t *testing.T) {
	for _, e := range []*study.Experiment{fig3(), fig11(), fig12()} {
		for scale, spec := range e.Specs {
			seen := map[string]bool{}
			for _, m := range spec.(*EdgesSpec).Machines {
				if seen[m.title()] {
					t.Errorf("%s, %s: two machines are %q", e.ID, scale, m.title())
				}
				seen[m.title()] = true
			}
		}
	}
}

// The angles in the table of eigenvectors are averaged over seeds as orientations, with a period of 180 degrees.
func TestAnglesAreDirections(t *testing.T) {
	columns := eigenvectorsTable(nil).Columns
	for _, c := range columns {
		if (c.Period == 180) != strings.HasPrefix(c.Name, "angle") {
			t.Errorf("%+v", c)
		}
	}
}

// A task may have epochs of its own, as the toy tasks have at scale paper.
func TestTaskEpochs(t *testing.T) {
	s := *fig10().Specs[study.Smoke].(*ResponsesSpec)
	s.Tasks = s.Tasks[:1]
	jobs := func(epochs int) string {
		s.Tasks[0].Epochs = epochs
		all, err := study.DryRun(&s)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", all)
	}
	own := s.Net.Epochs
	if a, b := jobs(0), jobs(own); a != b {
		t.Errorf("%s with the network's epochs, %s with as many of the task", a, b)
	}
	if a, b := jobs(own), jobs(own+1); a == b {
		t.Error("the epochs of the task make no difference")
	}
	if p := fig10().Specs[study.PaperScale].(*ResponsesSpec).Tasks; p[0].Epochs != 25 || p[1].Epochs != 25 || p[2].Epochs != 0 {
		t.Errorf("%+v", p)
	}
}
