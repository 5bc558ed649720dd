package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"testing"
)

// entry is an entry of an archive that a test writes.
type entry struct {
	name    string
	kind    byte // the type flag in a tar archive; 0 is a file
	link    string
	content string
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: cmp.Or(e.kind, tar.TypeReg), Linkname: e.link,
			Size: int64(len(e.content)), Mode: 0o777}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if e.kind == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: e.kind, PAXRecords: map[string]string{"comment": "commit"}}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		switch e.kind {
		case tar.TypeSymlink:
			h.SetMode(os.ModeSymlink | 0o777)
			e.content = e.link
		case tar.TypeFifo:
			h.SetMode(os.ModeNamedPipe | 0o666)
		case tar.TypeChar:
			h.SetMode(os.ModeDevice | os.ModeCharDevice | 0o666)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sparse returns a tar archive, in GNU's old format, of a sparse file that consists of one hole of size bytes.
func sparse(size int64) []byte {
	b := make([]byte, 3*tarBlock)
	copy(b, "hole")
	copy(b[100:], "0000644\x000000000\x000000000\x0000000000000\x0000000000000\x00")
	copy(b[148:], "        S")
	copy(b[257:], "ustar  \x00")
	big := func(at int, n int64) { // in base 256
		b[at] = 0x80
		binary.BigEndian.PutUint64(b[at+4:], uint64(n))
	}
	big(386, size) // one empty fragment, at the end
	big(398, 0)
	big(483, size)
	sum := int64(0)
	for _, c := range b[:tarBlock] {
		sum += int64(c)
	}
	copy(b[148:], []byte{'0' + byte(sum>>15&7), '0' + byte(sum>>12&7), '0' + byte(sum>>9&7), '0' + byte(sum>>6&7),
		'0' + byte(sum>>3&7), '0' + byte(sum&7), 0, ' '})
	return b
}

// overlapping returns a zip archive of n entries that share the same compressed bytes, size zeros, like the zip bombs
// of David Fifield.
func overlapping(t *testing.T, n, size int) []byte {
	t.Helper()
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(make([]byte, size))
	w.Close()
	header := func(signature string, name string, more int) []byte {
		h := []byte(signature)
		h = append(h, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0)
		h = binary.LittleEndian.AppendUint32(h, crc32.ChecksumIEEE(make([]byte, size)))
		h = binary.LittleEndian.AppendUint32(h, uint32(deflated.Len()))
		h = binary.LittleEndian.AppendUint32(h, uint32(size))
		h = binary.LittleEndian.AppendUint16(h, uint16(len(name)))
		h = append(h, make([]byte, more)...)
		return append(h, name...)
	}
	out := append(header("PK\x03\x04", "a", 2), deflated.Bytes()...)
	at := len(out)
	for i := range n {
		out = append(out, header("PK\x01\x02\x14\x00", string(rune('a'+i)), 16)...)
	}
	end := append([]byte("PK\x05\x06\x00\x00\x00\x00"), byte(n), 0, byte(n), 0)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(out)-at))
	end = binary.LittleEndian.AppendUint32(end, uint32(at))
	return append(append(out, end...), 0, 0)
}

// lying changes the directory of a zip archive to claim that each file has one byte.
func lying(t *testing.T, b []byte) []byte {
	t.Helper()
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte("PK\x01\x02"))
		if i < 0 {
			return b
		}
		at += i + 24
		binary.LittleEndian.PutUint32(b[at:], 1)
	}
}
