package experiments

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
)

// jobFiles are the files that a plan was made with, by their paths as they were
// given, and their SHA-256: with others its units would be foreign.
type jobFiles map[string]string

// digestFiles reads files; "" is none. Of architectures by name there is no file.
func digestFiles(arch string, paths ...string) (jobFiles, error) {
	if strings.HasSuffix(arch, ".toml") {
		paths = append(paths, arch)
	}
	files := jobFiles{}
	for _, path := range paths {
		if path == "" {
			continue
		}
		sum, err := digestFile(path)
		if err != nil {
			return nil, &InputError{err}
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

// check refuses files that are not those of the plan.
func (f jobFiles) check() error {
	for _, path := range slices.Sorted(maps.Keys(f)) {
		sum, err := digestFile(path)
		if err != nil {
			return badInput("a file of the plan: %w; paths are as they were given to ansatz plan: run from the same folder", err)
		}
		if err := planned(path, sum, f[path]); err != nil {
			return err
		}
	}
	return nil
}

// planned refuses what has not the digest, or the text, that it was planned with.
func planned(what, is, want string) error {
	if is == want {
		return nil
	}
	return badInput("%s: not what the plan was made with: it is %s, the plan wants %s; restore it, or plan anew in another folder", what, is, want)
}

// decodePlanned reads the settings, or a unit, of a plan; there must be no more to
// it than v has.
func decodePlanned(text json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return badInput("the plan cannot be read: %w; another version of ansatz made it", err)
	}
	return nil
}
