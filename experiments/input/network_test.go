package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"github.com/ansatz-lab/ansatz/models/totoml"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// wantError fails the test unless err is an input error that contains the text.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if !IsError(err) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v: want an input error with %q", err, text)
	}
}

// OpenInitial accepts only the weights with which the training began, if the trained weights store the digest of these.
func TestOpenInitial(t *testing.T) {
	dir := t.TempDir()
	a, err := models.Lookup("linear")
	if err != nil {
		t.Fatal(err)
	}
	in := models.Shape{Channels: 1, Height: 4, Width: 4}
	save := func(name string, outputs int, seed uint64) (string, *models.Network) {
		n, err := a.InitNetwork(in, outputs, seed)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := weights.Save(path, n.StateDict(), nil); err != nil {
			t.Fatal(err)
		}
		return path, n
	}
	own, network := save("own", 3, 1)
	other, _ := save("other", 3, 2)
	wide, _ := save("wide", 4, 1)
	known := Trained{"trained", network, map[string]string{InitialMetadata: network.StateDict().SHA256()}}
	if _, err := known.OpenInitial(a, own, in); err != nil {
		t.Error(err)
	}
	_, err = known.OpenInitial(a, other, in)
	wantError(t, err, "not the weights with which the training of trained began")
	_, err = known.OpenInitial(a, wide, in)
	wantError(t, err, "has 4 outputs")
	if _, err := (Trained{"foreign", network, nil}).OpenInitial(a, other, in); err != nil {
		t.Error(err) // weights of another program store no digest
	}
}

func TestOpenWeightsChecksMetadata(t *testing.T) {
	a, err := models.Lookup("linear")
	if err != nil {
		t.Fatal(err)
	}
	in := models.Shape{Channels: 1, Height: 4, Width: 4}
	n, err := a.InitNetwork(in, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	open := func(metadata map[string]string) error {
		path := filepath.Join(t.TempDir(), "w.safetensors")
		if err := weights.Save(path, n.StateDict(), metadata); err != nil {
			t.Fatal(err)
		}
		_, _, err := OpenWeights(a, path, in)
		return err
	}
	for _, fine := range []string{`["a","b","c"]`, "[]", "another program's"} {
		if err := open(map[string]string{ClassesMetadata: fine}); err != nil {
			t.Error(err)
		}
	}
	wantError(t, open(map[string]string{ClassesMetadata: `["a","b"]`}), "name 2 classes, but the network has 3 outputs")
	wantError(t, open(map[string]string{ClassesMetadata: `["a","b","a"]`}), `the class "a" twice`)
	wantError(t, open(map[string]string{LinearizedMetadata: "f_lin"}), "tangents u of a linearized network")
	wantError(t, open(map[string]string{"format": models.CheckpointFormat}), "the checkpoint of a training: give its best or last")
}

func TestCheckClassOrder(t *testing.T) {
	metadata := map[string]string{ClassesMetadata: `["emu","cat"]`}
	for _, fine := range [][]string{{"emu", "cat"}, {"dog", "emu"}, nil} {
		if err := CheckClassOrder("w", metadata, fine); err != nil {
			t.Error(err)
		}
	}
	wantError(t, CheckClassOrder("w", metadata, []string{"cat", "emu"}), "emu,cat in this order")
	if err := CheckClassOrder("w", nil, []string{"cat", "emu"}); err != nil {
		t.Error(err) // weights of another program name no classes
	}
}

// A misspelt normalisation is found when the architecture is read, not when it is first used.
func TestLookupArchitectureNormalise(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.toml")
	for text, want := range map[string]string{"dataset": "", ".5/.25": "", "imagnet": "imagnet", "0/0": "positive"} {
		toml := "input = [1, 4, 4]\nnormalise = \"" + text + "\"\n[[layer]]\ntype = \"linear\"\nname = \"fc\"\n"
		if err := os.WriteFile(path, []byte(toml), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := LookupArchitecture(path); want != "" {
			wantError(t, err, want)
		} else if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The normalisation in a TOML file applies to any data that the network reads. That of a built-in network does not,
// since its publishers chose it for their data.
func TestDeclaredNormalisation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.toml")
	toml := "input = [1, 4, 4]\nnormalise = \".5/.25\"\n[[layer]]\ntype = \"linear\"\nname = \"fc\"\n"
	if err := os.WriteFile(path, []byte(toml), 0o666); err != nil {
		t.Fatal(err)
	}
	for arch, want := range map[string]string{path: ".5/.25", "resnet20": "", "nothing.toml": ""} {
		if got := DeclaredNormalisation(arch); got != want {
			t.Errorf("%s: %q, want %q", arch, got, want)
		}
	}
}

// TestOpenWeightsOfONNX checks that the weights of an ONNX file fit the architecture file of its network, even where
// the latter joins three projections into one. The weights of another network do not fit.
func TestOpenWeightsOfONNX(t *testing.T) {
	const folder = "../../models/totoml/testdata/"
	of, err := fromonnx.Open(folder + "tokens-17.onnx")
	if err != nil {
		t.Fatal(err)
	}
	c, err := totoml.Convert(t.Context(), of, of.Input)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := OpenWeights(c.Arch, folder+"tokens-17.onnx", of.Input)
	if err != nil {
		t.Fatal(err)
	}
	name := "blocks.0.attention.in_proj_weight"
	query, _ := of.Weights.Get("blocks.0.query.weight")
	if v := n.Value(name); v == nil || v.Float32s()[5] != query.Float32s()[5] {
		t.Errorf("%s does not begin with the weights of the queries", name)
	}
	if _, _, err := OpenWeights(c.Arch, folder+"mlp-17.onnx", of.Input); err == nil {
		t.Error("weights of another network fit")
	}
}

// A single file is not read as images. The error says what to do with a file of its kind, and does not ask for the size
// of its images.
func TestOpenRefusesFiles(t *testing.T) {
	for name, want := range map[string]string{"t.xlsx": "found a file of another kind: export a spreadsheet as CSV",
		"t.png": "put images into a folder", "t.txt": "is a table: networks read images", "t.csv.gz": "is a table"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("PK\x03\x04\xff"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(DataSpec{Data: path}, &models.Architecture{})
		wantError(t, err, want)
	}
}
