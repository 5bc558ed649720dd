package weights

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"

	"gorgonia.org/tensor"
)

// A container is a file that holds storages.
type container interface {
	// format returns the container's name for errors.
	format() string
	// open returns the bytes of a storage, all of them.
	open(s *storage) (*record, error)
}

// A record reads the bytes of a storage in a file.
type record struct {
	io.ReadCloser
	offset int64 // in the file
	size   int64 // of the storage; the file may hold less, compressed
}

// A loader reads the tensors of a state dict from their storages.
type loader struct {
	from    container
	tensors []named
	dense   []*tensor.Dense // the tensors that have been read
}

// load reads tensors, in their order, within the budget. Every storage is read
// once. A tensor that is alone in its storage goes straight from the file into its
// elements; for others the part of the storage that they touch is held in memory
// until they have been gathered.
func load(from container, tensors []named, left budget) (*StateDict, error) {
	l := &loader{from: from, tensors: tensors, dense: make([]*tensor.Dense, len(tensors))}
	if err := l.checkBudget(left); err != nil {
		return nil, err
	}
	members := make(map[*storage][]int)
	for i, t := range tensors {
		if t.n > 0 {
			members[t.storage] = append(members[t.storage], i)
			continue
		}
		if err := l.fill(i, bytes.NewReader(nil)); err != nil {
			return nil, err
		}
	}
	for _, t := range tensors {
		if all := members[t.storage]; all != nil {
			if err := l.read(t.storage, all); err != nil {
				return nil, err
			}
			delete(members, t.storage)
		}
	}
	d := new(StateDict)
	for i, t := range tensors {
		d.Set(t.name, l.dense[i])
	}
	return d, nil
}

// checkBudget checks, before anything is allocated, that the storages and the tensors
// together are within the budget, and the tensors within the available memory.
func (l *loader) checkBudget(left budget) error {
	all, total := left, int64(0)
	seen := make(map[*storage]bool)
	for _, t := range l.tensors {
		if t.n == 0 {
			continue
		}
		size, ok := mul(t.n, t.dtype.wide())
		if ok && !seen[t.storage] {
			seen[t.storage] = true
			ok = left.spend(t.storage.bytes)
		}
		if !ok || !left.spend(size) {
			return &FormatError{
				Format: l.from.format(),
				Offset: noOffset,
				Want: fmt.Sprintf(
					"at most %d bytes of tensors and storages, that is %d times the size of the file or 16 MiB",
					all, budgetTimes),
				Got:  fmt.Sprintf("more, with %q of shape %v", shorten(t.name), t.shape),
				Hint: "in Python, save tensors that are not expanded, in a file that is not compressed",
			}
		}
		total += size
	}
	return checkMemory(l.from.format(), total)
}

// read reads the tensors with the indices members from their storage s.
func (l *loader) read(s *storage, members []int) error {
	rec, err := l.from.open(s)
	if err != nil {
		return err
	}
	defer rec.Close()
	want := fmt.Sprintf("the %d bytes of storage %q", s.bytes, shorten(s.key))
	if rec.size != s.bytes {
		return &FormatError{
			Format: l.from.format(),
			Offset: rec.offset,
			Want:   want,
			Got:    fmt.Sprintf("%d bytes", rec.size),
			Hint:   hintCut,
		}
	}
	if err := l.scatter(rec, members); err != nil {
		return readFailed(l.from.format(), rec.offset, want, err)
	}
	return nil
}

// scatter reads all of rec, and from it the members of its storage.
func (l *loader) scatter(rec *record, members []int) error {
	start, end := l.span(members)
	if _, err := io.CopyN(io.Discard, rec, start); err != nil {
		return err
	}
	if err := l.fillAll(members, io.LimitReader(rec, end-start), start, end); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, rec, rec.size-end); err != nil {
		return err
	}
	return atEnd(rec)
}

// atEnd checks that r ends here. Only at its end does an archive verify the checksum
// of the data that was read.
func atEnd(r io.Reader) error {
	switch _, err := io.ReadFull(r, make([]byte, 1)); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return zip.ErrFormat
}

// span returns the part of their storage that the members touch.
func (l *loader) span(members []int) (start, end int64) {
	start = l.tensors[members[0]].start
	for _, i := range members {
		start = min(start, l.tensors[i].start)
		end = max(end, l.tensors[i].end)
	}
	return start, end
}

// fillAll reads the members from r, which holds the bytes from start to end of
// their storage.
func (l *loader) fillAll(members []int, r io.Reader, start, end int64) error {
	if t := l.tensors[members[0]]; len(members) == 1 && isRowMajor(t.shape, t.strides) {
		return l.fill(members[0], r)
	}
	part := make([]byte, end-start)
	if _, err := io.ReadFull(r, part); err != nil {
		return err
	}
	for _, i := range members {
		t := l.tensors[i]
		if err := l.fill(i, newGather(part[t.start-start:], t.dtype.size(), t.shape, t.strides)); err != nil {
			return err
		}
	}
	return nil
}

// fill reads a tensor from r, which holds its elements in row-major order.
func (l *loader) fill(i int, r io.Reader) error {
	t := l.tensors[i]
	values, err := t.dtype.read(r, t.n)
	if err != nil {
		return err
	}
	l.dense[i] = newDense(t.shape, values)
	return nil
}
