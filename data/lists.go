package data

import (
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// listLimit bounds the bytes of a list of files. The largest published list, CelebA's
// attributes, has 27 MB.
const listLimit = 1 << 26

// A textFile is a text file in memory, such as a list of files.
type textFile struct {
	path, text string
	hint       string // what to do when it is malformed
}

// readText reads a text file of at most listLimit bytes.
func readText(path, hint string) (*textFile, error) {
	raw, err := readFile(path, listLimit)
	if err != nil {
		return nil, err
	}
	return &textFile{path, string(raw), "the file is damaged or from another version; " + hint}, nil
}

// lines returns the lines that are not blank.
func (f *textFile) lines() iter.Seq[textLine] {
	return func(yield func(textLine) bool) {
		at, number := 0, 0
		for text := range strings.SplitAfterSeq(f.text, "\n") {
			number++
			l := textLine{f, number, int64(at), strings.TrimSpace(text)}
			at += len(text)
			if l.text != "" && !yield(l) {
				return
			}
		}
	}
}

// end returns an error at the end of the file.
func (f *textFile) end(want, got string) error {
	return &FormatError{Path: f.path, Offset: int64(len(f.text)), Want: want, Got: got, Hint: f.hint}
}

// A textLine is a line of a text file.
type textLine struct {
	file   *textFile
	number int    // from 1
	at     int64  // the byte where it begins
	text   string // without surrounding white space
}

// fail returns the error of a line in which got was found instead of want.
func (l textLine) fail(want, got string) error {
	return &FormatError{
		Path:   l.file.path,
		Offset: l.at,
		Want:   want,
		Got:    fmt.Sprintf("%s in line %d", excerpt(got), l.number),
		Hint:   l.file.hint,
	}
}

// excerpt quotes the beginning of a text.
func excerpt(text string) string {
	const most = 60
	if len(text) <= most {
		return strconv.Quote(text)
	}
	return strconv.Quote(text[:most]) + "…"
}

// A fileList holds the images of a list and their labels.
type fileList struct {
	paths  []string // slash-separated
	labels []int
	seen   map[string]int // by path: the number of the line that names it
}

// add adds the image that a line names. It returns an error unless the elements of its
// path are plain names, the last one that of an image, and the path is new.
func (f *fileList) add(l textLine, label int, elements ...string) error {
	path := strings.Join(elements, "/")
	for _, e := range elements {
		if !isPlainName(e) {
			return l.fail("the plain name of a file", path)
		}
	}
	if !isImage(path) {
		return l.fail("the name of an image ("+extensions+")", path)
	}
	if line, twice := f.seen[path]; twice {
		return l.fail(fmt.Sprintf("%s once, in line %d", path, line), path)
	}
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	path = strings.Clone(path) // otherwise it would keep the whole text in memory
	f.seen[path] = l.number
	f.paths = append(f.paths, path)
	f.labels = append(f.labels, label)
	return nil
}

// maxName is the largest number of bytes in a file name on most systems.
const maxName = 255

// isPlainName reports whether a name, on every system, stays within the current folder
// and is not hidden.
func isPlainName(name string) bool {
	return filepath.IsLocal(name) && len(name) <= maxName && name[0] != '.' && !strings.ContainsAny(name, `/\:`) &&
		utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}
