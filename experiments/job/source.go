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

// Decode reads the settings or a unit of a plan into v. Unknown fields are an [*input.Error].
func Decode(text json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return input.Errorf("the plan cannot be read: %w; another version of ansatz made it", err)
	}
	return nil
}
