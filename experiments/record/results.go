package record

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// pageFile is the page of a record, beside [FileName].
const pageFile = "report.html"

// replacedNames are the names of a folder of results that belong to its record: none of an earlier
// record's stays. Other files stay unless the new results have a file of that name.
var replacedNames = []string{FileName, pageFile, "figures", "tables", "arrays", input.LockFile}

// WriteResults replaces the results in the folder out by those that write makes in a temporary folder.
// It holds the lock of the folder meanwhile. The folder of earlier results is exchanged in one step: a
// process that is killed leaves the old results or the new ones, never some of each. Into another folder,
// such as the user's own, the files are moved, the record last. Files of the user's stay. It returns an
// [*input.Error] if another process works there, or if the folder holds a record or a page that ansatz
// did not write.
func WriteResults(out string, write func(dir string) error) (err error) {
	release, err := input.LockFolder(out, input.LockFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := errors.Join(CheckReplaceable(out), atomicfile.Sweep(out),
		atomicfile.Sweep(filepath.Join(out, unfinished))); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(out, FileName)); err == nil && !isWorkingFolder(out) {
		return atomicfile.WriteFolder(out, func(dir string) error {
			if err := write(dir); err != nil {
				return err
			}
			return linkOthers(out, dir)
		})
	}
	return moveResults(out, write)
}

// unfinished is the name of results in the making, see [atomicfile.TemporaryName].
const unfinished = "results"

// isWorkingFolder reports whether a folder is the one that the process, and the user's shell, is in.
func isWorkingFolder(dir string) bool {
	here, err := os.Stat(".")
	there, err2 := os.Stat(dir)
	return err == nil && err2 == nil && os.SameFile(here, there)
}

// moveResults moves what write makes into a folder, in the place of earlier results.
func moveResults(out string, write func(dir string) error) error {
	dir := filepath.Join(out, atomicfile.TemporaryName(unfinished))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := write(dir); err != nil {
		return err
	}
	for _, name := range replacedNames {
		if name != input.LockFile {
			if err := os.RemoveAll(filepath.Join(out, name)); err != nil {
				return err
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := []string{}
	for _, e := range entries {
		if e.Name() != FileName {
			names = append(names, e.Name())
		}
	}
	if len(names) < len(entries) {
		names = append(names, FileName)
	}
	for _, name := range names {
		to := filepath.Join(out, name)
		if info, err := os.Lstat(to); err == nil && info.IsDir() {
			if err := os.RemoveAll(to); err != nil {
				return err
			}
		}
		if err := os.Rename(filepath.Join(dir, name), to); err != nil {
			return err
		}
	}
	return nil
}

// CheckOut returns an [*input.Error] if results could not be written to a folder: it makes the folder,
// and checks that files can be made in it and that it holds nothing that ansatz did not write. It is
// called before anything takes long.
func CheckOut(out string) error {
	release, err := input.LockFolder(out, input.LockFile)
	if err != nil {
		return err
	}
	return errors.Join(CheckReplaceable(out), release())
}

// CheckReplaceable returns an [*input.Error] if a folder holds a record or a page that ansatz did not
// write.
func CheckReplaceable(out string) error {
	text, err := os.ReadFile(filepath.Join(out, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(filepath.Join(out, pageFile)); err == nil {
			return input.Errorf("%s holds a %s that ansatz did not write: give another --out", out, pageFile)
		}
		return nil
	}
	var head struct {
		Record      string          `json:"record"`
		Conventions json.RawMessage `json:"conventions"` // of records before there were kinds
		Experiment  string          `json:"experiment"`
	}
	if err != nil || json.Unmarshal(text, &head) != nil ||
		head.Record == "" && head.Conventions == nil && head.Experiment == "" {
		return input.Errorf("%s holds a %s that ansatz did not write: give another --out", out, FileName)
	}
	return nil
}

// linkOthers gives the new folder the files of the old one that do not belong to its record.
func linkOthers(old, dir string) error {
	entries, err := os.ReadDir(old)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !slices.Contains(replacedNames, e.Name()) {
			err = errors.Join(err, linkTree(filepath.Join(old, e.Name()), filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// linkTree makes hard links of a file, or of all files in a folder, under another name. What is there
// under that name stays.
func linkTree(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if err := os.Link(from, to); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	}
	if err := os.Mkdir(to, info.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		err = errors.Join(err, linkTree(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())))
	}
	return err
}
