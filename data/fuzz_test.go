package data

import (
	"bytes"
	"errors"
	"testing"
)

// checkError fails the test if err is neither nil nor a FormatError.
func checkError(t *testing.T, err error) {
	t.Helper()
	if f := (*FormatError)(nil); err != nil && !errors.As(err, &f) {
		t.Fatalf("error of type %T: %v", err, err)
	}
}

func FuzzIDX(f *testing.F) {
	file := idxFile(idxUint8, []byte{1, 2, 3, 4, 5, 6}, 2, 3)
	f.Add(file)
	f.Add(gzipped(f, file))
	f.Add(idxFile(idxFloat64, make([]byte, 16), 2))
	f.Add(idxFile(idxInt16, nil, 1<<31, 1<<31, 0))
	// Sizes whose product overflows, more dimensions than the file has bytes, and an unknown type.
	f.Add(idxFile(idxFloat64, []byte{1}, 1<<31, 1<<31, 1<<31, 1<<31))
	f.Add(idxFile(idxUint8, nil, 1<<32-1, 1<<32-1))
	f.Add([]byte{0, 0, byte(idxUint8), 255, 0, 0, 0, 1})
	f.Add([]byte{0, 0, 7, 1, 0, 0, 0, 1, 1})
	f.Add(gzipped(f, gzipped(f, file)))
	f.Add(gzipped(f, make([]byte, 1<<21)))
	f.Fuzz(func(t *testing.T, content []byte) {
		const limit = 1 << 20
		h, payload, err := parse(content, limit)
		checkError(t, err)
		if err != nil {
			return
		}
		want, _, ok := h.payload(limit)
		if !ok || int64(len(payload)) != want {
			t.Fatalf("%v has %d bytes, want %d", h, len(payload), want)
		}
	})
}

func FuzzCIFAR(f *testing.F) {
	f.Add(cifarBatch(1), []byte(cifarNames))
	f.Add(cifarBatch(3, 9), []byte("a\nb"))
	f.Add([]byte{0}, []byte{})
	f.Fuzz(func(t *testing.T, raw, meta []byte) {
		names, err := newCIFAR10("test").parseClasses("meta", meta)
		checkError(t, err)
		if err == nil && len(names) != 10 {
			t.Fatalf("%d classes", len(names))
		}
		p := &planes{shape: Shape{3, 32, 32}, classes: names}
		err = newCIFAR10("test").addRecords(p, "batch", raw)
		checkError(t, err)
		if err != nil {
			return
		}
		var back bytes.Buffer
		for i := range p.Len() {
			if label := p.labelAt(i); label < 0 || label > 9 {
				t.Fatalf("image %d has label %d", i, label)
			}
			if err := p.identify(&back, i); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(back.Bytes(), raw) {
			t.Fatal("the records are not the file")
		}
	})
}

func FuzzParseNormalisation(f *testing.F) {
	for _, s := range []string{"none", "imagenet", "dataset", "0.1307/0.3081", ".485,.456,.406/.229,.224,.225", "1,2/3",
		"nan/1", "0x1p-2/1e-45"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseNormalisation(s, nil)
		checkError(t, err)
		if err != nil {
			return
		}
		if err := n.Check(len(n.Mean)); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		back, err := ParseNormalisation(n.String(), nil)
		if err != nil || !equalNormalisation(back, n) {
			t.Fatalf("%q is %v, reads back as %v, %v", s, n, back, err)
		}
	})
}
