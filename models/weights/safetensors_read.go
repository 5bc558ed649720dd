package weights

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"gorgonia.org/tensor"
)

const (
	formatSafetensors = "safetensors"
	hintSafetensors   = "re-save it with the safetensors library"
)

// The layout of a safetensors file: the length of the header in 8 bytes,
// little-endian, the header, a JSON object that may end in spaces, and then the
// tensors' elements without a gap.
const (
	lengthSize  = 8
	maxHeader   = 100_000_000 // the limit of the safetensors library
	metadataKey = "__metadata__"
)

// A place is the description of a tensor in a header.
type place struct {
	name       string
	dtype      dtype
	shape      []int64
	begin, end int64 // byte range of the elements, from the end of the header
	at         int64 // byte of the file at which the header describes the tensor
}

// ReadSafetensors reads a safetensors file, of which r holds size bytes. The
// tensors are in the order of the header. It takes no more memory than the size,
// or twice the size if the elements are float16 or bfloat16.
//
// It refuses what the safetensors library refuses: keys that occur twice, tensors
// that overlap or leave gaps, bytes that belong to no tensor.
//
// A file that breaks the format gives a [*FormatError]. An error of r itself
// is wrapped.
func ReadSafetensors(r io.ReaderAt, size int64) (*StateDict, error) {
	header, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	places, metadata, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	buffer := lengthSize + int64(len(header))
	sorted := slices.Clone(places)
	slices.SortStableFunc(sorted, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	if err := checkPlaces(sorted, buffer, size); err != nil {
		return nil, err
	}
	dense, err := readPlaces(sorted, io.NewSectionReader(r, buffer, size-buffer), buffer)
	if err != nil {
		return nil, err
	}
	d := &StateDict{metadata: metadata}
	for _, p := range places {
		d.Set(p.name, dense[p.name])
	}
	return d.withoutWrapping(), nil
}

// readHeader reads the header. It refuses one that is longer than the file.
func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	const want = "the length of the header, 8 bytes"
	if size < lengthSize {
		return nil, cut(formatSafetensors, size, want)
	}
	var length [lengthSize]byte
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), length[:]); err != nil {
		return nil, readFailed(formatSafetensors, 0, want, err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader {
		return nil, &FormatError{
			Format: formatSafetensors,
			Want:   fmt.Sprintf("a header of at most %d bytes", maxHeader),
			Got:    fmt.Sprintf("a length of %d", n),
			Hint:   "give a safetensors file",
		}
	}
	wantHeader := fmt.Sprintf("a header of %d bytes", n)
	if n > uint64(size-lengthSize) {
		return nil, cut(formatSafetensors, size, wantHeader)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, lengthSize, size-lengthSize), header); err != nil {
		return nil, readFailed(formatSafetensors, lengthSize, wantHeader, err)
	}
	return header, nil
}

// checkPlaces checks that places, sorted by their beginnings, fill the file from
// byte buffer to its end without a gap, and that each has the size of its shape.
func checkPlaces(places []place, buffer, size int64) error {
	next := int64(0)
	for _, p := range places {
		if p.begin != next || p.end < p.begin {
			return p.fail(fmt.Sprintf("%q to begin at %d, where the tensor before it ends", shorten(p.name), next),
				fmt.Sprintf("data_offsets [%d, %d]", p.begin, p.end), hintSafetensors)
		}
		n, ok := product(p.shape)
		bytes, fits := mul(n, p.dtype.size())
		if !ok || !fits || bytes != p.end-p.begin {
			return p.fail(fmt.Sprintf("%q of shape %v and type %v", shorten(p.name), p.shape, p.dtype),
				fmt.Sprintf("%d bytes for it", p.end-p.begin), hintSafetensors)
		}
		if p.end > size-buffer {
			return cut(formatSafetensors, size, fmt.Sprintf("the elements of %q up to byte %d",
				shorten(p.name), buffer+p.end))
		}
		next = p.end
	}
	if next != size-buffer {
		return &FormatError{
			Format: formatSafetensors,
			Offset: buffer + next,
			Want:   "the end of the file",
			Got:    fmt.Sprintf("%d bytes that belong to no tensor", size-buffer-next),
			Hint:   hintSafetensors,
		}
	}
	return nil
}

func (p place) fail(want, got, hint string) error {
	return &FormatError{Format: formatSafetensors, Offset: p.at, Want: want, Got: got, Hint: hint}
}

// readPlaces reads the elements of places, which follow each other in r, from byte
// buffer of the file on.
func readPlaces(places []place, r io.Reader, buffer int64) (map[string]*tensor.Dense, error) {
	dense := make(map[string]*tensor.Dense, len(places))
	total := int64(0)
	for _, p := range places {
		n, _ := product(p.shape) // checkPlaces has checked that the file has as many
		total += n * p.dtype.wide()
	}
	if err := checkMemory(formatSafetensors, total); err != nil {
		return nil, err
	}
	for _, p := range places {
		n, _ := product(p.shape)
		values, err := p.dtype.read(r, n)
		if err != nil {
			return nil, readFailed(formatSafetensors, buffer+p.begin, fmt.Sprintf("the elements of %q",
				shorten(p.name)), err)
		}
		dense[p.name] = newDense(p.shape, values)
	}
	return dense, nil
}
