package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

const module = "github.com/ansatz-lab/ansatz"

// history caches what packages import, and what was changed since commits.
type history struct {
	packages map[string][]string // the folders of the numerical packages that a package imports, by its path
	changes  map[string][]string // the changed sources, by the commit
}

// changed returns the sources that an experiment's numbers depend on and that the working tree has changed since a commit.
func (h *history) changed(commit string, e *study.Experiment) ([]string, error) {
	folders, err := h.folders(packageOf(e))
	if err != nil {
		return nil, err
	}
	files, known := h.changes[commit]
	if !known {
		text, err := output("git", "diff", "--name-only", commit, "--")
		if err != nil {
			return nil, err
		}
		added, err := output("git", "ls-files", "--others", "--exclude-standard", "--full-name", ":/")
		if err != nil {
			return nil, err
		}
		files = slices.DeleteFunc(strings.Fields(text+" "+added), func(f string) bool { return !isSource(f) })
		h.changes[commit] = files
	}
	var changed []string
	for _, f := range files {
		dir := path.Dir(f)
		if path.Ext(f) == ".cl" { // the package above embeds it
			dir = path.Dir(dir)
		}
		if slices.Contains(folders, dir) {
			changed = append(changed, f)
		}
	}
	return changed, nil
}

// isSource reports whether a file is compiled into the command.
func isSource(file string) bool {
	return slices.Contains([]string{".go", ".c", ".h", ".s", ".cl"}, path.Ext(file)) && !strings.HasSuffix(file, "_test.go")
}

// packageOf returns the path of the package that defines an experiment's settings.
func packageOf(e *study.Experiment) string {
	return reflect.TypeOf(e.Specs[study.Small]).Elem().PkgPath()
}

// folders returns the folders of the numerical packages that a package imports, with its own.
func (h *history) folders(pkg string) ([]string, error) {
	if known := h.packages[pkg]; known != nil {
		return known, nil
	}
	text, err := output("go", "list", "-deps", "-tags", "native,hdf5", pkg)
	if err != nil {
		return nil, err
	}
	var folders []string
	for _, p := range strings.Fields(text) {
		if folder, ours := strings.CutPrefix(p, module+"/"); ours && numerical(folder) {
			folders = append(folders, folder)
		}
	}
	h.packages[pkg] = folders
	return folders, nil
}

// output runs a command and returns its stdout. Its error quotes stderr.
func output(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(text), nil
}
