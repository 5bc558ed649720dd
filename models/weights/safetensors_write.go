package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"gorgonia.org/tensor"
)

// WriteSafetensors writes d and the metadata to w as a safetensors file. The same
// tensors in the same order always give the same bytes.
//
// The header lists the tensors in the order of d. Their elements are sorted by the
// size of an element, the largest first, so that each tensor is aligned; tensors
// with elements of equal size are in the order of d. WriteSafetensors writes no
// bool, float16 or bfloat16, since d holds none.
func WriteSafetensors(w io.Writer, d *StateDict, metadata map[string]string) error {
	if err := writeSafetensors(w, d, metadata); err != nil {
		return fmt.Errorf("weights: writing safetensors: %w", err)
	}
	return nil
}

func writeSafetensors(w io.Writer, d *StateDict, metadata map[string]string) error {
	places, err := placesOf(d)
	if err != nil {
		return err
	}
	header, err := marshalHeader(places, metadata)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, p := range bySize(places) {
		t, _ := d.Get(p.name)
		if err := writeValues(w, t); err != nil {
			return err
		}
	}
	return nil
}

// placesOf returns the place of each tensor of d, in the order of d.
func placesOf(d *StateDict) ([]place, error) {
	places := make([]place, 0, d.Len())
	for name, t := range d.All() {
		if !utf8.ValidString(name) || name == metadataKey {
			return nil, fmt.Errorf("%q cannot be the name of a tensor: rename it", name)
		}
		p, err := placeOf(name, t)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		places = append(places, p)
	}
	next := int64(0)
	for _, p := range bySize(places) {
		p.begin, p.end = next, next+p.end
		next = p.end
	}
	return places, nil
}

// placeOf returns the place of a tensor as if it were the first.
func placeOf(name string, t *tensor.Dense) (place, error) {
	d, n, err := layout(t)
	if err != nil {
		return place{}, err
	}
	return place{name: name, dtype: d, shape: int64s(t.Shape()), end: n * d.size()}, nil
}

// bySize returns pointers to places in the order in which their elements are
// written.
func bySize(places []place) []*place {
	sorted := make([]*place, len(places))
	for i := range places {
		sorted[i] = &places[i]
	}
	slices.SortStableFunc(sorted, func(a, b *place) int {
		return int(b.dtype.size() - a.dtype.size())
	})
	return sorted
}

// marshalHeader returns the header, preceded by its length. Spaces at its end
// make the elements begin at a multiple of eight bytes.
func marshalHeader(places []place, metadata map[string]string) ([]byte, error) {
	header := bytes.NewBuffer(make([]byte, lengthSize))
	header.WriteByte('{')
	if len(metadata) > 0 {
		if err := marshalMetadata(header, metadata); err != nil {
			return nil, err
		}
	}
	for _, p := range places {
		comma(header)
		p.marshal(header)
	}
	header.WriteByte('}')
	for header.Len()%lengthSize != 0 {
		header.WriteByte(' ')
	}
	n := header.Len() - lengthSize
	if n > maxHeader {
		return nil, fmt.Errorf(
			"the header is %d bytes long and the format allows %d: write fewer tensors or shorter names", n, maxHeader)
	}
	binary.LittleEndian.PutUint64(header.Bytes(), uint64(n))
	return header.Bytes(), nil
}

// marshalMetadata writes the metadata in the order of its keys.
func marshalMetadata(header *bytes.Buffer, metadata map[string]string) error {
	fmt.Fprintf(header, "%s:{", quote(metadataKey))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if !utf8.ValidString(key) || !utf8.ValidString(metadata[key]) {
			return fmt.Errorf("the metadata %q is not UTF-8", key)
		}
		comma(header)
		fmt.Fprintf(header, "%s:%s", quote(key), quote(metadata[key]))
	}
	header.WriteByte('}')
	return nil
}

func (p place) marshal(header *bytes.Buffer) {
	fmt.Fprintf(header, `%s:{"dtype":%s,"shape":[`, quote(p.name), quote(dtypes[p.dtype].safetensors))
	for i, d := range p.shape {
		if i > 0 {
			header.WriteByte(',')
		}
		fmt.Fprint(header, d)
	}
	fmt.Fprintf(header, `],"data_offsets":[%d,%d]}`, p.begin, p.end)
}

// comma writes a comma unless an object has just begun.
func comma(header *bytes.Buffer) {
	if b := header.Bytes(); b[len(b)-1] != '{' {
		header.WriteByte(',')
	}
}

// quote returns s, which must be UTF-8, as a JSON string.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can always be encoded
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// Save writes d and the metadata as a safetensors file, atomically: if
// it returns an error, or if the machine stops midway, an earlier file at path is
// still there, unchanged. See [WriteSafetensors].
func Save(path string, d *StateDict, metadata map[string]string) error {
	err := atomicfile.WriteFile(path, func(w io.Writer) error { return writeSafetensors(w, d, metadata) })
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	return nil
}
