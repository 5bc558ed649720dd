package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/realdata"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// energyJSON holds the fields of the JSON output of ansatz energy that the tests read.
type energyJSON struct {
	Arch, Data, Layer, Kind string
	Filters, Components     int
	LeftOut                 int `json:"components_left_out"`
	Profile, Variances      []float64
	Spread                  float64
	PearsonAgainst          *float64 `json:"pearson_against"`
	Against                 []struct {
		Name      string
		Seeds     int
		Pearson   *float64
		NullSD    float64 `json:"pearson_null_sd"`
		Ceiling   float64 `json:"pearson_ceiling"`
		Partial   *float64
		Profile   []float64
		Undefined string
	}
	Reliability float64
	Notes       []string
	Conventions map[string]any
}

// energyOf runs ansatz energy --json with args and returns its output.
func energyOf(t *testing.T, args ...string) energyJSON {
	t.Helper()
	code, out, errs := ansatz(t, append([]string{"energy", "--json"}, args...)...)
	if code != exitDone || errs != "" {
		t.Fatalf("ansatz energy %v: exit %d: %s", args, code, errs)
	}
	var r energyJSON
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&r); err != nil || d.More() {
		t.Fatalf("stdout is not one JSON document: %v", err)
	}
	return r
}

func TestEnergyJSON(t *testing.T) {
	arch, file := smallFiles(t)
	r := energyOf(t, "--arch", arch, "--weights", file, "--data", "glyphs", "--against", file, "--against", "init",
		"--init-seeds", "4")
	if r.Arch != "small" || r.Layer != "conv" || r.Kind != "conv" || r.Filters != 5 || r.Components != 25 ||
		len(r.Profile) != 25 || len(r.Variances) != 25 || r.LeftOut != 0 || r.Spread <= 0 {
		t.Errorf("%+v", r)
	}
	if !slices.IsSortedFunc(r.Variances, func(a, b float64) int { return -cmpFloat(a, b) }) {
		t.Errorf("variances do not fall: %v", r.Variances)
	}
	if len(r.Against) != 2 || r.PearsonAgainst == nil || math.Abs(*r.PearsonAgainst-1) > 1e-9 ||
		math.Abs(*r.Against[0].Partial-1) > 1e-9 {
		t.Fatalf("against itself: %+v", r.Against)
	}
	if r.Reliability < 0 || r.Reliability > 1 || math.Abs(r.Against[0].Ceiling-r.Reliability) > 1e-12 {
		t.Errorf("a reliability of %v, a ceiling of %v with itself", r.Reliability, r.Against[0].Ceiling)
	}
	init := r.Against[1]
	if init.Name != "init" || init.Seeds != 4 || math.Abs(*init.Pearson) > .9 ||
		math.Abs(init.NullSD-1/math.Sqrt(24)) > 1e-12 || len(init.Profile) != 25 {
		t.Errorf("against fresh initialisations: %+v", init)
	}
	for _, c := range []string{"profile", "components", "similarity", "null", "partial", "spread_null", "init",
		"images", "normalise", "weights_sha256", "data_sha256", "version"} {
		if r.Conventions[c] == "" || r.Conventions[c] == nil {
			t.Errorf("the convention %s is not recorded", c)
		}
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestEnergyOfChange checks three changes of weights. Doubled filters have a profile proportional to that of the
// original ones, 2W minus W has the profile of W, and W minus the same W is refused, because it is zero.
func TestEnergyOfChange(t *testing.T) {
	arch, file := smallFiles(t)
	doubled := filepath.Join(filepath.Dir(file), "doubled.safetensors")
	save(t, doubled, 10, func(d *weights.StateDict) {
		v, _ := d.Get("conv.weight")
		for i := range v.Float32s() {
			v.Float32s()[i] *= 2
		}
	})
	args := []string{"--arch", arch, "--weights", doubled, "--data", "glyphs", "--images", "100"}
	plain := energyOf(t, append(args, "--against", file)...)
	less := energyOf(t, append(args, "--minus-init", "--init-weights", file)...)
	for i, e := range less.Profile { // 2W − W is W
		if math.Abs(2*e-plain.Profile[i]) > 1e-6 || math.Abs(e-plain.Against[0].Profile[i]) > 1e-6 {
			t.Fatalf("component %d: %v, %v and %v", i+1, e, plain.Profile[i], plain.Against[0].Profile[i])
		}
	}
	if math.Abs(*plain.PearsonAgainst-1) > 1e-9 {
		t.Errorf("doubled filters: %v", *plain.PearsonAgainst)
	}
	code, out, errs := ansatz(t, "energy", "--arch", arch, "--weights", file, "--data", "glyphs", "--minus-init",
		"--init-weights", file)
	if code != exitUsage || out != "" || !strings.Contains(errs, "respond to no component") {
		t.Errorf("exit %d, stdout %q, stderr %s", code, out, errs)
	}
}

func TestEnergyTableAndReport(t *testing.T) {
	arch, file := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	code, out, errs := ansatz(t, "energy", "--arch", arch, "--weights", file, "--data", "glyphs", "--against", "init",
		"--out", dir)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{"partial", "with σ", "init, 10 seeds", "25 components", "against a null of 0 ±"} {
		if !strings.Contains(out, want) {
			t.Errorf("stdout has no %q: %s", want, out)
		}
	}
	for _, f := range []string{"report.html", "record.json", "figures/profiles.svg", "figures/components.png",
		"tables/profile.csv", "tables/similarities.csv"} {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestEnergyOfTraining checks that energy normalises images as in the training whose weights it reads, and that a
// change W − W₀ correlates perfectly with itself.
func TestEnergyOfTraining(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	if code, _, errs := ansatz(t, "train", "--arch", arch, "--data", "glyphs", "--train", "100", "--test", "20",
		"--epochs", "1", "--normalise", ".5/.25", "--out", dir, "--quiet"); code != exitDone {
		t.Fatal(errs)
	}
	last, initial := filepath.Join(dir, "last.safetensors"), filepath.Join(dir, "initial.safetensors")
	r := energyOf(t, "--arch", arch, "--weights", last, "--data", "glyphs", "--against", initial)
	if !strings.Contains(fmt.Sprint(r.Conventions["normalise"]), "0.5/0.25") || *r.PearsonAgainst >= 1-1e-12 {
		t.Errorf("%v, %v", r.Conventions["normalise"], *r.PearsonAgainst)
	}
	change := energyOf(t, "--arch", arch, "--weights", last, "--data", "glyphs", "--minus-init", "--init-weights",
		initial, "--against", last, "--against-init-weights", initial)
	if math.Abs(*change.PearsonAgainst-1) > 1e-9 {
		t.Errorf("a change and itself: %v", *change.PearsonAgainst)
	}
}

// colourFiles writes the architecture of a network with one convolution on colour images, with kernels of the given
// height and width, and weights for it.
func colourFiles(t *testing.T, dir string, kernel [2]int) (arch, file string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("input = [3, 8, 8]\n[[layer]]\ntype = \"conv\"\nname = \"conv\"\nfilters = 4\n"+
		"kernel = [%d, %d]\n"+
		"[[layer]]\ntype = \"globalavgpool\"\n[[layer]]\ntype = \"linear\"\nname = \"fc\"\n", kernel[0], kernel[1])
	arch, file = filepath.Join(dir, "small.toml"), filepath.Join(dir, "small.safetensors")
	if err := os.WriteFile(arch, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	save(t, file, 2, func(*weights.StateDict) {})
	return arch, file
}

// photographs writes four images and returns their folder. Its argument gives the colour of each pixel.
func photographs(t *testing.T, of func(image, x, y int) color.RGBA) string {
	t.Helper()
	dir := t.TempDir()
	for k := range 4 {
		img := image.NewRGBA(image.Rect(0, 0, 8, 8))
		for y := range 8 {
			for x := range 8 {
				img.Set(x, y, of(k, x, y))
			}
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.png", k)))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestEnergyWithoutVariance checks that components without variance are left out. Grey images that are stored in colour
// have 9 components instead of 27, images of one shade each have one, and images that all have the same shade are
// refused.
func TestEnergyWithoutVariance(t *testing.T) {
	arch, file := colourFiles(t, t.TempDir(), [2]int{3, 3})
	grey := photographs(t, func(k, x, y int) color.RGBA {
		v := uint8((31*x*x + 57*y*x + 91*k + 13*y*y*(k+1)) % 251)
		return color.RGBA{v, v, v, 255}
	})
	r := energyOf(t, "--arch", arch, "--weights", file, "--data", grey, "--against", "init")
	if r.Components != 9 || r.LeftOut != 18 || len(r.Profile) != 9 || len(r.Notes) != 1 ||
		!strings.Contains(r.Notes[0], "Only 9 of the 27") || r.PearsonAgainst == nil {
		t.Errorf("grey: %+v", r)
	}
	flat := photographs(t, func(k, _, _ int) color.RGBA { return color.RGBA{uint8(50 * k), 90, 40, 255} })
	if r = energyOf(t, "--arch", arch, "--weights", file, "--data", flat, "--against", "init"); r.Components != 1 ||
		r.PearsonAgainst != nil || !strings.Contains(r.Against[0].Undefined, "fewer than 3 components") {
		t.Errorf("one shade an image: %+v", r)
	}
	same := photographs(t, func(int, int, int) color.RGBA { return color.RGBA{90, 90, 40, 255} })
	code, out, errs := ansatz(t, "energy", "--arch", arch, "--weights", file, "--data", same)
	if code != exitUsage || out != "" || !strings.Contains(errs, "they have no principal components") {
		t.Errorf("one shade: exit %d, stdout %q, stderr %s", code, out, errs)
	}
}

// TestEnergyOfLinear checks that a linear layer that reads whole images has a profile too.
func TestEnergyOfLinear(t *testing.T) {
	dir := t.TempDir()
	if code, _, errs := ansatz(t, "train", "--arch", "mlp:6", "--data", "glyphs", "--size", "8", "--train", "60",
		"--test", "10", "--epochs", "1", "--out", dir, "--quiet"); code != exitDone {
		t.Fatal(errs)
	}
	r := energyOf(t, "--arch", "mlp:6", "--weights", filepath.Join(dir, "last.safetensors"), "--data", "glyphs",
		"--size", "8", "--against", "init")
	if r.Kind != "linear" || r.Components+r.LeftOut != 64 || len(r.Profile) != r.Components {
		t.Errorf("%+v", r)
	}
}

// TestEnergyBadInput checks that every mistake gives exit code 2 and a message that says what to do, prints nothing on
// stdout and leaves no folder.
func TestEnergyBadInput(t *testing.T) {
	arch, file := smallFiles(t)
	dir := t.TempDir()
	colours, colourFile := colourFiles(t, filepath.Join(dir, "a"), [2]int{3, 3})
	oblong, oblongFile := colourFiles(t, filepath.Join(dir, "b"), [2]int{3, 1})
	wide, wideFile := colourFiles(t, filepath.Join(dir, "c"), [2]int{5, 5})
	leaves := []string{"energy", "--arch", colours, "--weights", colourFile, "--data", "deadleaves"}
	good := func(more ...string) []string {
		return append([]string{"energy", "--arch", arch, "--weights", file, "--data", "glyphs"}, more...)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"needs --data", []string{"energy", "--arch", arch}},
		{"give --weights", []string{"energy", "--arch", arch, "--data", "deadleaves"}},
		{"no such file", []string{"energy", "--arch", arch, "--weights", "none.pth", "--data", "glyphs"}},
		{"unknown architecture", []string{"energy", "--arch", "nonet", "--weights", file, "--data", "glyphs"}},
		{"not found", []string{"energy", "--arch", arch, "--weights", file, "--data", "nothere"}},
		{"no such file", good("--against", filepath.Join(dir, "none.safetensors"))},
		{"take a network with the same kernel size", append(leaves, "--against", wideFile, "--against-arch", wide)},
		{"principal components need square patches", []string{"energy", "--arch", oblong, "--weights", oblongFile,
			"--data", "deadleaves"}},
		{"missing: conv1.weight", good("--against", file, "--against-arch", "resnet20")},
		{"give --init-weights", good("--minus-init")},
		{"give --against-init-weights", good("--minus-init", "--init-weights", file, "--against", file)},
		{"is for --minus-init", good("--init-weights", file)},
		{"is for --minus-init", good("--against", file, "--against-init-weights", file)},
		{"which is missing", good("--against", "init", "--against-arch", "lenet")},
		{"with one file of weights", good("--minus-init", "--init-weights", file, "--against", file, "--against", file,
			"--against-init-weights", file)},
		{"has 10000", good("--images", "10001")},
		{"want at least 1", good("--images", "0")},
		{"want at least 1", good("--images", "-2")},
		{"want at least 2", good("--null-draws", "1")},
		{"want a number above 0", good("--against-width", "0")},
		{"none, imagenet, dataset or MEAN/STD", good("--normalise", "yes")},
		{"unknown flag", good("--againts", "init")},
		{"--out", good("--out", filepath.Join(file, "x"))},
	} {
		made := filepath.Join(dir, "made")
		if !slices.Contains(c.args, "--out") {
			c.args = append(slices.Clone(c.args), "--out", made)
		}
		code, out, errs := ansatz(t, c.args...)
		if _, err := os.Stat(made); err == nil {
			t.Errorf("ansatz %v left a folder", c.args)
		}
		_ = os.RemoveAll(made)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "Error: ") || !strings.Contains(errs, c.want) ||
			strings.Contains(errs, "goroutine") {
			t.Errorf("ansatz %v:\n\texit %d, stdout %q\n\tstderr %s\n\twant exit 2 with %q", c.args, code, out, errs,
				c.want)
		}
	}
}

// TestEnergyResNet20 checks, where the published weights and CIFAR-10 are available, that the first layer of ResNet-20
// has an uneven profile, which is not like that of fresh initialisations.
func TestEnergyResNet20(t *testing.T) {
	file := realdata.File(t, "weights/resnet20.th")
	t.Setenv("ANSATZ_DATA", realdata.Folder(t, "cifar-10-batches-bin/test_batch.bin"))
	r := energyOf(t, "--arch", "resnet20", "--weights", file, "--data", "cifar10", "--images", "1000", "--against",
		"init")
	if r.Components != 27 || r.Spread < .4 || math.Abs(*r.PearsonAgainst) > .3 {
		t.Errorf("%+v", r)
	}
}

// TestEnergyFreshIsNotOwn checks that the fresh initialisation of --against init differs from the one that a training
// with the same seed began with.
func TestEnergyFreshIsNotOwn(t *testing.T) {
	arch, _ := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "run")
	if code, _, errs := ansatz(t, "train", "--arch", arch, "--data", "glyphs", "--train", "50", "--test", "20",
		"--epochs", "1", "--out", dir, "--quiet"); code != exitDone {
		t.Fatal(errs)
	}
	initial := filepath.Join(dir, "initial.safetensors")
	if r := energyOf(t, "--arch", arch, "--weights", initial, "--data", "glyphs", "--against", "init", "--init-seeds",
		"1"); *r.PearsonAgainst > .99 {
		t.Errorf("correlation %v with what is called fresh", *r.PearsonAgainst)
	}
}
