package fetch

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// Receipt lists files that were downloaded, and the files that were unpacked from them.
type Receipt struct{ Sources []Source }

// Source is a downloaded file.
type Source struct {
	Path   string // slash-separated, relative to the data folder, as all paths here
	Bytes  int64
	SHA256 Sum
	Into   string // the folder into which it was unpacked; "" if it was not

	// Files are the unpacked files, or just the file itself, in the order of their paths' bytes. [Verify] checks them.
	Files []Entry
}

// Entry is a file that [Verify] checks.
type Entry struct {
	Path   string
	Bytes  int64
	SHA256 Sum
}

// NewReceipt returns the receipt for results of [Get]. A file that is in two archives belongs to the later one.
func NewReceipt(results []Result) *Receipt {
	last := map[string]int{}
	for i, r := range results {
		for _, e := range r.Files {
			last[e.Path] = i
		}
	}
	receipt := &Receipt{}
	for i, r := range results {
		s := r.Source
		s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(e Entry) bool { return last[e.Path] != i })
		receipt.Sources = append(receipt.Sources, s)
	}
	return receipt
}

// Files returns the number of files of all sources, and the sum of their bytes.
func (r *Receipt) Files() (n int, bytes int64) {
	for _, s := range r.Sources {
		n += len(s.Files)
		for _, e := range s.Files {
			bytes += e.Bytes
		}
	}
	return n, bytes
}

// source returns the source with a path, nil if there is none or the receipt is nil.
func (r *Receipt) source(path string) *Source {
	if r == nil {
		return nil
	}
	for i := range r.Sources {
		if r.Sources[i].Path == path {
			return &r.Sources[i]
		}
	}
	return nil
}

// matches reports whether the source has the SHA-256 digest and the size of f, as far as f has them.
func (s *Source) matches(f File) bool {
	return (f.SHA256 == "" || strings.EqualFold(f.SHA256, s.SHA256.String())) &&
		(f.Bytes == 0 || f.Bytes == s.Bytes)
}

func sortEntries(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
}

// receiptTitle is the first line of a receipt.
const receiptTitle = "# ansatz receipt 1. In the data folder, sha256sum -c FILE checks it too."

// WriteReceipt writes a receipt to the file at path, atomically, and makes its folder
// if necessary. The format is that of sha256sum, a line per file,
//
//	DIGEST  PATH
//
// with everything else in comments, which sha256sum -c ignores: first the title, and before the files of a source
//
//	# source BYTES DIGEST "PATH" "INTO"
//
// with paths quoted as in Go, before each file its size as "# BYTES", and at the end the number of files as "# end
// COUNT".
func WriteReceipt(path string, r *Receipt) error {
	err := atomicfile.MakeFolder(filepath.Dir(path))
	if err == nil {
		err = atomicfile.WriteFile(path, r.write)
	}
	if err != nil {
		return onDisk(path, err)
	}
	return nil
}

func (r *Receipt) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	count := 0
	fmt.Fprintln(b, receiptTitle)
	for _, s := range r.Sources {
		fmt.Fprintf(b, "# source %d %s %q %q\n", s.Bytes, s.SHA256, s.Path, s.Into)
		for _, e := range s.Files {
			fmt.Fprintf(b, "# %d\n%s  %s\n", e.Bytes, e.SHA256, e.Path)
			count++
		}
	}
	fmt.Fprintf(b, "# end %d\n", count)
	return b.Flush() // returns the first error of all writes
}
