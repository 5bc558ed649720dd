package fetch

import (
	"errors"
	"os"
	"path"
	"strings"
)

// move moves an unpacked folder to its place.
type move struct {
	g        *getter
	f        File
	u        *unpacker
	root     *os.Root
	from, to string // in root
}

// run renames the folder or, if the target exists, moves its files.
func (m *move) run() error {
	if m.to != "." {
		err := m.root.Rename(m.from, m.to)
		if info, e := m.root.Stat(m.to); err != nil && (e != nil || !info.IsDir()) {
			return onDisk(m.g.path(m.f.Into), err)
		}
		if err == nil {
			return m.synced(".")
		}
		// Another process has made the target meanwhile.
	}
	if err := m.check(); err != nil {
		return err
	}
	return m.merge()
}

// check returns an error, before any file is moved, if one would replace a folder or the archive itself.
func (m *move) check() error {
	for _, e := range m.u.files {
		target := path.Join(m.to, e.Path)
		if info, err := m.root.Lstat(target); err == nil && info.IsDir() {
			return m.clash(e.Path, "a folder that is there")
		}
		final := path.Join(m.f.Into, e.Path)
		if own, ok := strings.CutPrefix(final, m.f.Path); ok && (own == "" || own == ".lock") {
			return m.clash(e.Path, "the archive itself")
		}
	}
	return nil
}

func (m *move) clash(name, with string) error {
	return &Error{Path: m.u.where(name), Offset: noOffset,
		Want: "a file that can take its place in " + m.g.path(m.f.Into),
		Got:  with + " in its way", Hint: "nothing was moved there; clear the way and run it again"}
}

// merge moves the files, each of which replaces its predecessor.
func (m *move) merge() error {
	touched := map[string]bool{m.to: true}
	for name := range m.u.folders {
		target := path.Join(m.to, name)
		touched[target] = true
		if err := m.root.MkdirAll(target, 0o755); err != nil {
			return onDisk(m.g.path(path.Join(m.f.Into, name)), err)
		}
	}
	for _, e := range m.u.files {
		if err := m.root.Rename(path.Join(m.from, e.Path), path.Join(m.to, e.Path)); err != nil {
			return onDisk(m.g.path(path.Join(m.f.Into, e.Path)), err)
		}
	}
	for name := range touched {
		if err := m.synced(name); err != nil {
			return err
		}
	}
	return nil
}

func (m *move) synced(folder string) error {
	f, err := m.root.Open(folder)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil {
		return onDisk(m.g.path(m.f.Into), err)
	}
	return nil
}
