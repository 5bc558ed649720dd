package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/disk"
	"github.com/ansatz-lab/ansatz/internal/lock"
)

// getter holds the state of one call of Get: its options with the defaults filled in.
type getter struct {
	Options
	dir   string
	fresh map[string]bool // the folders into which this call unpacked
}

func newGetter(dir string, o Options) *getter {
	g := &getter{Options: o, dir: dir, fresh: map[string]bool{}}
	g.Tries = cmp.Or(o.Tries, 5)
	g.Stall = cmp.Or(o.Stall, time.Minute)
	g.MaxBytes = cmp.Or(o.MaxBytes, 4*gib)
	if g.Client == nil {
		g.Client = defaultClient()
	}
	if g.clock == nil {
		g.clock = trueClock{}
	}
	if g.free == nil {
		g.free = disk.Free
	}
	return g
}

// Get downloads files to the folder dir, which it makes if necessary, checks them, and unpacks them: see the package
// comment. It checks a file that exists already, and downloads it again only if it is wrong. It stops at the first file
// that it cannot get, and returns the results of the files before it with an [*Error] or, if ctx has ended, an error that
// wraps the error of ctx.
func Get(ctx context.Context, dir string, files []File, o Options) ([]Result, error) {
	if err := checkList(files); err != nil {
		return nil, err
	}
	if err := atomicfile.MakeFolder(dir); err != nil {
		return nil, onDisk(dir, err)
	}
	g := newGetter(dir, o)
	if err := g.checkSpace(files); err != nil {
		return nil, err
	}
	var results []Result
	for _, f := range files {
		r, err := g.get(ctx, f)
		if err != nil {
			return results, err
		}
		results = append(results, *r)
	}
	return results, nil
}

func (g *getter) path(name string) string {
	return filepath.Join(g.dir, filepath.FromSlash(name))
}

func (g *getter) note(f File, text string) {
	if g.Note != nil {
		g.Note(f.Path, text)
	}
}

// get fetches and unpacks one file.
func (g *getter) get(ctx context.Context, f File) (_ *Result, err error) {
	if s := g.covered(f); s != nil {
		return &Result{Source: *s, Check: ByReceipt}, nil
	}
	path := g.path(f.Path)
	if err := atomicfile.MakeFolder(filepath.Dir(path)); err != nil {
		return nil, onDisk(path, err)
	}
	l, err := g.acquire(ctx, f, path+".lock")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	r, err := g.obtain(ctx, f)
	if err != nil {
		return nil, err
	}
	if f.Into == "" {
		r.Files = []Entry{{Path: f.Path, Bytes: r.Bytes, SHA256: r.SHA256}}
		return r, nil
	}
	g.note(f, "unpacking")
	if r.Files, err = g.unpack(ctx, f, lock.Held(path+".lock")); err != nil {
		return nil, err
	}
	r.Unpacked = true
	// A later archive of the list may share files with this one, and must
	// then be unpacked again after it.
	g.fresh[f.Into] = true
	return r, nil
}

// obtain returns the file that exists already, or downloads it.
func (g *getter) obtain(ctx context.Context, f File) (*Result, error) {
	if r, err := g.present(ctx, f); r != nil || err != nil {
		return r, err
	}
	return g.download(ctx, f)
}

// present returns the result for a file that exists already, nil if there is none or it is wrong.
func (g *getter) present(ctx context.Context, f File) (*Result, error) {
	path := g.path(f.Path)
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, onDisk(path, err)
	}
	defer in.Close()
	if f.Bytes > 0 && sizeOf(path) != f.Bytes {
		g.note(f, "the existing file has the wrong size: fetching it again")
		return nil, nil
	}
	expected, before := g.remembered(f)
	s := newSums(expected)
	n, err := io.Copy(s, interruptible{ctx, in})
	if err != nil {
		return nil, orInterrupted(ctx, f, onDisk(path, err))
	}
	by, want, got := s.judge(expected)
	if want != got {
		g.note(f, "the existing file has the wrong digest: fetching it again")
		return nil, nil
	}
	if before {
		by = ByReceipt
	}
	return &Result{Source: Source{Path: f.Path, Bytes: n, SHA256: s.sum(), Into: f.Into}, Check: by}, nil
}

// remembered returns f with the digest of the receipt if f has none. Without it, the next receipt would accept a file
// that was damaged since.
func (g *getter) remembered(f File) (_ File, before bool) {
	if s := g.Receipt.source(f.Path); s != nil && !f.checked() {
		f.SHA256 = s.SHA256.String()
		return f, true
	}
	return f, false
}

// covered returns the receipt's source of an archive whose files all exist, nil if there is none.
func (g *getter) covered(f File) *Source {
	s := g.Receipt.source(f.Path)
	if f.Into == "" || s == nil || s.Into != f.Into || g.fresh[f.Into] || !s.matches(f) {
		return nil
	}
	for _, e := range s.Files {
		info, err := os.Stat(g.path(e.Path))
		if err != nil || !info.Mode().IsRegular() || info.Size() != e.Bytes {
			return nil
		}
	}
	return s
}

// interrupted wraps the error of a context that has ended.
func interrupted(f File, err error) error {
	return fmt.Errorf("fetching %s: %w; run it again to go on from where it stopped", f.Path, err)
}

// orInterrupted returns err or, if ctx has ended and so caused err, the wrapped error of ctx.
func orInterrupted(ctx context.Context, f File, err error) error {
	if ctx.Err() != nil {
		return interrupted(f, ctx.Err())
	}
	return err
}
