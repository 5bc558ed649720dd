package shard

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// ReceiptFile is the name of a unit's receipt in its folder.
const ReceiptFile = "receipt.json"

// Receipt records what a unit made, when, with which program and from which data.
type Receipt struct {
	Format int    `json:"format"`
	Kind   string `json:"kind"`
	Unit   string `json:"unit"` // its ID
	Name   string `json:"name"`
	Maker
	Machine string            `json:"machine"`
	Made    time.Time         `json:"made"` // when it was begun, in UTC
	Seconds float64           `json:"seconds"`
	Data    map[string]string `json:"data,omitempty"`
	Files   []File            `json:"files"`
	// Checksum is the digest of all of the above.
	Checksum string `json:"checksum"`
}

// File is a file of a unit. Its name has slashes.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (r *Receipt) digest() string {
	without := *r
	without.Checksum = ""
	text, err := json.Marshal(without)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// write lists the files in a folder, and writes the receipt beside them.
func (r *Receipt) write(dir string) error {
	var err error
	if r.Files, err = filesIn(dir); err != nil {
		return err
	}
	for i, f := range r.Files {
		if r.Files[i].SHA256, err = atomicfile.Digest(filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	r.Format, r.Checksum = format, ""
	r.Checksum = r.digest()
	return writeJSON(filepath.Join(dir, ReceiptFile), r)
}

// filesIn returns the files in a folder by name, without a receipt and without digests.
func filesIn(dir string) ([]File, error) {
	files := []File{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a plain file", path)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == ReceiptFile {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files = append(files, File{Name: filepath.ToSlash(name), Bytes: info.Size()})
		}
		return err
	})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, err
}

// ReadReceipt reads the receipt in a unit's folder. If there is none the error is [fs.ErrNotExist].
func ReadReceipt(dir string) (*Receipt, error) {
	r := &Receipt{}
	err := jsonfile.Read(filepath.Join(dir, ReceiptFile), jsonfile.Small, r)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", ReceiptFile, err)
	}
	if r.Format != format || r.Checksum == "" || r.Checksum != r.digest() {
		return nil, fmt.Errorf("%s is damaged: it does not match its checksum", ReceiptFile)
	}
	return r, nil
}

// check compares the files in a folder with the receipt.
func (r *Receipt) check(dir string) error {
	files, err := filesIn(dir)
	if err != nil {
		return err
	}
	var all []error
	found := map[string]File{}
	for _, f := range files {
		found[f.Name] = f
	}
	for _, want := range r.Files {
		f, ok := found[want.Name]
		delete(found, want.Name)
		if !ok {
			all = append(all, fmt.Errorf("%s is missing", want.Name))
			continue
		}
		if f.Bytes != want.Bytes { // of any size: it is not read
			all = append(all, fmt.Errorf("%s is damaged: it has %d bytes, but was written with %d", want.Name,
				f.Bytes, want.Bytes))
			continue
		}
		sum, err := atomicfile.Digest(filepath.Join(dir, filepath.FromSlash(want.Name)))
		if err != nil {
			return err
		}
		if sum != want.SHA256 {
			all = append(all, fmt.Errorf("%s is damaged: its contents do not match the checksum with which it "+
				"was written", want.Name))
		}
	}
	for _, f := range files {
		if _, foreign := found[f.Name]; foreign {
			all = append(all, fmt.Errorf("%s is foreign: the unit did not write it", f.Name))
		}
	}
	return errors.Join(all...)
}
