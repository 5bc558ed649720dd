package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// trainJobs opens the jobs of this kind of plan.
var trainJobs = job.Kinds{job.TrainKind: OpenJob}

// threeNetworks returns three small trainings, of different seeds.
func threeNetworks() Networks {
	s := quick()
	s.Epochs, s.Train, s.Validation, s.Track, s.Normalise = 2, 120, 20, 0, "none"
	return Networks{Spec: s, Seeds: 3}
}

// Every dataset is combined with every architecture, width and seed, each in its own folder.
func TestNetworks(t *testing.T) {
	n := Networks{Spec: Spec{Seed: 4}, Datasets: []string{"mnist", "a/my photos/"},
		Archs: []string{"mlp:64,32", "b/net.toml"}, Widths: []float64{.5, 1}, Seeds: 2}
	specs, err := n.specs()
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, s := range specs {
		folders = append(folders, networkFolder(s))
	}
	if len(folders) != 16 || folders[0] != "mnist/mlp-64-32-width-0.5/seed-4" ||
		folders[7] != "mnist/net-width-1/seed-5" || folders[15] != "my-photos/net-width-1/seed-5" {
		t.Errorf("%q", folders)
	}
	if one, err := (Networks{Spec: Spec{Data: "mnist", Arch: "lenet"}}).specs(); err != nil || len(one) != 1 ||
		networkFolder(one[0]) != "mnist/lenet-width-1/seed-0" {
		t.Errorf("%+v, %v", one, err)
	}
	for _, data := range []string{"..", "a/units"} {
		s := Spec{Data: data, Arch: "lenet"}
		if err := (networkUnit{Folder: networkFolder(s), Spec: s}).check(); !input.IsError(err) {
			t.Errorf("networks on %s are put into %s", data, networkFolder(s))
		}
	}
}

// scrubbed returns a file of a training without the times and the path of its folder.
func scrubbed(t *testing.T, name string, text []byte) []byte {
	switch filepath.Base(name) {
	case record.FileName:
		return jobtest.WithoutFields(t, text, "seconds", "seconds_per_step", "weights", "last_weights",
			"initial_weights")
	case historyFile:
		var out []byte
		for line := range bytes.Lines(text) {
			out = append(out, line[:bytes.LastIndexByte(line, ',')]...)
		}
		return out
	case "report.html": // the page shows times
		return nil
	}
	return text
}

// For any number of shards, the networks are those that ansatz train writes, except for times and checkpoints. The
// table of all networks is the same to the byte.
func TestPlanNetworks(t *testing.T) {
	n := threeNetworks()
	specs, err := n.specs()
	if err != nil {
		t.Fatal(err)
	}
	want, tables := t.TempDir(), map[string][]byte{}
	for _, s := range specs {
		s.Threads = 1
		dir := filepath.Join(want, filepath.FromSlash(networkFolder(s)))
		if _, err := newQuick(t, s).Run(t.Context(), Run{Out: dir}); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, record.TrainingFile)); err != nil {
			t.Fatal(err)
		}
	}
	for shards := 1; shards <= 3; shards++ {
		p, err := PlanNetworks(t.Context(), n, 1, shards)
		out := jobtest.MergePlan(t, trainJobs, p, err)
		got, trained := jobtest.ReadFiles(t, out), map[string][]byte{}
		for name, text := range got {
			if strings.HasPrefix(name, "glyphs/") {
				trained[name] = text
				delete(got, name)
			}
		}
		jobtest.CheckSameFiles(t, trained, jobtest.ReadFiles(t, want), func(name string, text []byte) []byte {
			return scrubbed(t, name, text)
		})
		if shards == 1 {
			tables = got
		}
		jobtest.CheckSameFiles(t, got, tables, nil)
		var r Record
		if err := json.Unmarshal(trained["glyphs/cnn-max-width-0.1/seed-5/record.json"], &r); err != nil ||
			r.Weights != filepath.Join(out, "glyphs", "cnn-max-width-0.1", "seed-5", bestFile) {
			t.Errorf("the weights of a network are %q, %v", r.Weights, err)
		}
	}
	if text := string(tables[sweepFile]); strings.Count(text, "\n") != 4 || !strings.Contains(text, "test_accuracy") {
		t.Errorf("the table of 3 networks:\n%s", text)
	}
}

