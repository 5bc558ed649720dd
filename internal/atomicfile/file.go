// Package atomicfile writes files ([WriteFile]) and folders ([WriteFolder]) atomically. With [Digest] a reader can
// check that a file has not changed since.
package atomicfile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Temporary is a part of the names of unfinished files and folders, which also begin with a dot. Sweep recognises by
// it what killed writers left behind.
const Temporary = ".tmp-"

// Sweep removes what killed writers of the file or folder at path left behind. The caller must make sure that no
// process is writing there.
func Sweep(path string) error {
	parent, start := filepath.Dir(path), "."+filepath.Base(path)+Temporary
	names, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, n := range names {
		if strings.HasPrefix(n.Name(), start) && isTemporary(n.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(parent, n.Name())))
		}
	}
	return err
}

// SweepAll removes what killed writers left anywhere in a folder, if the folder exists.
func SweepAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !isTemporary(d.Name()) {
			return err
		}
		if err := os.RemoveAll(path); err != nil || !d.IsDir() {
			return err
		}
		return fs.SkipDir
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// SweepFiles removes files that killed writers left directly in the given folders. Subfolders stay, since running
// writers may use them. Folders that do not exist are skipped.
func SweepFiles(dirs ...string) error {
	var all error
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		all = errors.Join(all, err)
		for _, e := range entries {
			if !e.IsDir() && isTemporary(e.Name()) {
				all = errors.Join(all, os.Remove(filepath.Join(dir, e.Name())))
			}
		}
	}
	return all
}

// TemporaryName returns a new name for an unfinished file or folder that will have the given name.
func TemporaryName(name string) string { return "." + name + Temporary + rand.Text() }

// isTemporary reports whether a file or folder has a name that a writer gives. Hidden files of users may also have
// .tmp- in their names, and stay.
func isTemporary(name string) bool { return temporaryName.MatchString(name) }

// temporaryName matches the names that TemporaryName returns, those that atomicfile derives from them, and the folders
// into which package fetch unpacks.
var temporaryName = regexp.MustCompile(`^\..*` + regexp.QuoteMeta(Temporary) + `([A-Z2-7]{26}(-old)?|[0-9a-f]{16}-.*)$`)

// WriteFile replaces the file at path by the content that write writes. It writes to a temporary file in the same
// folder, syncs it and renames it. If write fails or the machine stops, the old file stays unchanged. The folder must
// exist. If path is a symbolic link, the link stays, and its target is replaced. To a device or a pipe the content is
// written directly.
func WriteFile(path string, write func(io.Writer) error) error {
	target, special, err := resolve(path)
	switch {
	case err != nil:
	case special:
		err = writeThrough(target, write)
	default:
		err = replace(target, write)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// CheckWritable returns an error if [WriteFile] could not write a file at path. It changes no existing file, and does
// not open pipes.
func CheckWritable(path string) error {
	target, special, err := resolve(path)
	if err != nil {
		return err
	}
	if special {
		return checkSpecial(target)
	}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return errors.New("it is a folder")
	}
	return tryFile(target)
}

// CheckFolder returns an error if files could not be written in a folder, which need not exist. It leaves nothing
// behind.
func CheckFolder(path string) error {
	path, special, err := resolve(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case special || err == nil && !info.IsDir():
		return fmt.Errorf("%s is a file", path)
	case err == nil:
		return tryFile(filepath.Join(path, "file"))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	made := MissingFolders(path)
	err = makeAll(path)
	if err == nil {
		err = tryFile(filepath.Join(path, "file"))
	}
	for _, dir := range made {
		_ = os.Remove(dir) // must fail if the folder is missing or not empty
	}
	return err
}

// tryFile returns an error if no file can be created in the folder of path.
func tryFile(path string) error {
	probe := filepath.Join(filepath.Dir(path), TemporaryName(filepath.Base(path)))
	f, err := os.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte{0})
	return errors.Join(err, f.Close(), os.Remove(probe))
}

// checkSpecial returns an error if a device or another special file cannot be written to. It writes no byte, since a
// full device would refuse it.
func checkSpecial(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket != 0:
		return errors.New("it is a socket")
	case info.Mode()&fs.ModeCharDevice == 0:
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(nil)
	return errors.Join(err, f.Close())
}

// mostLinks limits the number of symbolic links that are followed in a row.
const mostLinks = 40

// resolve follows path if it is a symbolic link, even to a target that does not exist yet. It reports whether the
// target is neither a regular file nor a folder.
func resolve(path string) (target string, special bool, err error) {
	target = path
	for range mostLinks {
		info, err := os.Lstat(target)
		if errors.Is(err, fs.ErrNotExist) {
			return target, false, nil
		}
		if err != nil {
			return "", false, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return target, !info.Mode().IsRegular() && !info.IsDir(), nil
		}
		link, err := os.Readlink(target)
		if err != nil {
			return "", false, err
		}
		if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return target, true, nil // such as /dev/stdout: the names of open pipes are not paths
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(target), link)
		}
		target = link
	}
	return "", false, fmt.Errorf("more than %d symbolic links in a row", mostLinks)
}

// writeThrough writes to a device or a pipe.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// WriteBytes replaces the file at path by data, as [WriteFile] does.
func WriteBytes(path string, data []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteJSON replaces the file at path by v as JSON indented by tabs, as [WriteFile] does.
func WriteJSON(path string, v any) error {
	return WriteFile(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		e.SetEscapeHTML(false)
		return e.Encode(v)
	})
}

// Digest returns the SHA-256 of the file at path, in hexadecimal digits.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func replace(path string, write func(io.Writer) error) error {
	temporary := filepath.Join(filepath.Dir(path), TemporaryName(filepath.Base(path)))
	// os.CreateTemp would create a file that only this user can read.
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err = writeAndSync(f, write); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return syncFolder(filepath.Dir(path))
}

// writeAndSync writes to f, syncs it to the disk and closes it.
func writeAndSync(f *os.File, write func(io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder syncs the names in a folder to the disk.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
