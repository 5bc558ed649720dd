package fetch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Problem is a difference between a receipt and the files.
type Problem struct {
	Kind ProblemKind
	Path string // slash-separated, relative to the data folder
	Want string // the size or digest in the receipt; "" for an unexpected file
	Got  string // what was found; "" for a missing file
}

// ProblemKind is the kind of a problem.
type ProblemKind string

// The kinds of problems.
const (
	Missing    ProblemKind = "missing"
	Changed    ProblemKind = "changed"
	Unreadable ProblemKind = "unreadable"
	Unexpected ProblemKind = "unexpected" // not in the receipt, but in a folder into which an archive was unpacked
)

// String returns the problem in one line.
func (p Problem) String() string {
	if p.Got == "" {
		return fmt.Sprintf("%s: %s", p.Path, p.Kind)
	}
	return fmt.Sprintf("%s: %s: expected %s, found %s", p.Path, p.Kind, p.Want, p.Got)
}

// Verify reads all files of the receipt in the data folder dir again, on all cores, and returns the differences: first
// the receipt's files in its order, then unexpected files in the order of their paths. Unpacked archives need not exist
// any more. It calls progress, if not nil, with the number of bytes so far and in total, from one goroutine at a time.
// It returns an error if ctx ends or a folder cannot be read.
func Verify(ctx context.Context, dir string, r *Receipt,
	progress func(file string, done, total int64)) ([]Problem, error) {
	v := &verifier{ctx: ctx, dir: dir, progress: progress}
	_, v.total = r.Files()
	var entries []*Entry
	for i := range r.Sources {
		for j := range r.Sources[i].Files {
			entries = append(entries, &r.Sources[i].Files[j])
		}
	}
	found := make([]*Problem, len(entries))
	err := inParallel(ctx, len(entries), runtime.GOMAXPROCS(0), func(i int) error {
		var err error
		found[i], err = v.file(entries[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	var problems []Problem
	for _, p := range found {
		if p != nil {
			problems = append(problems, *p)
		}
	}
	more, err := v.unexpected(r)
	return append(problems, more...), err
}

type verifier struct {
	ctx         context.Context
	dir         string
	progress    func(string, int64, int64)
	mu          sync.Mutex // for done and calls of progress
	done, total int64
}

func (v *verifier) path(name string) string { return filepath.Join(v.dir, filepath.FromSlash(name)) }

// file returns the problem of a file, nil if it is unchanged. It returns an error only if the context has ended.
func (v *verifier) file(e *Entry) (*Problem, error) {
	read := &counted{v: v, e: e}
	defer read.finish()
	f, err := os.Open(v.path(e.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return &Problem{Kind: Missing, Path: e.Path, Want: bytesText(e.Bytes)}, nil
	}
	unreadable := func(err error) *Problem {
		return &Problem{Kind: Unreadable, Path: e.Path, Want: bytesText(e.Bytes), Got: err.Error()}
	}
	if err != nil {
		return unreadable(err), nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return unreadable(err), nil
	}
	if !info.Mode().IsRegular() {
		return &Problem{Kind: Changed, Path: e.Path, Want: bytesText(e.Bytes),
			Got: "no file but " + info.Mode().String()}, nil
	}
	if info.Size() != e.Bytes {
		return &Problem{Kind: Changed, Path: e.Path, Want: bytesText(e.Bytes), Got: bytesText(info.Size())}, nil
	}
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(h, read), interruptible{v.ctx, f}); err != nil {
		return unreadable(err), v.ctx.Err()
	}
	if got := Sum(h.Sum(nil)); got != e.SHA256 {
		return &Problem{Kind: Changed, Path: e.Path, Want: "SHA-256 " + e.SHA256.String(),
			Got: "SHA-256 " + got.String()}, nil
	}
	return nil, nil
}

func bytesText(n int64) string { return fmt.Sprintf("%d bytes", n) }

// counted reports the progress of reading a file: e.Bytes in total, even if the file grows or is not read at all.
type counted struct {
	v        *verifier
	e        *Entry
	reported int64
}

// Write counts b; it never fails.
func (c *counted) Write(b []byte) (int, error) {
	c.reportProgress(min(int64(len(b)), c.e.Bytes-c.reported))
	return len(b), nil
}

func (c *counted) finish() { c.reportProgress(c.e.Bytes - c.reported) }

func (c *counted) reportProgress(n int64) {
	if n <= 0 {
		return
	}
	c.reported += n
	c.v.mu.Lock()
	defer c.v.mu.Unlock()
	c.v.done += n
	if c.v.progress != nil {
		c.v.progress(c.e.Path, c.v.done, c.v.total)
	}
}

// unexpected returns the files in the folders of unpacked archives that the receipt does not list.
func (v *verifier) unexpected(r *Receipt) ([]Problem, error) {
	known := map[string]bool{}
	folders := map[string]bool{}
	for i := range r.Sources {
		s := &r.Sources[i]
		known[s.Path] = true
		for _, e := range s.Files {
			known[e.Path] = true
			if folder := s.folder(e.Path); folder != "" {
				folders[folder] = true
			}
		}
	}
	extra := map[string]bool{}
	for folder := range folders {
		if err := v.list(folder, known, extra); err != nil {
			return nil, err
		}
	}
	var problems []Problem
	for name := range extra {
		problems = append(problems, Problem{Kind: Unexpected, Path: name})
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return problems, nil
}

// folder returns the folder of an unpacked file that belongs to the source alone: its Into or, if that is the data folder
// itself, the file's top folder; "" if there is none.
func (s *Source) folder(file string) string {
	if s.Into != "." {
		return s.Into
	}
	top, _, below := strings.Cut(file, "/")
	if !below {
		return ""
	}
	return top
}

// list adds to extra the files of a folder that are not known. The folder may be a link that the user made.
func (v *verifier) list(folder string, known, extra map[string]bool) error {
	root, err := filepath.EvalSymlinks(v.path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, v.ctx.Err())
		}
		relative, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if name := path.Join(folder, filepath.ToSlash(relative)); !known[name] {
			extra[name] = true
		}
		return nil
	})
}
