package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open reads the state dict in a file in any of the formats that the package
// knows. It recognises the format by the content of the file, not by its name.
//
// An error in the content is a [*FormatError] with the path. A file that does not
// exist gives an error that wraps [fs.ErrNotExist].
func Open(path string) (*StateDict, error) {
	// A blocking open of a pipe without a writer would wait for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("weights: %w (give the path of a .pth, .pt or .safetensors file)", err)
		}
		return nil, fmt.Errorf("weights: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("weights: %s: a folder (give the path of a file in it)", path)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("weights: %s: not a regular file but %v (give the path of the file itself)",
			path, info.Mode().Type())
	}
	d, err := read(f, info.Size())
	if err != nil {
		return nil, withPath(path, err)
	}
	return d, nil
}

// withPath adds the path of the file to an error.
func withPath(path string, err error) error {
	var format *FormatError
	if errors.As(err, &format) {
		format.Path = path
		return err
	}
	return fmt.Errorf("weights: %s: %w", path, err)
}

// read reads the state dict in a file of size bytes, whatever its container.
func read(r io.ReaderAt, size int64) (*StateDict, error) {
	head, err := readHead(r, size)
	if err != nil {
		return nil, err
	}
	switch {
	case isSafetensors(head):
		return ReadSafetensors(r, size)
	case isZip(head), isTar(head), isPickle(head):
		return ReadPyTorch(r, size)
	}
	return nil, notRecognised("", head)
}

// isSafetensors reports whether the head is the length of a header, of at most
// maxHeader, and the brace that begins the header.
func isSafetensors(head []byte) bool {
	return len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= maxHeader
}

// strangers are the other files that users most often give in place of weights.
var strangers = []struct{ magic, name, hint string }{
	{"", "an empty file", hintCut},
	{"version https://git-lfs", "a pointer of Git LFS instead of the file", "fetch the file itself: git lfs pull"},
	{"<!", "a web page", "fetch the file itself: a browser's link often leads to a page about it"},
	{"<html", "a web page", "fetch the file itself: a browser's link often leads to a page about it"},
	{"\x1f\x8b", "a gzip archive", "decompress it first: gunzip"},
	{"\x89HDF", "an HDF5 file, as Keras writes", "only PyTorch's files and safetensors are read"},
	{"GGUF", "a GGUF file", "only PyTorch's files and safetensors are read"},
	{"\x93NUMPY", "a NumPy array", "only PyTorch's files and safetensors are read"},
}

// notRecognised returns the error for a file that begins with head and has no
// known format.
func notRecognised(format string, head []byte) error {
	e := &FormatError{
		Format: format,
		Want:   "a safetensors file or one of torch.save",
		Got:    fmt.Sprintf("bytes that begin with %q", head[:min(len(head), 16)]),
		Hint:   "give a file of one of these; " + hintStateDict,
	}
	for _, s := range strangers {
		if s.magic == "" && len(head) == 0 || s.magic != "" && bytes.HasPrefix(head, []byte(s.magic)) {
			e.Got, e.Hint = s.name, s.hint
			break
		}
	}
	return e
}
