package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// ansatz runs a command line in this process.
func ansatz(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(context.Background(), args, streams{&out, &err})
	return code, out.String(), err.String()
}

// smallFiles writes an architecture and weights for it.
func smallFiles(t *testing.T) (arch, file string) {
	t.Helper()
	dir := t.TempDir()
	arch = filepath.Join(dir, "small.toml")
	text := "input = [1, 28, 28]\nnormalise = \"dataset\"\n" +
		"[[layer]]\ntype = \"conv\"\nname = \"conv\"\nfilters = 5\nkernel = 5\nstride = 2\n" +
		"[[layer]]\ntype = \"relu\"\n[[layer]]\ntype = \"globalavgpool\"\n[[layer]]\ntype = \"linear\"\nname = \"fc\"\n"
	if err := os.WriteFile(arch, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "small.safetensors")
	save(t, file, 10, func(*weights.StateDict) {})
	return arch, file
}

// save writes initial weights of the architecture small.toml in the same folder, after change has altered them.
func save(t *testing.T, path string, classes int, change func(*weights.StateDict)) {
	t.Helper()
	a, err := archfile.ReadFile(filepath.Join(filepath.Dir(path), "small.toml"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, classes, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := n.StateDict()
	change(d)
	if err := weights.Save(path, d, nil); err != nil {
		t.Fatal(err)
	}
}

// TestBadInput checks that every mistake gives exit code 2 and a message that says what to do, prints nothing on stdout
// and leaves no folder.
func TestBadInput(t *testing.T) {
	arch, file := smallFiles(t)
	dir := filepath.Dir(file)
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := write("cut.safetensors", string(whole[:len(whole)-100]))
	nan := filepath.Join(dir, "nan.safetensors")
	save(t, nan, 10, func(d *weights.StateDict) {
		v, _ := d.Get("conv.weight")
		v.Float32s()[7] = float32(math.NaN())
	})
	shape := filepath.Join(dir, "shape.safetensors")
	save(t, shape, 10, func(d *weights.StateDict) {
		d.Set("conv.weight", tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(5, 1, 3, 3)))
	})
	key := write("key.toml", "input = [1, 28, 28]\n[[layer]]\ntype = \"relu\"\nsize = 3\n")
	colour := write("colour.toml", "input = [3, 8, 8]\n[[layer]]\ntype = \"linear\"\nname = \"fc\"\n")
	coloured := filepath.Join(dir, "coloured.safetensors")
	fc := new(weights.StateDict)
	fc.Set("fc.weight", tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2, 192)))
	fc.Set("fc.bias", tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(2)))
	if err := weights.Save(coloured, fc, nil); err != nil {
		t.Fatal(err)
	}
	photos := filepath.Join(dir, "photos")
	if err := os.Mkdir(photos, 0o777); err != nil {
		t.Fatal(err)
	}
	write("photos/a.png", "this is no image")
	good := func(more ...string) []string {
		return append([]string{"verify", "--arch", arch, "--weights", file, "--data", "glyphs"}, more...)
	}
	with := func(flag, value string) []string {
		args := good()
		for i, a := range args {
			if a == flag {
				args[i+1] = value
			}
		}
		return args
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"cut short", with("--weights", cut)},
		{"expected a safetensors file or one of torch.save", with("--weights", arch)},
		{"no such file", with("--weights", filepath.Join(dir, "none.pth"))},
		{"conv.weight [5, 1, 3, 3] instead of [5, 1, 5, 5]", with("--weights", shape)},
		{"NaN or infinite values, in conv.weight", with("--weights", nan)},
		{"missing: conv1.weight", []string{"verify", "--arch", "resnet20", "--weights", file, "--data", "glyphs"}},
		{`unknown key "size"`, with("--arch", key)},
		{"unknown architecture", with("--arch", "nonet")},
		{"(did you mean resnet20?): ansatz verify --help lists all\n", with("--arch", "restnet20")},
		{`no tensor's name begins with "model."`, good("--prefix", "model.")},
		{"unknown architecture", []string{"arch", "nonet"}},
		{"want one name or file, got 0", []string{"arch"}},
		{"no such file", []string{"arch", filepath.Join(dir, "none.onnx")}},
		{"cut short", []string{"arch", cut}},
		{"a window of 2 does not fit in 1", []string{"arch", "vgg16", "--size", "3"}},
		{"not found", with("--data", "nothere")},
		{"a.png", []string{"verify", "--arch", colour, "--weights", coloured, "--data", photos}},
		{"--images 0: want at least 1", good("--images", "0")},
		{"glyphs has 2000", good("--images", "2001")},
		{"probes:N", good("--outputs", "some")},
		{"matches none of the layers of small: conv, fc", good("--layers", "^x$")},
		{"not a regular expression", good("--layers", "[")},
		{"want 32 or 64", good("--precision", "16")},
		{"want native, go or gpu", good("--backend", "abacus")},
		{"give --init-weights", good("--minus-init")},
		{"want at least 1", good("--threads", "-2")},
		{"none, imagenet, dataset or MEAN/STD", good("--normalise", "yes")},
		{"train, test or validation", good("--split", "half")},
		{"needs --data", []string{"verify", "--arch", arch}},
		{"give --weights", []string{"verify", "--arch", arch, "--data", "deadleaves"}},
		{"unknown flag", good("--imagges", "3")},
		{`--images "many": want a whole number`, good("--images", "many")},
		{`--width "two": want a number`, good("--width", "two")},
		{"want a number above 0", good("--width", "0")},
		{"want a number above 0", good("--width", "NaN")},
		{"no argument", good("cifar10")},
		{`unknown command "verfiy" (did you mean verify?)`, []string{"verfiy"}},
		{`unknown command "verfy" (did you mean verify?)`, []string{"help", "verfy"}},
		{`unknown command "verfy" (did you mean verify?)`, []string{"verfy", "--help"}},
		{`unknown command "verify": there are check, get, list`, []string{"data", "verify", "--help"}},
		{`unknown command "chekc" (did you mean check?)`, []string{"help", "data", "chekc"}},
		{"unknown flag: --imgaes (did you mean --images?)", good("--imgaes", "3")},
		{"did you mean glyphs?", with("--data", "gylphs")},
		{`there is no experiment "rfm/fig33" (did you mean rfm/fig3?)`, []string{"run", "rfm/fig33"}},
		{`there is no experiment "fig9" (did you mean cnfa/fig9, rfm/fig9 or energy/fig9?)`, []string{"run", "fig9"}},
		{`no dataset "minst" (did you mean mnist?)`, []string{"data", "get", "minst"}},
		{`there is no kernel "laplac" (did you mean laplace?)`, []string{"rfm", "--data", "mnist", "--kernel", "laplac"}},
		{"--out", good("--out", filepath.Join(file, "x"))},
		{"want at least 1", []string{"demo", "--train", "3"}},
		{"want native, go or gpu", []string{"demo", "--backend", "abacus"}},
	} {
		made := filepath.Join(dir, "made")
		if !slices.Contains(c.args, "--out") && c.args[0] != "arch" {
			c.args = append(slices.Clone(c.args), "--out", made)
		}
		code, out, errs := ansatz(t, c.args...)
		// An image that cannot be decoded is found only when the folder exists.
		if _, err := os.Stat(made); err == nil && c.want != "a.png" {
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

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := ansatz(t, "demo", "--epochs", "1", "--train", "300", "--images", "40", "--out", dir)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if !strings.Contains(out, "Before training") || !strings.Contains(out, "conv3") {
		t.Errorf("stdout: %s", out)
	}
	if !strings.Contains(errs, filepath.Join(dir, "report.html")) {
		t.Errorf("stderr does not tell the path of the report: %s", errs)
	}
	code, again, _ := ansatz(t, "demo", "--epochs", "1", "--train", "300", "--images", "40")
	if code != exitDone || again != out {
		t.Errorf("the same seed gave another result:\n%s\n%s", out, again)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	arch, file := smallFiles(t)
	code := run(ctx, []string{"verify", "--arch", arch, "--weights", file, "--data", "glyphs"}, streams{&out, &errs})
	if code != exitFailed || !strings.Contains(errs.String(), "Interrupted") || out.Len() > 0 {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out.String(), errs.String())
	}
}

func TestDoctor(t *testing.T) {
	code, out, _ := ansatz(t, "doctor", "--json", "--data-dir", t.TempDir())
	var d diagnosis
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitDone {
		t.Fatalf("exit %d, %v: %s", code, err, out)
	}
	if d.Datasets["glyphs"] != "there" || d.Datasets["mnist"] == "there" || d.Cores < 1 {
		t.Errorf("%+v", d)
	}
	code, out, _ = ansatz(t, "doctor")
	if code != exitDone || !strings.Contains(out, "backend") {
		t.Errorf("exit %d: %s", code, out)
	}
}
