package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/realdata"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// TestVerifyJSON checks what users' scripts rely on: one JSON document on stdout with these fields, and nothing else.
func TestVerifyJSON(t *testing.T) {
	arch, file := smallFiles(t)
	code, out, errs := ansatz(t, "verify", "--arch", arch, "--weights", file, "--data", "glyphs", "--images", "30",
		"--json")
	if code != exitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r struct {
		Arch, Data  string
		Images      int
		Accuracy    float64
		Seconds     float64
		Conventions map[string]any
		Layers      []map[string]any
	}
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&r); err != nil || d.More() {
		t.Fatalf("stdout is not one JSON document: %v", err)
	}
	if r.Arch != "small" || r.Data != "glyphs" || r.Images != 30 || r.Seconds <= 0 || r.Accuracy < 0 || r.Accuracy > 1 {
		t.Errorf("%+v", r)
	}
	for _, c := range []string{"similarity", "outputs", "null", "normalise", "images", "weights_sha256", "data_sha256",
		"pearson_init"} {
		if r.Conventions[c] == "" || r.Conventions[c] == nil {
			t.Errorf("the convention %s is not recorded", c)
		}
	}
	if len(r.Layers) != 2 || r.Layers[0]["layer"] != "conv" || r.Layers[0]["kind"] != "conv" ||
		r.Layers[1]["kind"] != "linear" {
		t.Fatalf("layers %v", r.Layers)
	}
	if fmt.Sprint(r.Layers[0]["patch"]) != "[1 5 5]" || r.Layers[0]["filters"] != 5. {
		t.Errorf("patch %v, filters %v", r.Layers[0]["patch"], r.Layers[0]["filters"])
	}
	for _, k := range []string{"pearson", "pearson_stderr", "pearson_null", "pearson_null_sd", "cosine", "pearson_sqrt",
		"pearson_init", "cnfm_trace", "agop_trace", "excess"} {
		if _, ok := r.Layers[0][k].(float64); !ok {
			t.Errorf("%s is %v, want a number", k, r.Layers[0][k])
		}
	}
}

func TestVerifyTableAndReport(t *testing.T) {
	arch, file := smallFiles(t)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	code, out, errs := ansatz(t, "verify", "--arch", arch, "--weights", file, "--data", "glyphs", "--images", "5",
		"--out", dir)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if !strings.Contains(out, "null") || !strings.Contains(out, "conv") ||
		!strings.Contains(out, "by 2 standard deviations") {
		t.Errorf("stdout: %s", out)
	}
	for _, f := range []string{"report.html", "record.json", "figures/similarity.svg", "figures/similarity.png",
		"figures/first-layer.png", "figures/responses.png", "tables/layers.csv"} {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestVerifyFolder checks that photographs in one folder for each class have their folders as labels, and that there is
// an accuracy if the network has as many outputs.
func TestVerifyFolder(t *testing.T) {
	arch, file := smallFiles(t)
	text, err := os.ReadFile(arch)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(arch, bytes.Replace(text, []byte("[1, 28, 28]"), []byte("[3, 28, 28]"), 1),
		0o666); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for class, shade := range map[string]uint8{"dark": 40, "light": 200} {
		if err := os.Mkdir(filepath.Join(dir, class), 0o777); err != nil {
			t.Fatal(err)
		}
		for k := range 3 {
			writePNG(t, filepath.Join(dir, class, fmt.Sprintf("%d.png", k)), shade, k)
		}
	}
	for _, classes := range []int{2, 10} { // with 10 outputs, labels of 2 classes give no accuracy
		save(t, file, classes, func(*weights.StateDict) {})
		code, out, errs := ansatz(t, "verify", "--arch", arch, "--weights", file, "--data", dir, "--normalise", "none",
			"--json")
		if code != exitDone {
			t.Fatalf("exit %d: %s", code, errs)
		}
		if strings.Contains(out, `"accuracy"`) != (classes == 2) || !strings.Contains(out, "shuffled with seed 0") ||
			!strings.Contains(out, `"images": 6`) {
			t.Errorf("%d classes: %s", classes, out)
		}
	}
}

func writePNG(t *testing.T, path string, shade uint8, k int) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 40, 36))
	for y := range 36 {
		for x := range 40 {
			img.Set(x, y, color.RGBA{shade + uint8((x*y*(k+3))%40), shade, uint8(6 * y), 255})
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyResNet20 compares numbers with those that PyTorch finds, where the published weights and CIFAR-10 are
// available.
func TestVerifyResNet20(t *testing.T) {
	file := realdata.File(t, "weights/resnet20.th")
	t.Setenv("ANSATZ_DATA", realdata.Folder(t, "cifar-10-batches-bin/test_batch.bin"))
	code, out, errs := ansatz(t, "verify", "--arch", "resnet20", "--weights", file, "--data", "cifar10", "--images",
		"200", "--json")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var r struct {
		Accuracy float64
		Layers   []struct {
			Layer       string
			Pearson     float64
			PearsonNull float64 `json:"pearson_null"`
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Layers) != 20 || r.Accuracy < .79 || r.Accuracy > .87 {
		t.Errorf("%d layers, accuracy %v", len(r.Layers), r.Accuracy)
	}
	// By PyTorch, with 200 of these images. Which 200 depends on how the archive was unpacked: hence the tolerance of
	// 0.006.
	want := map[string]float64{"conv1": .638, "layer1.2.conv1": .951, "layer2.1.conv1": .963, "layer3.1.conv1": .971}
	for _, l := range r.Layers {
		if w, ok := want[l.Layer]; ok && math.Abs(l.Pearson-w) > .006 {
			t.Errorf("%s: Pearson %.4f, PyTorch has %.3f", l.Layer, l.Pearson, w)
		}
	}
}
