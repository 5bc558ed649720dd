package fetch

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// unpack unpacks the file f into its folder and returns the unpacked files, with paths
// relative to the data folder, sorted by path.
func (g *getter) unpack(ctx context.Context, f File, locked bool) (_ []Entry, err error) {
	target := g.path(f.Into)
	home, to := filepath.Dir(target), filepath.Base(target)
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		home, to = target, "." // the target may be on another disk
	} else if err := atomicfile.MakeFolder(home); err != nil {
		return nil, onDisk(home, err)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, onDisk(home, err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	prefix := temporaryPrefix(f)
	if locked {
		if err := removeStale(root, prefix); err != nil {
			return nil, onDisk(home, err)
		}
	}
	temporary := prefix + rand.Text()
	defer func() { err = errors.Join(err, root.RemoveAll(temporary)) }()
	u, err := g.unpackTemporarily(ctx, f, root, temporary)
	if err != nil {
		return nil, orInterrupted(ctx, f, err)
	}
	m := &move{g: g, f: f, u: u, root: root, from: temporary, to: to}
	if err := m.run(); err != nil {
		return nil, err
	}
	return placed(f, u.files), nil
}

// temporaryPrefix returns the prefix of the names of temporary folders in which f is unpacked.
func temporaryPrefix(f File) string {
	sum := sha256.Sum256([]byte(f.Path))
	return fmt.Sprintf(".unpacking%s%x-", atomicfile.Temporary, sum[:8])
}

// removeStale removes the temporary folders of a killed process. No other process can be using them, since this one
// holds the lock.
func removeStale(root *os.Root, prefix string) error {
	names, err := fs.Glob(root.FS(), prefix+"*")
	for _, name := range names {
		err = errors.Join(err, root.RemoveAll(name))
	}
	return err
}

func (g *getter) unpackTemporarily(ctx context.Context, f File, root *os.Root, name string) (*unpacker, error) {
	in, err := os.Open(g.path(f.Path))
	if err != nil {
		return nil, onDisk(g.path(f.Path), err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, onDisk(g.path(f.Path), err)
	}
	if err := root.Mkdir(name, 0o755); err != nil {
		return nil, onDisk(root.Name(), err)
	}
	inner, err := root.OpenRoot(name)
	if err != nil {
		return nil, onDisk(root.Name(), err)
	}
	defer inner.Close()
	u := newUnpacker(ctx, g.path(f.Path), inner, g.Limits.orDefault(info.Size()))
	u.free = func(need int64) error { return g.fits(root.Name(), need, "the content of "+f.Path) }
	if err := u.unpack(in, f.Path); err != nil {
		return nil, err
	}
	if err := u.sync(); err != nil {
		return nil, onDisk(root.Name(), err)
	}
	sortEntries(u.files)
	return u, nil
}

// placed returns the entries with paths relative to the data folder.
func placed(f File, entries []Entry) []Entry {
	for i := range entries {
		entries[i].Path = path.Join(f.Into, entries[i].Path)
	}
	return entries
}

// sync waits until all files and folders are on disk. It syncs many at once, so that a journal can write them together.
func (u *unpacker) sync() error {
	names := []string{"."}
	for name := range u.folders {
		names = append(names, name)
	}
	for _, f := range u.files {
		names = append(names, f.Path)
	}
	const atOnce = 16
	return inParallel(u.ctx, len(names), atOnce, func(i int) error {
		f, err := u.root.Open(names[i])
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// longestElement is the largest number of bytes in an element of a path on most file systems.
const longestElement = 255

// strictName returns the reason why name is not a clean slash-separated path to a file
// in a folder; "" if it is one.
func strictName(name string) string {
	if why := unsafeName(name); why != "" {
		return why
	}
	if path.Clean(name) != name || name == "." {
		return "a path that is not in its shortest form"
	}
	return ""
}

// unsafeName returns the reason why name may not be used in a folder; "" if it may. The rules are the same on all systems.
func unsafeName(name string) string {
	switch {
	case name == "":
		return "an empty name"
	case strings.HasPrefix(name, "/"):
		return "an absolute path"
	case strings.Contains(name, `\`):
		return "a backslash"
	case len(name) > 1 && name[1] == ':' && isLetter(name[0]):
		return "a drive letter"
	}
	for _, c := range []byte(name) {
		if c < ' ' || c == 0x7f {
			return fmt.Sprintf("a control character, %#02x", c)
		}
	}
	for element := range strings.SplitSeq(name, "/") {
		if element == ".." {
			return `".." in a path`
		}
		if len(element) > longestElement {
			return fmt.Sprintf("a name of %d bytes, more than %d", len(element), longestElement)
		}
	}
	return ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
