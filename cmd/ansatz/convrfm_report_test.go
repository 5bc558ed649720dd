package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeGrey writes a square grey PNG image to path, and creates its folder. shade returns the grey value of a pixel.
func writeGrey(t *testing.T, path string, side int, shade func(x, y int) uint8) {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			img.SetGray(x, y, color.Gray{Y: shade(x, y)})
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestConvRFMOddImages checks that convrfm can train on a single image and on images that are all the same. It refuses
// images of mixed sizes, and --paper-mode without test images: the message names the flag that is missing.
func TestConvRFMOddImages(t *testing.T) {
	same, one := t.TempDir(), t.TempDir()
	for i := range 12 {
		writeGrey(t, filepath.Join(same, []string{"a", "b"}[i%2], fmt.Sprintf("%d.png", i)), 9,
			func(x, y int) uint8 { return 128 })
	}
	for i, class := range []string{"a", "b"} {
		writeGrey(t, filepath.Join(one, class, "0.png"), 9, func(x, y int) uint8 { return uint8(20*x + 100*i) })
	}
	for name, args := range map[string][]string{
		"constant images":          {"--data", same, "--size", "9"},
		"constant images, laplace": {"--data", same, "--size", "9", "--kernel", "laplace"},
		"no ridge":                 {"--data", same, "--size", "9", "--ridge", "0"},
		"one image":                {"--data", one, "--size", "9", "--train", "1"},
		"one image, the last":      {"--data", one, "--size", "9", "--train", "1", "--select", "last"},
		"one image of a set":       {"--data", "glyphs", "--size", "8", "--train", "1", "--test", "3"},
	} {
		r := convJSON(t, append(args, "--iters", "1")...)
		if len(r.Iterations) != 2 {
			t.Errorf("%s: %v", name, r.Iterations)
		}
	}
	writeGrey(t, filepath.Join(one, "b", "1.png"), 8, func(x, y int) uint8 { return uint8(20 * y) })
	code, _, errs := ansatz(t, "convrfm", "--data", one)
	if code != exitUsage || !strings.Contains(errs, "--size") {
		t.Errorf("mixed sizes: exit %d: %s", code, errs)
	}
	code, _, errs = ansatz(t, "convrfm", "--data", one, "--size", "9", "--paper-mode")
	if code != exitUsage || !strings.Contains(errs, "--test-data") {
		t.Errorf("paper mode without test images: exit %d: %s", code, errs)
	}
}

// TestConvRFMReportAndPredict checks that convrfm writes its report, that predict with the saved model finds the
// recorded test scores, and that predict refuses data and flags that do not suit the model.
func TestConvRFMReportAndPredict(t *testing.T) {
	for _, deep := range [][]string{nil, {"--layers", "2", "--filters", "4"}} {
		dir := t.TempDir()
		code, out, errs := ansatz(t, append(append([]string{"convrfm", "--iters", "1", "--select", "last", "--out",
			dir}, glyphs12...), deep...)...)
		if code != exitDone || !strings.Contains(out, "iteration 0") {
			t.Fatalf("exit %d: %s%s", code, out, errs)
		}
		var record convResult
		text, err := os.ReadFile(filepath.Join(dir, "record.json"))
		if err == nil {
			err = json.Unmarshal(text, &record)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []string{"report.html", "metric.npy", "figures/features-eigenvectors.png",
			"figures/features-responses.png"} {
			if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
				t.Error(err)
			}
		}
		outputs := filepath.Join(dir, "f.npy")
		model := []string{"predict", "--model", filepath.Join(dir, "model"), "--json", "--test", "20", "--outputs-out",
			outputs}
		code, out, errs = ansatz(t, append(model, "--data", "glyphs")...) // the model knows the size
		var p struct {
			Kernel   string
			Accuracy float64 `json:"test_accuracy"`
			MSE      float64 `json:"test_mse"`
		}
		if err := json.Unmarshal([]byte(out), &p); code != exitDone || err != nil {
			t.Fatalf("exit %d: %v %s", code, err, errs)
		}
		if want := record.Iterations[record.Selected]; p.Accuracy != want["test_accuracy"] ||
			p.MSE != want["test_mse"] || p.Kernel != "cntk" {
			t.Errorf("the saved model scores %+v, recorded was %v", p, want)
		}
		if got := shapeOf(t, outputs); got != "[20 10]" {
			t.Errorf("outputs of shape %s", got)
		}
		for _, c := range [][]string{{"--data", "glyphs", "--size", "10"}, {"--data", "glyphs", "--normalise", "dataset"},
			{"--data", "glyphs", "--size", "12", "--classes", "1,2"},
			{"--data", "polynomial:hermite"}, {"--data", "glyphs", "--size", "12", "--unit-sphere"}} {
			if code, _, errs = ansatz(t, append(model, c...)...); code != exitUsage {
				t.Errorf("predict %v: exit %d: %s", c, code, errs)
			}
		}
	}
}
