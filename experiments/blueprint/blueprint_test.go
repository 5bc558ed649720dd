package blueprint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// save writes newly initialised weights of an architecture to a file, with their names changed, and returns its path.
func save(t *testing.T, arch string, rename func(string) string) string {
	t.Helper()
	a, err := models.Lookup(arch)
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 7, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := n.StateDict().Renamed(func(name string) (string, bool) { return rename(name), true })
	path := filepath.Join(t.TempDir(), "net.safetensors")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := weights.WriteSafetensors(f, d, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

func draw(t *testing.T, name string, o Options) *Blueprint {
	t.Helper()
	b, err := Draw(t.Context(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDraw(t *testing.T) {
	b := draw(t, "resnet18", Options{})
	if b.Outputs != 1000 || b.Parameters != 11689512 || !b.Complete || len(b.Layers) != 21 {
		t.Errorf("resnet18: %d outputs, %d parameters, %d layers; PyTorch's has 1000, 11689512 and 21", b.Outputs,
			b.Parameters, len(b.Layers))
	}
	if b := draw(t, "lenet", Options{Classes: 3}); b.Outputs != 3 {
		t.Errorf("%d outputs, want 3", b.Outputs)
	}
	path := filepath.Join(t.TempDir(), "again.toml")
	if err := os.WriteFile(path, []byte(b.TOML), 0o666); err != nil {
		t.Fatal(err)
	}
	if again := draw(t, path, Options{}); again.Parameters != b.Parameters || len(again.Layers) != len(b.Layers) {
		t.Errorf("the file of resnet18 has %d parameters", again.Parameters)
	}
	if b := draw(t, "vgg11", Options{Size: 32}); len(b.Layers) != 9 {
		t.Errorf("vgg11 on small images has %d layers, want 9", len(b.Layers))
	}
}

// Draw converts an ONNX network to an architecture file that describes the same network. If that is impossible, it says
// why and lists the layers.
func TestDrawONNX(t *testing.T) {
	const folder = "../../models/totoml/testdata/"
	b := draw(t, folder+"mobile-17.onnx", Options{})
	if !b.Complete || b.Why != "" || b.Outputs != 5 || !strings.Contains(b.TOML, "# Converted from ONNX.") {
		t.Errorf("complete %v (%s), %d outputs:\n%s", b.Complete, b.Why, b.Outputs, b.TOML)
	}
	path := filepath.Join(t.TempDir(), "again.toml")
	if err := os.WriteFile(path, []byte(b.TOML), 0o666); err != nil {
		t.Fatal(err)
	}
	if again := draw(t, path, Options{Classes: 5}); again.Parameters != b.Parameters || !slices.EqualFunc(again.Layers,
		b.Layers, func(x, y Layer) bool { return x.Name == y.Name && x.Filters == y.Filters && x.Groups == y.Groups }) {
		t.Errorf("the file has the layers %+v, want %+v", again.Layers, b.Layers)
	}
	if b := draw(t, folder+"mobile-17.onnx", Options{Classes: 7}); b.Outputs != 7 {
		t.Errorf("%d outputs, want 7", b.Outputs)
	}
	b = draw(t, folder+"slopes-17.onnx", Options{})
	if b.Complete || !strings.Contains(b.Why, `node "/p/PRelu" (PRelu)`) || len(b.Layers) != 2 ||
		!strings.Contains(b.TOML, "# It cannot be written as an architecture file: node \"/p/PRelu\"") {
		t.Errorf("complete %v (%s), layers %v:\n%s", b.Complete, b.Why, b.Layers, b.TOML)
	}
}

// If weights belong to a known network, Draw names it. Of other weights it shows the names and shapes.
func TestDrawWeights(t *testing.T) {
	b := draw(t, save(t, "resnet20", func(name string) string { return "module." + name }), Options{})
	if b.Arch != "resnet20" || b.Outputs != 7 || !b.Complete {
		t.Errorf("%s with %d outputs", b.Arch, b.Outputs)
	}
	b = draw(t, save(t, "lenet", func(name string) string { return strings.Replace(name, "fc1", "dense", 1) }), Options{})
	if b.Complete || len(b.Layers) > 0 {
		t.Errorf("a state dict is a complete network: %+v", b)
	}
	for _, want := range []string{`name = "dense"`, "kernel = 5", "# input = [1, rows, columns]", "out = 120"} {
		if !strings.Contains(b.TOML, want) {
			t.Errorf("no %q in\n%s", want, b.TOML)
		}
	}
	// With an input size the sketch parses as an architecture file. Only the sizes do not fit, because layers without
	// parameters are missing.
	completed := "input = [1, 5, 5]\n" + b.TOML
	if _, err := archfile.Parse([]byte(completed)); err == nil || !strings.Contains(err.Error(), "convolution") {
		t.Errorf("the sketch is no architecture file but for the sizes: %v", err)
	}
}
