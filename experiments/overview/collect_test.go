package overview

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// A copy of a seed's folder does not count as a seed. A record that is damaged, or that lies in the folder of another
// seed, is refused with its path.
func TestCollectDamaged(t *testing.T) {
	dir := smokeRuns(t, 2, "rfm/tutorial")
	e, err := experiments.All().Find("rfm/tutorial")
	if err != nil {
		t.Fatal(err)
	}
	_, hash, err := e.Hash(e.Specs[study.Smoke])
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "rfm", "tutorial", hash)
	whole, err := os.ReadFile(filepath.Join(run, "seed-4", study.RunFile))
	if err != nil {
		t.Fatal(err)
	}
	write := func(folder, text string) {
		t.Helper()
		err := os.MkdirAll(filepath.Join(run, folder), 0o777)
		if err := errors.Join(err, os.WriteFile(filepath.Join(run, folder, study.RunFile), []byte(text),
			0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, copied := range []string{"seed-4.old", "seed-04", "seed-4 (copy)"} {
		write(copied, string(whole))
	}
	if r, err := e.Collect(dir); err != nil || len(r) != 1 || len(r[0].Seeds) != 2 {
		t.Fatalf("%d records, %v", len(r), err)
	}
	edited := func(old, new string) string {
		t.Helper()
		text := strings.Replace(string(whole), old, new, 1)
		if text == string(whole) {
			t.Fatalf("the record has no %q", old)
		}
		return text
	}
	for _, c := range []struct{ folder, text, want string }{
		{"seed-9", string(whole), "it is of seed 4"},
		{"seed-4", string(whole[:len(whole)/2]), "unexpected EOF"},
		{"seed-4", "{}", "seed 0"},
		{"seed-4", "null", "seed 0"},
		{"seed-4", edited(`"iterations":`, `"iterations":1`), "settings of hash"},
		{"seed-4", edited(`"experiment":"rfm/tutorial"`, `"experiment":"rfm/fig1"`), `of "rfm/fig1"`},
		{"seed-4", edited(`"rows":[`, `"rows":[[],`), "cells for"},
		{"seed-4", edited(`"y":[`, `"y":[0,`), "of x, y, low and high"},
	} {
		write(c.folder, c.text)
		_, err := e.Collect(dir)
		path := filepath.Join(run, c.folder, study.RunFile)
		if !input.IsError(err) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) ||
			!strings.Contains(err.Error(), "run the experiment again") {
			t.Errorf("%s, want %q: %v", c.folder, c.want, err)
		}
		if c.folder != "seed-4" {
			if err := os.RemoveAll(filepath.Join(run, c.folder)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The name of the folder of results may contain the special characters of a pattern.
func TestCollectFromOddFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b")
	if err := os.Rename(smokeRuns(t, 1, "rfm/tutorial"), dir); err != nil {
		t.Fatal(err)
	}
	e, _ := experiments.All().Find("rfm/tutorial")
	if r, err := e.Collect(dir); err != nil || len(r) != 1 {
		t.Errorf("%d records, %v", len(r), err)
	}
}
