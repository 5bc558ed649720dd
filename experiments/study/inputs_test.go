package study

import (
	"context"
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

// A complete seed is kept only if its data have not changed since it was made.
func TestResumeKnowsItsData(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "images")
	if err := os.MkdirAll(filepath.Join(path, "cat"), 0o777); err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(path, "cat", "0.png")
	if err := os.WriteFile(image, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := &readerSpec{Data: []string{"glyphs", path}}
	run := Run{Experiment: &Experiment{ID: "toys/reader", Specs: map[Scale]Spec{Small: s}}, Scale: Small, Seeds: 2,
		Out: filepath.Join(dir, "out"), Resume: true}
	for range 2 {
		if _, err := run.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(image, []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, planned := NewPlan([]Run{run})
	_, ran := run.Run(t.Context())
	for _, err := range []error{planned, ran} {
		if want := "since the seed was made the files of " + path + " have changed"; !input.IsError(err) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	run.Resume = false
	if _, err := run.Run(t.Context()); err != nil {
		t.Errorf("made again: %v", err)
	}
}
