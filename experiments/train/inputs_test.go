package train

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/verify"
)

// writePNG writes an 8×8 image of one colour.
func writePNG(t *testing.T, path string, c color.Color) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	px := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		px.Set(i%8, i/8, c)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, px); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeClasses writes a folder of classes, each of its own colour, with six images each.
func writeClasses(t *testing.T, dir string, classes ...string) string {
	t.Helper()
	for _, c := range classes {
		for i := range 6 {
			writePNG(t, filepath.Join(dir, c, fmt.Sprintf("%d.png", i)), classColour(c, uint8(4*i)))
		}
	}
	return dir
}

// classColour returns red for cats, green for dogs and blue for all other classes.
func classColour(class string, shade uint8) color.Color {
	switch class {
	case "cat":
		return color.RGBA{200, shade, shade, 255}
	case "dog":
		return color.RGBA{shade, 200, shade, 255}
	}
	return color.RGBA{shade, shade, 200, 255}
}

// A run is resumed only with the images and files that it began with.
func TestResumeKnowsItsInputs(t *testing.T) {
	const arch = "name = \"small\"\ninput = [3, 8, 8]\n[[layer]]\ntype = \"flatten\"\n[[layer]]\ntype = " +
		"\"linear\"\nname = \"fc\"\n"
	for want, change := range map[string]func(t *testing.T, images, arch string){
		"": func(*testing.T, string, string) {},
		"since the run began the training images have changed": func(t *testing.T, images, _ string) {
			writePNG(t, filepath.Join(images, "cat", "0.png"), color.Black)
		},
		"the training images have changed; restore them": func(t *testing.T, images, _ string) {
			if err := os.Remove(filepath.Join(images, "dog", "3.png")); err != nil {
				t.Fatal(err)
			}
		},
		"the classes were cat, dog, are dog, zebra": func(t *testing.T, images, _ string) {
			for _, dir := range []string{images, images + "-test"} {
				if err := os.Rename(filepath.Join(dir, "cat"), filepath.Join(dir, "zebra")); err != nil {
					t.Fatal(err)
				}
			}
		},
		"the test images have changed": func(t *testing.T, images, _ string) {
			writePNG(t, filepath.Join(images+"-test", "cat", "0.png"), color.Black)
		},
		"small.toml has changed": func(t *testing.T, _, path string) {
			if err := os.WriteFile(path, []byte("# another\n"+arch), 0o666); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := t.TempDir()
		images := writeClasses(t, filepath.Join(dir, "images"), "cat", "dog")
		path := filepath.Join(dir, "small.toml")
		if err := os.WriteFile(path, []byte(arch), 0o666); err != nil {
			t.Fatal(err)
		}
		s := Spec{Arch: path, Data: images, TestData: writeClasses(t, images+"-test", "cat", "dog"), Size: 8, Epochs: 1,
			Batch: 4, Normalise: "none"}
		run := func() error {
			training, err := NewTraining(t.Context(), s)
			if err != nil {
				return err
			}
			_, err = training.Run(t.Context(), Run{Out: filepath.Join(dir, "out"), Resume: true})
			return err
		}
		if err := run(); err != nil {
			t.Fatal(err)
		}
		change(t, images, path)
		s.Epochs = 2
		err := run()
		if want == "" && err != nil || want != "" && (!input.IsError(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// What has changed since a run began is named. Generated images depend on the seed: if that has changed, the error names it,
// and not the images.
func TestResumeRefuses(t *testing.T) {
	begun := Spec{Arch: "mlp:4", Data: "glyphs", Train: 8, Test: 4, Epochs: 2, Batch: 4, Threads: 1}
	out := t.TempDir()
	if _, err := newQuick(t, begun).Run(t.Context(), Run{Out: out}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Spec){
		"--seed was 0, is 1":                                          func(s *Spec) { s.Seed = 1 },
		"the number of threads (--threads) was 1, is 2":               func(s *Spec) { s.Threads = 2 },
		"has taken 4 steps already, and --epochs and --steps allow 2": func(s *Spec) { s.Epochs = 1 },
		"has taken 4 steps already, and --epochs and --steps allow 3": func(s *Spec) { s.Steps = 3 },
	} {
		s := begun
		change(&s)
		_, err := newQuick(t, s).Run(t.Context(), Run{Out: out, Resume: true})
		if !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// Weights are trained on with the normalisation of their training, as the other commands measure them.
func TestNormalisedAsBefore(t *testing.T) {
	s := Spec{Arch: "mlp:4", Data: "glyphs", Train: 8, Test: 4, Epochs: 1, Batch: 4, Normalise: ".25/.5"}
	r, err := newQuick(t, s).Run(t.Context(), Run{Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.InitWeights = r.LastWeights
	for given, want := range map[string]string{"": "0.25/0.5", "none": "none"} {
		s.Normalise = given
		if n := newQuick(t, s).Images().Normalisation.String(); n != want {
			t.Errorf("--normalise %q: %s, want %s", given, n, want)
		}
	}
}

// Remarks on the network, such as that its outputs are those of a softmax, end the summary.
func TestRemarksOnTheNetwork(t *testing.T) {
	s := Spec{Arch: "mlp:4", Data: "glyphs", Train: 8, Test: 4, Epochs: 1, Batch: 4}
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		t.Fatal(err)
	}
	a.Notes = []string{"One.", "Two."}
	training, err := NewTrainingOf(t.Context(), s, a)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := training.Run(t.Context(), Run{}); err != nil || !strings.HasSuffix(r.Summary(), ". One. Two.") {
		t.Errorf("%q, %v", r.Summary(), err)
	}
}

// What makes the last batch of an epoch impossible, or a flag without effect, is found before the training.
func TestFoundBefore(t *testing.T) {
	images := writeClasses(t, filepath.Join(t.TempDir(), "images"), "cat", "dog")
	s := Spec{Arch: "resnet18", Width: .05, Data: images, Size: 32, Epochs: 1, Batch: 11, Test: 5}
	if _, err := NewTraining(t.Context(), s); !input.IsError(err) || !strings.Contains(err.Error(), "--test-data names") {
		t.Error(err)
	}
	s.Test = 0
	_, err := newQuick(t, s).Run(t.Context(), Run{})
	if !input.IsError(err) || !strings.Contains(err.Error(), "in the last batch of an epoch, of 1 image: take another --batch") {
		t.Error(err)
	}
}

// A test image has the label that its class has among the training images, even if some classes have no test images.
// Package verify matches classes with those that the weights were trained on.
func TestClassesByName(t *testing.T) {
	dir := t.TempDir()
	images := writeClasses(t, filepath.Join(dir, "images"), "cat", "dog", "emu")
	s := Spec{Arch: "mlp:16", Data: images, Size: 8, Epochs: 20, Batch: 6, LR: .05}
	s.TestData = writeClasses(t, filepath.Join(dir, "test"), "dog", "emu")
	training, err := NewTraining(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := training.Run(t.Context(), Run{Out: filepath.Join(dir, "out")})
	if err != nil {
		t.Fatal(err)
	}
	if got := *r.Final().TestAccuracy; got < .9 {
		t.Errorf("test accuracy %v", got)
	}
	v, err := verify.NewVerification(verify.Spec{
		DataSpec: input.DataSpec{Data: s.TestData, Size: 8}, Arch: s.Arch, Weights: r.LastWeights, Images: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := v.Run(t.Context(), nil)
	if err != nil || found.Accuracy == nil || *found.Accuracy < .9 {
		t.Errorf("accuracy of verify %v, %v", found.Accuracy, err)
	}
	s.TestData = writeClasses(t, filepath.Join(dir, "others"), "cat", "fox")
	if _, err := NewTraining(t.Context(), s); !input.IsError(err) ||
		!strings.Contains(err.Error(), `"fox", which the training images do not have: it has cat, fox, they have cat, dog, emu`) {
		t.Errorf("a class that is not trained on: %v", err)
	}
	v, err = verify.NewVerification(verify.Spec{
		DataSpec: input.DataSpec{Data: s.TestData, Size: 8}, Arch: s.Arch, Weights: r.LastWeights, Images: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if found, err = v.Run(t.Context(), nil); err != nil || found.Accuracy != nil {
		t.Errorf("accuracy on other classes: %v, %v", found.Accuracy, err)
	}
}

// A finished training that is continued has no record until it ends, since the old record does not belong to the new
// weights. A record has the digests of its weights. Another backend is refused.
func TestRecordBelongsToWeights(t *testing.T) {
	s, dir := quick(), t.TempDir()
	s.Track, s.Epochs = 0, 1
	r, err := newQuick(t, s).Run(t.Context(), Run{Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range r.WeightsSHA256 {
		if got := fmt.Sprintf("%x", sum(t, filepath.Join(dir, name))); got != want {
			t.Errorf("%s has the digest %s, the record says %s", name, got, want)
		}
	}
	if len(r.WeightsSHA256) != 3 || len(r.Makers) != 1 {
		t.Errorf("%v, %v", r.WeightsSHA256, r.Makers)
	}
	s.Epochs = 3
	ctx, stop := context.WithCancel(t.Context())
	_, err = newQuick(t, s).Run(ctx, Run{Out: dir, Resume: true, Progress: func(p Progress) {
		if p.Ended != nil {
			stop()
		}
	}})
	if !checkpoint.Interrupted(err) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "record.json")); err == nil {
		t.Error("the record of one epoch is beside the weights of two")
	}
	if _, err = newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true}); err != nil {
		t.Fatal(err)
	}
	s.Backend = "go"
	if input.BackendName("") == "go" {
		t.Skip("there is one backend")
	}
	if _, err = newQuick(t, s).Run(t.Context(), Run{Out: dir, Resume: true}); !input.IsError(err) ||
		!strings.Contains(err.Error(), "the backend was native, is go") {
		t.Errorf("another backend: %v", err)
	}
}
