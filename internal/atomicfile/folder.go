package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFolder replaces the folder at path by the one that write fills. Write gets a temporary
// folder beside it, which is synced and renamed. If write fails, the folder that was at path stays.
// WriteFolder makes the parent if it does not exist. A symbolic link stays, and the folder that it
// leads to is replaced.
func WriteFolder(path string, write func(dir string) error) error {
	path, _, err := resolve(path)
	if err != nil {
		return err
	}
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	temporary := filepath.Join(parent, TemporaryName(filepath.Base(path)))
	if err = os.Mkdir(temporary, 0o777); err == nil {
		err = write(temporary)
	}
	if err == nil {
		err = syncTree(temporary)
	}
	if err == nil {
		err = takePlace(temporary, path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, os.RemoveAll(temporary)))
	}
	return syncFolder(parent)
}

// syncTree syncs all files and folders in a folder.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncFolder(path) // files are synced alike
	})
}

// takePlace renames a folder to path and removes the folder that was there. It swaps the two in one
// step if the system can, so that there is always a folder at path.
func takePlace(from, path string) error {
	err := os.Rename(from, path)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is no folder", path))
	}
	err = exchange(from, path)
	if errors.Is(err, errors.ErrUnsupported) {
		return replaceFolder(from, path)
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(from)
}

// replaceFolder is takePlace in two steps.
func replaceFolder(from, path string) error {
	old := from + "-old"
	if err := os.Rename(path, old); err != nil {
		return err
	}
	if err := os.Rename(from, path); err != nil {
		return errors.Join(err, os.Rename(old, path))
	}
	return os.RemoveAll(old)
}
