package data

import (
	"bytes"
	"testing"
)

// FuzzCIFAR100 parses records of CIFAR-100. Each has two labels, a coarse and a fine one, of which a set uses one.
func FuzzCIFAR100(f *testing.F) {
	record := append([]byte{19, 99}, make([]byte, cifarPixels)...)
	f.Add(record, true)
	f.Add(append(bytes.Clone(record), record...), false)
	f.Add(record[1:], true)
	f.Fuzz(func(t *testing.T, raw []byte, coarse bool) {
		kind := cifarFine
		if coarse {
			kind = cifarCoarse
		}
		s := newCIFAR100("test", kind)
		p := &planes{shape: Shape{3, 32, 32}}
		err := s.addRecords(p, "batch", raw)
		checkError(t, err)
		if err != nil {
			return
		}
		if p.Len()*(2+cifarPixels) != len(raw) {
			t.Fatalf("%d images of %d bytes", p.Len(), len(raw))
		}
		for i := range p.Len() {
			if l := p.labelAt(i); l < 0 || l >= s.classes {
				t.Fatalf("image %d has label %d", i, l)
			}
		}
	})
}

// FuzzIDXLabels parses label files with a row of numbers per image, as in QMNIST, and with one number per image, as in
// EMNIST.
func FuzzIDXLabels(f *testing.F) {
	f.Add(idxFile(idxUint8, []byte{1, 2, 26}, 3), 3, false)
	f.Add(idxFile(idxInt32, qmnistLabels(2), 2, 8), 2, true)
	f.Add(idxFile(idxInt32, nil, 2, 0), 2, true)
	f.Fuzz(func(t *testing.T, raw []byte, n int, rows bool) {
		s := idxSet{name: "emnist:letters", classes: emnistClasses("letters"), first: 1, rows: rows}
		h, payload, err := parseIDX("labels", bytes.NewReader(raw), int64(len(raw)), 1<<20, s.checkLabels("images", n))
		checkError(t, err)
		if err != nil {
			return
		}
		labels, err := s.parseLabels("labels", h, payload)
		checkError(t, err)
		if err == nil && len(labels) != n {
			t.Fatalf("%d labels, want %d", len(labels), n)
		}
		for i, l := range labels {
			if int(l) >= len(s.classes) {
				t.Fatalf("label %d is %d", i, l)
			}
		}
	})
}

func FuzzClassMap(f *testing.F) {
	f.Add([]byte("n02119789 1 kit_fox\n"))
	f.Add([]byte("n1 1000 a b\n\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		names, err := parseClassMap("map", raw)
		checkError(t, err)
		if err == nil && len(names) != imagenet32Classes {
			t.Fatalf("%d names", len(names))
		}
	})
}

func FuzzSTLLabels(f *testing.F) {
	f.Add([]byte{1, 10, 3})
	f.Fuzz(func(t *testing.T, raw []byte) {
		labels, err := parseSTLLabels("labels", raw, 10)
		checkError(t, err)
		for _, l := range labels {
			if l > 9 {
				t.Fatalf("label %d", l)
			}
		}
	})
}
