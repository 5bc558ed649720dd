package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// sameNumber is the relative difference up to which two numbers count as the same: the order of sums may have changed.
const sameNumber = 1e-6

// comparison runs experiments at scale smoke with the present sources and with those of earlier commits.
type comparison struct {
	dir      string
	binaries map[string]string // by the commit; "" is the working tree
	values   map[[2]string]map[string]float64
}

func newComparison() (*comparison, error) {
	dir, err := os.MkdirTemp("", "stale-")
	return &comparison{dir: dir, binaries: map[string]string{}, values: map[[2]string]map[string]float64{}}, err
}

// close removes worktrees and binaries.
func (c *comparison) close() {
	for commit := range c.binaries {
		if commit != "" {
			_, _ = output("git", "worktree", "remove", "--force", filepath.Join(c.dir, "tree-"+commit)) // the folder goes anyway
		}
	}
	_ = os.RemoveAll(c.dir)
}

// different describes the first value of an experiment that has changed since a commit, and is "" if there is none.
func (c *comparison) different(commit, id string) (string, error) {
	now, err := c.smoke("", id)
	if err != nil {
		return "", err
	}
	then, err := c.smoke(commit, id)
	if err != nil {
		return "", err
	}
	return differentValue(now, then), nil
}

// differentValue describes the first value, in order of the names, that differs between two runs.
func differentValue(now, then map[string]float64) string {
	if len(now) == 0 {
		return "there are none"
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		a, b := now[name], then[name]
		_, there := then[name]
		if !there || math.Abs(a-b) > sameNumber*max(math.Abs(a), math.Abs(b)) {
			return fmt.Sprintf("%s is %.9g, was %.9g", name, a, b)
		}
	}
	if len(then) > len(now) {
		return fmt.Sprintf("%d values in the place of %d", len(now), len(then))
	}
	return ""
}

// smoke returns the values of an experiment at scale smoke at a commit, "" for the working tree.
func (c *comparison) smoke(commit, id string) (map[string]float64, error) {
	key := [2]string{commit, id}
	if known, there := c.values[key]; there {
		return known, nil
	}
	binary, err := c.build(commit)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(c.dir, "out-"+commit)
	if _, err := output(binary, "run", id, "--scale", "smoke", "--seeds", "1", "--quiet", "--resume", "--out", out); err != nil {
		return nil, err
	}
	runs, err := filepath.Glob(filepath.Join(out, filepath.FromSlash(id), "*", "seed-0", "run.json"))
	if err != nil || len(runs) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%s at %q: want one run in %s, found %d", id, commit, out, len(runs)))
	}
	text, err := os.ReadFile(runs[0])
	if err != nil {
		return nil, err
	}
	var seed struct{ Values map[string]float64 }
	if err := json.Unmarshal(text, &seed); err != nil {
		return nil, fmt.Errorf("%s: %w", runs[0], err)
	}
	c.values[key] = seed.Values
	return seed.Values, nil
}

// build builds the command ansatz at a commit, unless it did already, and returns the path of the program.
func (c *comparison) build(commit string) (string, error) {
	if known := c.binaries[commit]; known != "" {
		return known, nil
	}
	binary, tree := filepath.Join(c.dir, "ansatz-"+commit), "."
	if commit != "" {
		tree = filepath.Join(c.dir, "tree-"+commit)
		if _, err := output("git", "worktree", "add", "--detach", tree, commit); err != nil {
			return "", err
		}
	}
	c.binaries[commit] = binary
	_, err := output("go", "build", "-C", tree, "-tags", "native,hdf5", "-o", binary, "./cmd/ansatz")
	return binary, err
}
