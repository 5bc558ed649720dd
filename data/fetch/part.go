package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// part is a file during its download: PATH.part, with its origin in PATH.part.json.
type part struct {
	path   string
	f      *os.File // positioned at its end
	size   int64
	sums   *sums  // the digests of the content of f
	from   origin // the origin of the content of f; zero if unknown
	pieced bool   // whether f has come in more than one response
}

// origin holds what a server said about a file's content.
type origin struct {
	URL          string `json:"url"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	Bytes        int64  `json:"bytes,omitempty"` // of the whole file; 0 if unknown
}

// validator returns the value for an If-Range header: the ETag unless it is weak, else the date.
func (o origin) validator() string {
	if o.ETag != "" && !strings.HasPrefix(o.ETag, "W/") {
		return o.ETag
	}
	return o.LastModified
}

// differs reports whether two responses from one address certainly have different contents.
func (o origin) differs(p origin) bool {
	apart := func(a, b string) bool { return a != "" && b != "" && a != b }
	return apart(o.ETag, p.ETag) || apart(o.LastModified, p.LastModified) ||
		o.Bytes > 0 && p.Bytes > 0 && o.Bytes != p.Bytes
}

// or returns o with its empty fields filled in from p, which has the same content: a server may say less about a range
// than about the whole file.
func (o origin) or(p origin) origin {
	o.Bytes = cmp.Or(o.Bytes, p.Bytes)
	if o.URL == p.URL {
		o.ETag = cmp.Or(o.ETag, p.ETag)
		o.LastModified = cmp.Or(o.LastModified, p.LastModified)
	}
	return o
}

// openPart opens or makes the part of the file at path, and computes the digests of its content.
func openPart(ctx context.Context, path string, f File) (*part, error) {
	p := &part{path: path + ".part", sums: newSums(f)}
	var err error
	if p.f, err = os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, onDisk(p.path, err)
	}
	if p.size, err = io.Copy(p.sums, interruptible{ctx, p.f}); err != nil {
		return nil, errors.Join(orInterrupted(ctx, f, onDisk(p.path, err)), p.f.Close())
	}
	p.pieced = p.size > 0
	p.from = readOrigin(p.path + ".json")
	return p, nil
}

// readOrigin reads an origin. For a missing or damaged file it returns the zero origin.
func readOrigin(path string) origin {
	var o origin
	if jsonfile.Read(path, jsonfile.Small, &o) != nil || o.Bytes < 0 {
		return origin{}
	}
	return o
}

// Write appends b to the part and its digests.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.f.Write(b)
	p.sums.Write(b[:n])
	p.size += int64(n)
	if err != nil {
		return n, onDisk(p.path, err)
	}
	return n, nil
}

// restart empties the part.
func (p *part) restart() error {
	_, err := p.f.Seek(0, io.SeekStart)
	if err := errors.Join(err, p.f.Truncate(0), removeIfThere(p.path+".json")); err != nil {
		return onDisk(p.path, err)
	}
	p.sums.reset()
	p.size, p.from, p.pieced = 0, origin{}, false
	return nil
}

// setOrigin writes the origin of the bytes that follow. It must be on disk before these bytes; otherwise a later call
// could join pieces of different contents.
func (p *part) setOrigin(o origin) error {
	b, err := json.Marshal(o)
	if err == nil {
		err = atomicfile.WriteFile(p.path+".json", func(w io.Writer) error {
			_, err := w.Write(append(b, '\n'))
			return err
		})
	}
	if err != nil {
		return onDisk(p.path, err)
	}
	p.from = o
	p.pieced = p.size > 0
	return nil
}

// finish renames the part to its final name, once its content is on disk.
func (p *part) finish() error {
	final := strings.TrimSuffix(p.path, ".part")
	err := atomicfile.Move(p.path, final)
	if err == nil {
		err = atomicfile.Remove(p.path + ".json")
	}
	if err != nil {
		return onDisk(final, err)
	}
	return nil
}

// close closes the part and keeps it for the next call. It removes an empty one.
func (p *part) close() error {
	err := p.f.Close()
	if p.size == 0 {
		err = errors.Join(err, removeIfThere(p.path), removeIfThere(p.path+".json"))
	}
	return err
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
