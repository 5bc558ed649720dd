package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFolder replaces the folder at path by the one that write fills. Write gets a temporary folder beside it, which
// is then synced and renamed. If write fails, the folder at path stays unchanged. WriteFolder makes the parent if it
// does not exist. If path is a symbolic link, the link stays, and the folder that it points to is replaced.
func WriteFolder(path string, write func(dir string) error) error {
	path, _, err := resolve(path)
	if err != nil {
		return err
	}
	parent := filepath.Dir(path)
	if err := MakeFolder(parent); err != nil {
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

// MakeFolder makes a folder and those of its parents that do not exist, or the folder that path is a link to. When it
// returns, their names are on the disk.
func MakeFolder(path string) error {
	path, _, err := resolve(path)
	if err != nil {
		return err
	}
	made := MissingFolders(path)
	if err := makeAll(path); err != nil {
		return err
	}
	for _, dir := range made {
		if err := syncFolder(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

// makeAll makes a folder and its parents. If one of them is a link to a folder that does not exist, the error says so.
func makeAll(path string) error {
	err := os.MkdirAll(path, 0o777)
	if at := (*fs.PathError)(nil); errors.Is(err, fs.ErrExist) && errors.As(err, &at) {
		return fmt.Errorf("%s is a link to a folder that is not there", at.Path)
	}
	return err
}

// MissingFolders returns path and its parents as far as they do not exist, path first. A symbolic link exists, even if its
// target does not.
func MissingFolders(path string) (all []string) {
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return all
		}
		all = append(all, dir)
	}
}

// Move renames a file, or a folder with its contents, to a path at which there must be no folder. When it returns,
// contents and name are on the disk.
func Move(from, to string) error {
	if err := syncTree(from); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// Remove removes a file, or a folder with its contents, if it exists. When it returns, the name is gone from the disk.
func Remove(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncTree syncs a file, or all files and folders in a folder.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() && !d.Type().IsRegular() {
			return err // links and pipes have no content to sync
		}
		return syncFolder(path) // it syncs files too
	})
}

// takePlace renames a folder to path and removes the folder that was there. If the system can, it swaps the two
// atomically, so that there is a folder at path at any time.
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
