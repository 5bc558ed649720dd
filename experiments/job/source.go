package job

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Files maps the paths of the files that a plan was made with, as they were given, to their
// SHA-256. Units made with other files would not belong to the plan.
type Files map[string]string

// DigestFiles returns the digests of files. It skips empty paths, and an architecture that is not a
// .toml file.
func DigestFiles(arch string, paths ...string) (Files, error) {
	if strings.HasSuffix(arch, ".toml") {
		paths = append(paths, arch)
	}
	files := Files{}
	for _, path := range paths {
		if path == "" {
			continue
		}
		sum, err := digestFile(path)
		if err != nil {
			return nil, &input.Error{Err: err}
		}
		files[path] = sum
	}
	return files, nil
}

func digestFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// Check returns an [*input.Error] if a file has changed since the plan was made.
func (f Files) Check() error {
	for _, path := range slices.Sorted(maps.Keys(f)) {
		sum, err := digestFile(path)
		if err != nil {
			return input.Errorf("a file of the plan: %w; paths are as they were given to ansatz plan: run from "+
				"the same folder", err)
		}
		if err := CheckUnchanged(path, sum, f[path]); err != nil {
			return err
		}
	}
	return nil
}

// CheckUnchanged returns an [*input.Error] unless a digest or a text is the one of the plan.
func CheckUnchanged(what, is, want string) error {
	if is == want {
		return nil
	}
	return input.Errorf("%s: not what the plan was made with: it is %s, the plan wants %s; restore it, or plan "+
		"anew in another folder", what, is, want)
}

// Inputs identifies what work reads. What another process began must read the same: a plan and a
// checkpoint hold the inputs that they were made with.
type Inputs struct {
	Files Files `json:"files,omitempty"`
	// Data maps what is read besides files to its SHA-256, or to a text: "training images" and
	// "classes", for example.
	Data map[string]string `json:"data,omitempty"`
}

// CheckPlanned returns an [*input.Error] for the first input that is not the one of the plan.
func (i Inputs) CheckPlanned(plan Inputs) error {
	for _, what := range slices.Sorted(maps.Keys(plan.Data)) {
		if err := CheckUnchanged("the "+what, i.Data[what], plan.Data[what]); err != nil {
			return err
		}
	}
	return nil
}

// Changes lists the inputs in which work that is to continue differs from what it began with.
func (i Inputs) Changes(begun Inputs) []string {
	var list []string
	for _, path := range slices.Sorted(maps.Keys(begun.Files)) {
		if sum, read := i.Files[path]; read && sum != begun.Files[path] {
			list = append(list, "the file "+path+" has changed")
		}
	}
	for _, what := range slices.Sorted(maps.Keys(begun.Data)) {
		now, was := i.Data[what], begun.Data[what]
		switch {
		case now == was:
		case len(was) == sha256.Size*2:
			list = append(list, "the "+what+" have changed")
		default:
			list = append(list, fmt.Sprintf("the %s were %s, are %s", what, was, now))
		}
	}
	return list
}

// Decode reads the settings or a unit of a plan into v. Unknown fields are an [*input.Error].
func Decode(text json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return input.Errorf("the plan cannot be read: %w; another version of ansatz made it", err)
	}
	return nil
}
