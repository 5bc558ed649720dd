package study

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// readerSpec is an experiment that reads a file.
type readerSpec struct {
	Data []string `json:"data" toml:"data"`
}

func (s *readerSpec) Run(context.Context, Setting) (*Outcome, error) { return &Outcome{}, nil }

// A complete seed is kept only if its data have not changed since it was made. The settings name them by a path or by
// their name in the data folder.
func TestResumeKnowsItsData(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, file string }{
		{filepath.Join(dir, "images"), "images/cat/0.png"},
		{"photos", "photos/0.png"},
		{"net.th", "weights/net-1.th"},
	} {
		file := filepath.Join(dir, filepath.FromSlash(c.file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte("old"), 0o666)); err != nil {
			t.Fatal(err)
		}
		s := &readerSpec{Data: []string{"glyphs", c.name}}
		run := Run{Experiment: &Experiment{ID: "toys/reader", Specs: map[Scale]Spec{Small: s}}, Scale: Small, Seeds: 2,
			Setting: Setting{DataDir: dir}, Out: filepath.Join(dir, "out"), Resume: true}
		for range 2 {
			if _, err := run.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(file, []byte("new"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, planned := NewPlan([]Run{run})
		_, ran := run.Run(t.Context())
		for _, err := range []error{planned, ran} {
			if want := "since the seed was made the files of " + c.name + " have changed"; !input.IsError(err) ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
		}
		run.Resume = false
		if _, err := run.Run(t.Context()); err != nil {
			t.Errorf("made again: %v", err)
		}
	}
}

// Weights are found in the data folder and in its subfolder weights, with or without torchvision's digest in the name.
func TestFindWeights(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data[1]") // no pattern
	in := Setting{DataDir: dir}
	put := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if path, found, err := in.FindWeights("a.pth"); found || err != nil || path != filepath.Join(dir, "a.pth") {
		t.Errorf("%q, %t, %v", path, found, err)
	}
	put("weights/b_bn-123.pth")
	// Each file is preferred to those before it.
	for _, file := range []string{"weights/b-owt-1.pth", "b-1.pth", "weights/b.pth", "b.pth"} {
		want := put(file)
		if path, found, err := in.FindWeights("b.pth"); path != want || !found || err != nil {
			t.Errorf("%q, %t, %v; want %s", path, found, err, want)
		}
	}
	if path, found, err := in.FindWeights(filepath.Join(dir, "b.pth")); !found || err != nil {
		t.Errorf("%q, %t, %v", path, found, err)
	}
	if _, found, err := in.FindWeights(filepath.Join(dir, "none.pth")); found || err != nil {
		t.Errorf("%t, %v", found, err)
	}
}