// A unit that is interrupted is resumed from its checkpoint and ends with the same weights.
func TestPlanNetworksInterrupted(t *testing.T) {
	n := threeNetworks()
	n.Seeds, n.Spec.Track = 1, 4
	p, err := PlanNetworks(t.Context(), n, 1, 1)
	want := jobtest.ReadFiles(t, jobtest.MergePlan(t, trainJobs, p, err))
	out := t.TempDir()
	job, err := trainJobs.Open(p, job.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	var begun []int
	for _, at := range []int{1, 4, 5, 8} {
		ctx, cancel := context.WithCancel(t.Context())
		first := true
		w := shard.Worker{Plan: p, Job: job, Out: out, Progress: func(stage string, done, total int) {
			if stage == "training" && first {
				begun, first = append(begun, done), false
			}
			if stage == "training" && done >= at && at < 8 {
				cancel()
			}
		}}
		err := w.Run(ctx, p.Units)
		var stopped *shard.StoppedError
		if last := at == 8; last != (err == nil) || !last && !errors.As(err, &stopped) {
			t.Fatalf("interrupted at step %d: %v", at, err)
		}
		cancel()
	}
	if !slices.Equal(begun, []int{1, 2, 4, 6}) { // stopped at step 4, the epoch had not ended yet
		t.Errorf("it went on at steps %v", begun)
	}
	if err := shard.Merge(t.Context(), p, job, out); err != nil {
		t.Fatal(err)
	}
	jobtest.CheckSameFiles(t, jobtest.ReadFiles(t, out), want, func(name string, text []byte) []byte {
		return scrubbed(t, name, text)
	})
}

// Plans with impossible settings and units with other data are refused.
func TestPlanNetworksMistakes(t *testing.T) {
	for want, change := range map[string]func(n *Networks){
		"once":        func(n *Networks) { n.Widths = []float64{.1, .1} },
		"--seeds -1":  func(n *Networks) { n.Seeds = -1 },
		"--width -1":  func(n *Networks) { n.Widths = []float64{-1} },
		"nonesuch":    func(n *Networks) { n.Archs = []string{"nonesuch"} },
		"none-either": func(n *Networks) { n.Datasets = []string{"none-either"} },
	} {
		n := threeNetworks()
		change(&n)
		if _, err := PlanNetworks(t.Context(), n, 1, 1); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	n := threeNetworks()
	n.Seeds = 1
	p, err := PlanNetworks(t.Context(), n, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var unit networkUnit
	if err := json.Unmarshal(p.Units[0].Spec, &unit); err != nil {
		t.Fatal(err)
	}
	for what, was := range maps.Clone(unit.Inputs.Data) {
		unit.Inputs.Data[what] = "other"
		text, err := json.Marshal(unit)
		if err != nil {
			t.Fatal(err)
		}
		job, err := trainJobs.Open(p, job.Setting{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = job.Make(t.Context(), shard.Unit{Spec: text},
			shard.Room{Dir: t.TempDir(), Scratch: t.TempDir(), Progress: func(string, int, int) {}})
		if !input.IsError(err) || !strings.Contains(err.Error(), "planned with other") {
			t.Errorf("of another %s: %v", what, err)
		}
		unit.Inputs.Data[what] = was
	}
}

// FuzzNetworkUnit checks that a unit from outside is refused unless its folder lies within that of the plan and is not
// the folder of the units.
func FuzzNetworkUnit(f *testing.F) {
	for _, text := range []string{
		`{"folder":"mnist/lenet-width-1/seed-0","spec":{"arch":"lenet","data":"mnist","epochs":1},"train_sha256":"a"}`,
		`{"folder":"../lenet-width-1/seed-0","spec":{"arch":"lenet","data":".."}}`,
		`{"folder":"units/lenet-width-1/seed-0","spec":{"arch":"lenet","data":"units"}}`, `null`, `[]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := decodeUnit(shard.Unit{Spec: []byte(text)})
		if err != nil {
			return
		}
		path, err := filepath.Rel("/out", filepath.Join("/out", filepath.FromSlash(n.Folder)))
		if err != nil || strings.HasPrefix(path, "..") || strings.HasPrefix(path, "units") {
			t.Errorf("a network is put into %s", path)
		}
	})
}
