package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/data/array"
)

// Folder returns the data folder: dir or, if that is "", the default of [Options].Dir. It returns a [*NotFoundError] if
// there is no default.
func Folder(dir string) (string, error) { return Options{Dir: dir}.dir("") }

// dir returns the data folder. Its error is a NotFoundError for the dataset.
func (o Options) dir(dataset string) (string, error) {
	if o.Dir != "" {
		return o.Dir, nil
	}
	if d := os.Getenv("ANSATZ_DATA"); d != "" {
		return d, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", &NotFoundError{
			Dataset: dataset,
			Hint:    fmt.Sprintf("set --data-dir or $ANSATZ_DATA: there is no user cache folder (%v)", err),
		}
	}
	return filepath.Join(cache, "ansatz"), nil
}

// firstFile returns the first of the paths that exists, or a NotFoundError for the dataset. It does not check whether
// the file can be read.
func firstFile(dataset, hint string, paths ...string) (string, error) {
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil || errors.Is(err, fs.ErrPermission) {
			return p, nil
		}
	}
	return "", &NotFoundError{
		Dataset: dataset,
		Looked:  paths,
		Hint:    "set --data-dir or $ANSATZ_DATA to the folder that holds it; " + hint,
	}
}

// readFile reads a file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, &FormatError{
			Path:   path,
			Offset: array.NoOffset,
			Want:   fmt.Sprintf("a file of at most %d bytes", limit),
			Got:    fmt.Sprintf("%v of %d bytes", info.Mode(), info.Size()),
		}
	}
	raw := make([]byte, info.Size())
	if n, err := io.ReadFull(f, raw); err != nil {
		return nil, fmt.Errorf("data: reading %s at byte %d: %w", path, n, err)
	}
	return raw, nil
}
