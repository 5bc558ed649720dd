// Package jsonfile reads JSON that another process, an editor or a stranger may have written. [Read] reads a regular
// file up to a size limit, [Decode] a text; both accept exactly one value.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Size limits of files.
const (
	Small = 16 << 20  // of notes and receipts
	Large = 256 << 20 // of plans and records, which list units, settings and results
)

// maxDepth limits the nesting of objects and arrays. It is far more than any record has.
const maxDepth = 1000

// Read reads the JSON file at path into v and ignores fields that v does not have. It returns an error if the file is
// not a regular one, has more than maxBytes, is nested too deeply, or holds anything but exactly one value of the type
// of v. The error names the path; it is [io/fs.ErrNotExist] if there is no file.
func Read(path string, maxBytes int64, v any) error {
	return read(path, maxBytes, v, false)
}

// ReadStrict is [Read], but fields that v does not have are an error.
func ReadStrict(path string, maxBytes int64, v any) error {
	return read(path, maxBytes, v, true)
}

func read(path string, maxBytes int64, v any, strict bool) error {
	text, err := readBytes(path, maxBytes)
	if err != nil {
		return err
	}
	if err := decode(text, v, strict); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readBytes reads a regular file, or a link to one, of at most maxBytes.
func readBytes(path string, maxBytes int64) ([]byte, error) {
	// Opening a pipe without O_NONBLOCK would wait for a writer, forever if there is none.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a regular file with JSON, found a %s", path, kind(info))
	}
	text, size := []byte(nil), info.Size()
	if size <= maxBytes { // it may grow while it is read
		text, err = io.ReadAll(io.LimitReader(f, maxBytes+1))
		size = int64(len(text))
	}
	if err == nil && size > maxBytes {
		err = fmt.Errorf("%s: want at most %d MiB of JSON, found more", path, maxBytes>>20)
	}
	return text, err
}

func kind(info os.FileInfo) string {
	if info.IsDir() {
		return "folder"
	}
	return "pipe or device"
}

// Decode reads one JSON value into v, as strictly as [ReadStrict].
func Decode(text []byte, v any) error { return decode(text, v, true) }

func decode(text []byte, v any, strict bool) error {
	if err := checkDepth(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); errors.Is(err, io.EOF) {
		return errors.New("want JSON, found nothing")
	} else if err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("want one JSON value, found more after it")
	}
	return nil
}

// checkDepth returns an error if objects and arrays are nested too deeply for a recursive decoder.
func checkDepth(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth > maxDepth {
			return fmt.Errorf("objects and arrays are nested more than %d deep", maxDepth)
		}
	}
	return nil
}
