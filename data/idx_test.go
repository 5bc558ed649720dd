package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"runtime"
	"slices"
	"testing"
)

// idxFile returns an IDX file with that payload.
func idxFile(kind idxType, payload []byte, dims ...uint32) []byte {
	file := []byte{0, 0, byte(kind), byte(len(dims))}
	for _, d := range dims {
		file = binary.BigEndian.AppendUint32(file, d)
	}
	return append(file, payload...)
}

func gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func anyHeader(idxReader, idxHeader) error { return nil }

func parse(content []byte, limit int64) (idxHeader, []byte, error) {
	return parseIDX("file", bytes.NewReader(content), int64(len(content)), limit, anyHeader)
}

func TestIDX(t *testing.T) {
	for _, test := range []struct {
		kind  idxType
		dims  []uint32
		bytes int
	}{
		{idxUint8, []uint32{2, 3}, 6},
		{idxInt8, []uint32{6}, 6},
		{idxInt16, []uint32{2, 3, 2}, 24},
		{idxInt32, []uint32{5}, 20},
		{idxFloat32, []uint32{1, 1, 1, 3}, 12},
		{idxFloat64, []uint32{2}, 16},
		{idxFloat64, nil, 8}, // rank 0: a single number
		{idxFloat64, []uint32{1 << 31, 0, 1 << 31}, 0},
	} {
		payload := make([]byte, test.bytes)
		for i := range payload {
			payload[i] = byte(i + 1)
		}
		file := idxFile(test.kind, payload, test.dims...)
		for _, content := range [][]byte{file, gzipped(t, file)} {
			h, got, err := parse(content, 24)
			if err != nil || h.kind != test.kind || !slices.Equal(h.dims, test.dims) || !bytes.Equal(got, payload) {
				t.Errorf("%v: got %v, % x, %v", test, h, got, err)
			}
		}
	}
}

func TestIDXBadInput(t *testing.T) {
	payload := []byte{1, 2, 3, 4, 5, 6}
	good := idxFile(idxUint8, payload, 2, 3)
	damaged := gzipped(t, good)
	damaged[len(damaged)-5] ^= 1 // in the checksum
	for name, test := range map[string]struct {
		content []byte
		offset  int64
	}{
		"empty":              {nil, 0},
		"magic":              {append([]byte{1}, good[1:]...), 0},
		"text":               {[]byte("<!DOCTYPE html>"), 0},
		"type":               {idxFile(0x0a, payload, 2, 3), 0},
		"dims cut":           {idxFile(idxUint8, nil, 2, 3)[:9], 9},
		"rank beyond file":   {append([]byte{0, 0, 8, 255}, payload...), 10},
		"trailing":           {append(slices.Clone(good), 7), 18},
		"trailing gz":        {gzipped(t, append(slices.Clone(good), 7)), 18},
		"huge dim":           {idxFile(idxUint8, payload, 1<<32-1), 4},
		"huge product":       {idxFile(idxUint8, payload, 1<<10, 1<<10, 1<<11), 12},
		"overflowing":        {idxFile(idxFloat64, payload, 1<<31, 1<<31, 1<<31), 4},
		"overflowing gz":     {gzipped(t, idxFile(idxFloat64, payload, 1<<31, 1<<31, 1<<31)), 4},
		"gzip header":        {[]byte{0x1f, 0x8b, 9, 9}, 0},
		"gzip checksum":      {damaged, 18},
		"gzip in gzip":       {gzipped(t, gzipped(t, good)), 0},
		"elements too large": {idxFile(idxFloat64, payload, 6), 14},
	} {
		_, _, err := parse(test.content, 1<<30)
		t.Run(name, func(t *testing.T) { wantFormatError(t, err, test.offset) })
	}
}

func TestIDXTruncated(t *testing.T) {
	file := idxFile(idxUint8, []byte{1, 2, 3, 4, 5, 6}, 2, 3)
	for n := range file {
		_, _, err := parse(file[:n], 1<<30)
		wantFormatError(t, err, int64(n))
	}
	z := gzipped(t, file)
	for n := range z {
		if _, _, err := parse(z[:n], 1<<30); err == nil {
			t.Errorf("the first %d of %d gzipped bytes: no error", n, len(z))
		}
	}
}

// TestIDXAllocatesWhatIsThere checks that little memory is allocated for a file that is shorter than its header says,
// and for a gzip bomb that holds more than its header says or than the limit allows.
func TestIDXAllocatesWhatIsThere(t *testing.T) {
	zeros := make([]byte, 16<<20)
	for name, content := range map[string][]byte{
		"promise":    idxFile(idxUint8, make([]byte, 100), 1<<30),
		"promise gz": gzipped(t, idxFile(idxUint8, make([]byte, 100), 1<<30)),
		"bomb":       gzipped(t, idxFile(idxUint8, zeros, 100)),
		"limit":      gzipped(t, idxFile(idxUint8, zeros, uint32(len(zeros)))),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := parse(content, 1<<20)
		if name == "promise" || name == "promise gz" {
			_, _, err = parse(content, 1<<30)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 1<<20 {
			t.Errorf("%s: allocated %d bytes, error %v", name, got, err)
		}
	}
}

// failingReader returns an error other than io.EOF at the end of its content.
type failingReader struct{ io.Reader }

func (r failingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrClosedPipe
	}
	return n, err
}

func TestIDXReadFails(t *testing.T) {
	file := idxFile(idxUint8, []byte{1, 2, 3}, 3)
	for n := range len(file) + 1 {
		_, _, err := parseIDX("file", failingReader{bytes.NewReader(file[:n])}, int64(len(file)), 100, anyHeader)
		wantFormatError(t, err, int64(n))
	}
}
