package weights

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/big"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

const formatOld = "PyTorch (before 1.6)"

const hintNotTorch = "save it with torch.save rather than with pickle or another program"

// Files of torch.save before 1.6 begin with a magic number, 80 bits long, and the
// version of the format.
const (
	magic         = "1950a86a20f9469cfc6c"
	formatVersion = 1001
)

// An oldFile is a file of torch.save before PyTorch 1.6: pickles of the magic number, the
// version, the machine's properties, the object and the list of the storages'
// keys, and then the storages in the order of the list, each preceded by its
// number of elements in 8 bytes. Data after that is ignored, as in PyTorch.
type oldFile struct {
	r       io.ReaderAt
	size    int64
	at      int64            // the next byte to read
	offsets map[string]int64 // of the bytes of each storage, by key
}

// readOld reads the state dict in a file of torch.save before 1.6.
func readOld(r io.ReaderAt, size int64) (*StateDict, error) {
	p := &oldFile{r: r, size: size, offsets: make(map[string]int64)}
	if err := p.header(); err != nil {
		return nil, err
	}
	m := newMachine()
	v, at, err := p.next(m)
	if err != nil {
		return nil, err
	}
	if err := p.locate(m.storages); err != nil {
		return nil, err
	}
	return assemble(p, v, at, size)
}

// next runs the next pickle on m and returns the resulting object and the byte
// at which the pickle begins.
func (p *oldFile) next(m *machine) (v any, at int64, err error) {
	at = p.at
	left := p.size - at
	program, err := pickle.Scan(io.NewSectionReader(p.r, at, left), left, maxPickle)
	if err != nil {
		return nil, at, pickleFailed(formatOld, at, err)
	}
	p.at += program.Size()
	if v, err = program.Run(m); err != nil {
		return nil, at, runFailed(formatOld, at, err)
	}
	return v, at, nil
}

// header reads the pickles before that of the object.
func (p *oldFile) header() error {
	m := newMachine()
	v, at, err := p.next(m)
	if err != nil {
		return err
	}
	if n, ok := v.(*big.Int); !ok || n.Text(16) != magic {
		return p.fail(at, "the magic number of torch.save", describe(v), hintNotTorch)
	}
	if v, at, err = p.next(m); err != nil {
		return err
	}
	if v != formatVersion {
		return p.fail(at, fmt.Sprintf("version %d of the format", formatVersion), describe(v), hintTar)
	}
	if v, at, err = p.next(m); err != nil {
		return err
	}
	return p.checkOrder(v, at)
}

// checkOrder checks that the machine that wrote the file was little-endian.
func (p *oldFile) checkOrder(v any, at int64) error {
	properties, ok := pickle.Entries(v)
	if !ok {
		return p.fail(at, "a dict of the machine's properties", describe(v), hintCut)
	}
	for _, e := range properties {
		if e.Key == "little_endian" && e.Value != true {
			return p.fail(at, "numbers in little-endian order", "numbers in another",
				"save it on a machine whose numbers are little-endian")
		}
	}
	return nil
}

// locate reads the list of keys and finds the storages that it lists.
func (p *oldFile) locate(storages map[string]*storage) error {
	v, at, err := p.next(newMachine())
	if err != nil {
		return err
	}
	keys, ok := pickle.Sequence(v)
	if !ok {
		return p.fail(at, "a list of the storages' keys", describe(v), hintCut)
	}
	for _, k := range keys {
		key, ok := k.(string)
		if !ok {
			return p.fail(at, "the key of a storage", describe(k), hintForged)
		}
		s, ok := storages[key]
		if _, again := p.offsets[key]; !ok || again {
			return p.fail(at, "the keys of the storages that the object has, each once",
				fmt.Sprintf("the key %q", shorten(key)), hintForged)
		}
		if err := p.skip(s); err != nil {
			return err
		}
	}
	return nil
}

// skip records where the bytes of s are and moves past them.
func (p *oldFile) skip(s *storage) error {
	want := fmt.Sprintf("the storage %q of %d elements", s.key, s.bytes/s.item)
	var head [8]byte
	if p.size-p.at < int64(len(head)) {
		return cut(formatOld, p.size, want)
	}
	if _, err := p.r.ReadAt(head[:], p.at); err != nil {
		return readFailed(formatOld, p.at, want, err)
	}
	if n := binary.LittleEndian.Uint64(head[:]); n != uint64(s.bytes/s.item) {
		return p.fail(p.at, want, fmt.Sprintf("%d elements", n), hintCut)
	}
	p.at += int64(len(head))
	if s.bytes > p.size-p.at {
		return cut(formatOld, p.size, want)
	}
	p.offsets[s.key] = p.at
	p.at += s.bytes
	return nil
}

func (p *oldFile) format() string { return formatOld }

// open returns the bytes of a storage.
func (p *oldFile) open(s *storage) (*record, error) {
	at, ok := p.offsets[s.key]
	if !ok {
		return nil, p.fail(noOffset, fmt.Sprintf("the key %q in the list of storages", shorten(s.key)),
			"a list without it", hintForged)
	}
	r := io.NopCloser(io.NewSectionReader(p.r, at, s.bytes))
	return &record{ReadCloser: r, offset: at, size: s.bytes}, nil
}

func (p *oldFile) fail(offset int64, want, got, hint string) error {
	return &FormatError{Format: formatOld, Offset: offset, Want: want, Got: got, Hint: hint}
}
