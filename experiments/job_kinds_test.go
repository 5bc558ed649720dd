package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/spread"
)

// mergedIn makes the units of a plan in a new folder, the last shard and its last
// unit first, merges them twice and returns the folder.
func mergedIn(t *testing.T, p *spread.Plan, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	for i := len(p.Shards); i > 0; i-- {
		job, err := OpenJob(p, JobSetting{})
		if err != nil {
			t.Fatal(err)
		}
		units, err := p.Shard(i)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(units)
		if err := (spread.Worker{Plan: p, Job: job, Out: out}).Run(t.Context(), units); err != nil {
			t.Fatal(err)
		}
	}
	job, err := OpenJob(p, JobSetting{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		writeFile(t, "half", out, "figures", ".similarity.svg.tmp-KILLED")
		writeFile(t, "half", out, ".record.json.tmp-KILLED")
		if err := spread.Merge(t.Context(), p, job, out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// ofPlan are the files and folders of a plan beside what is merged.
var ofPlan = []string{"plan.json", "merged.json", "units", "scratch", "locks", "failed"}

// filesOf reads the files in a folder, but for those of a plan.
func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if first, _, _ := strings.Cut(filepath.ToSlash(name), "/"); slices.Contains(ofPlan, first) || d.IsDir() {
			return nil
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sameFiles compares files byte by byte, after made puts what differs each time out
// of them.
func sameFiles(t *testing.T, got, want map[string][]byte, made func(name string, text []byte) []byte) {
	t.Helper()
	for name, text := range want {
		is, there := got[name]
		if made != nil {
			text, is = made(name, text), made(name, is)
		}
		if !there || !bytes.Equal(is, text) {
			t.Errorf("%s: there %v, %d bytes that differ from %d", name, there, len(is), len(text))
		}
	}
	for name := range got {
		if _, wanted := want[name]; !wanted {
			t.Errorf("%s is there besides", name)
		}
	}
}

// withoutFields is JSON without fields of some names, at any depth.
func withoutFields(t *testing.T, text []byte, names ...string) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range names {
				delete(v, name)
			}
			for _, of := range v {
				strip(of)
			}
		case []any:
			for _, of := range v {
				strip(of)
			}
		}
	}
	strip(v)
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Groups of images from any shards make what ansatz verify leaves, to the bit; only
// the seconds are those of the units.
func TestSpreadVerify(t *testing.T) {
	s := spec(t)
	s.Groups, s.Outputs, s.InitWeights = 5, "probes:3", s.Weights
	for shards := 1; shards <= 3; shards++ {
		for _, threads := range []int{1, 2} {
			if threads == 2 && shards != 2 {
				continue
			}
			p, err := SpreadVerify(s, threads, shards)
			if err == nil && len(p.Units) != (5+threads-1)/threads {
				t.Errorf("%d units of 5 groups with %d threads", len(p.Units), threads)
			}
			got := filesOf(t, mergedIn(t, p, err))
			var record VerifyRecord
			if err := json.Unmarshal(got["record.json"], &record); err != nil {
				t.Fatal(err)
			}
			whole := s
			whole.Threads = threads
			v, err := NewVerification(whole)
			if err != nil {
				t.Fatal(err)
			}
			r, err := v.Run(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Seconds = record.Seconds
			out := t.TempDir()
			if _, err := r.Save(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			sameFiles(t, got, filesOf(t, out), nil)
		}
	}
}

// Other weights, or another architecture under the same name, are another plan, and
// foreign to this one.
func TestSpreadVerifyForeign(t *testing.T) {
	s := spec(t)
	p, err := SpreadVerify(s, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.Weights, s.Arch} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := bytes.Replace(text, []byte("filters = 4"), []byte("filters = 5"), 1)
		if path == s.Weights {
			other = slices.Clone(text)
			other[len(other)-1] ^= 1
		}
		if err := os.WriteFile(path, other, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenJob(p, JobSetting{}); !IsInput(err) || !strings.Contains(err.Error(), path) {
			t.Errorf("with another %s: %v", filepath.Base(path), err)
		}
		if q, err := SpreadVerify(s, 1, 1); err == nil && q.Units[0].ID == p.Units[0].ID {
			t.Errorf("another %s has the same units", filepath.Base(path))
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenJob(p, JobSetting{}); !IsInput(err) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: %v", filepath.Base(path), err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenJob(p, JobSetting{}); err != nil {
		t.Errorf("with what was there: %v", err)
	}
}

// Tiles of a kernel matrix from any shards make what ansatz convrfm --iters 0
// --kernel-out writes, to the bit.
func TestSpreadConvRFM(t *testing.T) {
	for _, s := range []ConvRFMSpec{{Depth: 2}, {Kernel: "laplace", Precision: 64}} {
		s.Data, s.Size, s.Train, s.Test, s.Ridges = "glyphs", 9, 150, 1, []float64{1e-3}
		c, err := NewConvRFM(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := r.SaveKernel(t.Context(), filepath.Join(dir, kernelFile)); err != nil {
			t.Fatal(err)
		}
		for shards := 1; shards <= 3; shards++ {
			p, err := SpreadConvRFM(t.Context(), s, 1, shards)
			if err == nil && (len(p.Units) < 3 || len(p.Shards) != shards) {
				t.Errorf("%d units in %d shards", len(p.Units), len(p.Shards))
			}
			sameFiles(t, filesOf(t, mergedIn(t, p, err)), filesOf(t, dir), nil)
		}
	}
}

// A machine takes the kernel that was merged, and comes to the same numbers; that of
// other images it refuses.
func TestTakeKernel(t *testing.T) {
	s := ConvRFMSpec{Depth: 2, Ridges: []float64{1e-3}}
	s.Data, s.Size, s.Train, s.Test = "glyphs", 9, 70, 10
	p, err := SpreadConvRFM(t.Context(), s, 1, 2)
	path := filepath.Join(mergedIn(t, p, err), kernelFile)
	var scores []float64
	for _, take := range []string{"", path} {
		c, err := NewConvRFM(t.Context(), s)
		if err == nil && take != "" {
			err = c.TakeKernel(t.Context(), take)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, *r.Iterations[0].TestMSE)
		if strings.Contains(r.Conventions.Solver, path) != (take != "") {
			t.Errorf("the record says %q of the kernel", r.Conventions.Solver)
		}
	}
	if scores[0] != scores[1] {
		t.Errorf("errors %v", scores)
	}
	s.Seed = 5 // other glyphs
	c, err := NewConvRFM(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "no kernel", filepath.Dir(path), "no.npy")
	for _, other := range []string{path, filepath.Join(filepath.Dir(path), "no.npy"), "none.npy"} {
		if err := c.TakeKernel(t.Context(), other); !IsInput(err) || !strings.Contains(err.Error(), other) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// benchmarkOf writes a folder of tables, one of which nothing can be learned from.
func benchmarkOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeStrip(t, 60, 1, className, dir, "one.csv")
	writeStrip(t, 80, 2, className, dir, "two.csv")
	writeStrip(t, 70, 3, className, dir, "three.csv")
	writeStrip(t, 30, 4, func([4]float64, int) string { return "same" }, dir, "dull.csv")
	return dir
}

// Tables from any shards make what ansatz tabular leaves, but for times.
func TestSpreadTabular(t *testing.T) {
	s := TabularSpec{Benchmark: benchmarkOf(t), Methods: []string{"laplace", "rfm"}, Iters: 1}
	whole := t.TempDir()
	b, err := NewTabular(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Run(t.Context(), TabularRun{Out: whole}); err != nil {
		t.Fatal(err)
	}
	want := filesOf(t, whole)
	for shards := 1; shards <= 3; shards++ {
		p, err := SpreadTabular(t.Context(), s, 1, shards)
		out := mergedIn(t, p, err)
		got := filesOf(t, out)
		sameFiles(t, got, want, func(name string, text []byte) []byte {
			switch filepath.Ext(name) {
			case ".json":
				return withoutFields(t, text, "seconds")
			case ".html":
				return nil // which shows times
			}
			return text
		})
		// With the same times a run writes the same bytes.
		again := t.TempDir()
		if err := os.CopyFS(filepath.Join(again, tabularRecords), os.DirFS(filepath.Join(out, tabularRecords))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(again, tabularSpecFile), got[tabularSpecFile], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Run(t.Context(), TabularRun{Out: again, Resume: true}); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, got, filesOf(t, again), nil)
	}
}

// A table with other contents, one that is missing and one that came later are
// refused.
func TestSpreadTabularForeign(t *testing.T) {
	dir := benchmarkOf(t)
	s := TabularSpec{Benchmark: dir, Methods: []string{"laplace"}}
	p, err := SpreadTabular(t.Context(), s, 1, 1)
	out := mergedIn(t, p, err)
	writeStrip(t, 80, 5, className, dir, "two.csv")
	job, err := OpenJob(p, JobSetting{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range p.Units {
		_, err := job.Make(t.Context(), u, spread.Room{Dir: t.TempDir(), Scratch: t.TempDir(), Progress: func(string, int, int) {}})
		if other := u.Name == "two"; other != IsInput(err) || !other && err != nil {
			t.Errorf("%s: %v", u.Name, err)
		}
	}
	for what, change := range map[string]func(){
		"other contents": func() {},
		"missing":        func() { _ = os.Remove(filepath.Join(dir, "two.csv")) },
		"one more": func() {
			writeStrip(t, 80, 2, className, dir, "two.csv")
			writeStrip(t, 80, 2, className, dir, "more.csv")
		},
	} {
		change()
		if job, err = OpenJob(p, JobSetting{}); err == nil {
			err = spread.Merge(t.Context(), p, job, out)
		}
		if !IsInput(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// threeNetworks are small trainings.
func threeNetworks() Networks {
	s := quick()
	s.Epochs, s.Train, s.Validation, s.Track, s.Normalise = 2, 120, 20, 0, "none"
	return Networks{Spec: s, Seeds: 3}
}

// Every dataset comes with every architecture, width and seed, each in a folder of
// its own.
func TestNetworks(t *testing.T) {
	n := Networks{Spec: TrainSpec{Seed: 4}, Datasets: []string{"mnist", "a/my photos/"}, Archs: []string{"mlp:64,32", "b/net.toml"}, Widths: []float64{.5, 1}, Seeds: 2}
	specs, err := n.specs()
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, s := range specs {
		folders = append(folders, networkFolder(s))
	}
	if len(folders) != 16 || folders[0] != "mnist/mlp-64-32-width-0.5/seed-4" || folders[7] != "mnist/net-width-1/seed-5" || folders[15] != "my-photos/net-width-1/seed-5" {
		t.Errorf("%q", folders)
	}
	if one, err := (Networks{Spec: TrainSpec{Data: "mnist", Arch: "lenet"}}).specs(); err != nil || len(one) != 1 || networkFolder(one[0]) != "mnist/lenet-width-1/seed-0" {
		t.Errorf("%+v, %v", one, err)
	}
	for _, data := range []string{"..", "a/units"} {
		s := TrainSpec{Data: data, Arch: "lenet"}
		if err := (networkUnit{Folder: networkFolder(s), Spec: s}).check(); !IsInput(err) {
			t.Errorf("networks on %s are put into %s", data, networkFolder(s))
		}
	}
}

// scrubbed is a file of a training without times, and without the folder that it is
// in.
func scrubbed(t *testing.T, name string, text []byte) []byte {
	switch filepath.Base(name) {
	case recordFile:
		return withoutFields(t, text, "seconds", "seconds_per_step", "weights", "last_weights", "initial_weights")
	case historyFile:
		var out []byte
		for line := range bytes.Lines(text) {
			out = append(out, line[:bytes.LastIndexByte(line, ',')]...)
		}
		return out
	case "report.html": // which shows times
		return nil
	}
	return text
}

// Networks from any shards are those that ansatz train leaves, but for times and
// checkpoints, and the table over them has the same bytes.
func TestSpreadTrain(t *testing.T) {
	n := threeNetworks()
	specs, err := n.specs()
	if err != nil {
		t.Fatal(err)
	}
	want, tables := t.TempDir(), map[string][]byte{}
	for _, s := range specs {
		s.Threads = 1
		dir := filepath.Join(want, filepath.FromSlash(networkFolder(s)))
		if _, err := newQuick(t, s).Run(t.Context(), TrainRun{Out: dir}); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, checkpointFile)); err != nil {
			t.Fatal(err)
		}
	}
	for shards := 1; shards <= 3; shards++ {
		p, err := SpreadTrain(t.Context(), n, 1, shards)
		out := mergedIn(t, p, err)
		got, trained := filesOf(t, out), map[string][]byte{}
		for name, text := range got {
			if strings.HasPrefix(name, "glyphs/") {
				trained[name] = text
				delete(got, name)
			}
		}
		sameFiles(t, trained, filesOf(t, want), func(name string, text []byte) []byte { return scrubbed(t, name, text) })
		if shards == 1 {
			tables = got
		}
		sameFiles(t, got, tables, nil)
		var r TrainRecord
		if err := json.Unmarshal(trained["glyphs/cnn-max-width-0.1/seed-5/record.json"], &r); err != nil || r.Weights != filepath.Join(out, "glyphs", "cnn-max-width-0.1", "seed-5", bestFile) {
			t.Errorf("the weights of a network are %q, %v", r.Weights, err)
		}
	}
	if text := string(tables[sweepFile]); strings.Count(text, "\n") != 4 || !strings.Contains(text, "test_accuracy") {
		t.Errorf("the table of 3 networks:\n%s", text)
	}
}

// A unit that is interrupted goes on from its checkpoint, and ends with the same
// weights.
func TestSpreadTrainInterrupted(t *testing.T) {
	n := threeNetworks()
	n.Seeds, n.Spec.Track = 1, 4
	p, err := SpreadTrain(t.Context(), n, 1, 1)
	want := filesOf(t, mergedIn(t, p, err))
	out := t.TempDir()
	job, err := OpenJob(p, JobSetting{})
	if err != nil {
		t.Fatal(err)
	}
	var begun []int
	for _, at := range []int{1, 4, 5, 8} {
		ctx, cancel := context.WithCancel(t.Context())
		first := true
		w := spread.Worker{Plan: p, Job: job, Out: out, Progress: func(stage string, done, total int) {
			if stage == "training" && first {
				begun, first = append(begun, done), false
			}
			if stage == "training" && done >= at && at < 8 {
				cancel()
			}
		}}
		err := w.Run(ctx, p.Units)
		var stopped *spread.StoppedError
		if last := at == 8; last != (err == nil) || !last && !errors.As(err, &stopped) {
			t.Fatalf("interrupted at step %d: %v", at, err)
		}
		cancel()
	}
	if !slices.Equal(begun, []int{1, 2, 4, 6}) { // at step 4 the epoch was still to be ended
		t.Errorf("it went on at steps %v", begun)
	}
	if err := spread.Merge(t.Context(), p, job, out); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, filesOf(t, out), want, func(name string, text []byte) []byte { return scrubbed(t, name, text) })
}

// Plans of nothing, and units of other data, are refused.
func TestSpreadTrainMistakes(t *testing.T) {
	for want, change := range map[string]func(n *Networks){
		"once":        func(n *Networks) { n.Widths = []float64{.1, .1} },
		"--seeds -1":  func(n *Networks) { n.Seeds = -1 },
		"--width -1":  func(n *Networks) { n.Widths = []float64{-1} },
		"nonesuch":    func(n *Networks) { n.Archs = []string{"nonesuch"} },
		"none-either": func(n *Networks) { n.Datasets = []string{"none-either"} },
	} {
		n := threeNetworks()
		change(&n)
		if _, err := SpreadTrain(t.Context(), n, 1, 1); !IsInput(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	n := threeNetworks()
	n.Seeds = 1
	p, err := SpreadTrain(t.Context(), n, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var unit networkUnit
	if err := json.Unmarshal(p.Units[0].Spec, &unit); err != nil {
		t.Fatal(err)
	}
	for _, sum := range []*string{&unit.TrainSHA256, &unit.TestSHA256} {
		was := *sum
		*sum = "other"
		text, err := json.Marshal(unit)
		if err != nil {
			t.Fatal(err)
		}
		job, err := OpenJob(p, JobSetting{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = job.Make(t.Context(), spread.Unit{Spec: text}, spread.Room{Dir: t.TempDir(), Scratch: t.TempDir(), Progress: func(string, int, int) {}})
		if !IsInput(err) || !strings.Contains(err.Error(), "wants other") {
			t.Errorf("of other data: %v", err)
		}
		*sum = was
	}
}
