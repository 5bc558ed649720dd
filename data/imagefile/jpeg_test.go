package imagefile

import (
	"bytes"
	"image/jpeg"
	"os"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/turbojpeg"
)

// segment returns a segment of a JPEG: a marker, the length and the content.
func segment(marker byte, content ...byte) []byte {
	n := len(content) + 2
	return append([]byte{0xff, marker, byte(n >> 8), byte(n)}, content...)
}

// manyScans returns an 8×8 image of middle grey as a progressive JPEG of the given number of scans, at most 631. The
// first scan has the mean, and the others have the 63 other frequencies bit by bit. A scan is ten bytes of header and
// one byte of data, which says that all coefficients are zero.
func manyScans(scans int) []byte {
	file := []byte{0xff, 0xd8}
	file = append(file, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	file = append(file, segment(0xc2, 8, 0, 8, 0, 8, 1, 1, 0x11, 0)...) // progressive, grey
	for _, table := range []byte{0x00, 0x10} {
		code := make([]byte, 18) // one code, of one bit, for the symbol 0
		code[0], code[1] = table, 1
		file = append(file, segment(0xc4, code...)...)
	}
	for k := range scans {
		frequency, bit := byte(0), byte(0)
		if k > 0 {
			frequency = byte(1 + (k-1)%63)
			if round := byte((k - 1) / 63); round == 0 {
				bit = 9
			} else {
				bit = (10-round)<<4 | (9 - round)
			}
		}
		file = append(file, segment(0xda, 1, 1, 0, frequency, frequency, bit)...)
		file = append(file, 0x7f)
	}
	return append(file, 0xff, 0xd9)
}

// decodeGoJPEG decodes a JPEG with image/jpeg.
func decodeGoJPEG(path string, content []byte) (*Picture, error) {
	return codecs[0].decode(path, content)
}

// TestManyScans checks that a JPEG of maxScans scans is decoded, and that one of maxScans+1 is refused.
func TestManyScans(t *testing.T) {
	most := manyScans(maxScans)
	if n, _ := countScans(most); n != maxScans {
		t.Errorf("%d scans counted, want %d", n, maxScans)
	}
	if _, err := jpeg.Decode(bytes.NewReader(most)); err != nil {
		t.Fatalf("no test of scans: image/jpeg says %v", err)
	}
	if img, err := decode(most); err != nil || img.Width != 8 || img.Pix[0] != 128 {
		t.Errorf("%d scans: %v", maxScans, err)
	}
	bomb := manyScans(maxScans + 1)
	_, err := decode(bomb)
	f := wantFormatError(t, err, int64(bytes.LastIndex(bomb, []byte{0xff, 0xda})))
	if !strings.Contains(f.Error(), "500 scans") {
		t.Errorf("error %q", f)
	}
	if turbojpeg.Available() {
		err := turbojpeg.Decode(bomb, func(w, h int) ([]uint8, error) { return make([]uint8, 3*w*h), nil })
		if err == nil || !strings.Contains(err.Error(), "500 scans") {
			t.Errorf("libjpeg-turbo says %v", err)
		}
	}
}

// TestCountScans checks the number of scans, also where bytes look like a scan but are not one.
func TestCountScans(t *testing.T) {
	scan := append(segment(0xda, 1, 1, 0, 0, 0, 0), 0x12, 0xff, 0x00, 0xda, 0xff, 0xd3, 0xda)
	for name, test := range map[string]struct {
		content []byte
		want    int
	}{
		"nothing":       {nil, 0},
		"two":           {append(bytes.Repeat(scan, 2), 0xff, 0xd9), 2},
		"after the end": {append([]byte{0xff, 0xd9}, scan...), 0},
		"in a comment":  {segment(0xfe, bytes.Repeat(scan, 9)...), 0},
		"filled":        {append([]byte{0xff, 0xff, 0xff}, scan[1:]...), 1},
		"cut in a scan": {scan[:len(scan)-1], 1},
		"cut in a size": {scan[:3], 0},
		"no size":       {[]byte{0xff, 0xe0, 0, 0, 0xff, 0xda, 0, 2}, 1},
	} {
		if n, _ := countScans(test.content); n != test.want {
			t.Errorf("%s: %d scans, want %d", name, n, test.want)
		}
	}
}

// TestBothDecodersRefuse cuts JPEGs at every byte after the signature. The errors must be the same with libjpeg-turbo
// and without it.
func TestBothDecodersRefuse(t *testing.T) {
	for _, path := range []string{"testdata/pillow/grey.jpg", "testdata/pillow/progressive.jpg"} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := 3; n < len(content); n++ {
			_, err := Decode(path, content[:n:n])
			_, want := decodeGoJPEG(path, content[:n:n])
			if err == nil || want == nil || err.Error() != want.Error() {
				t.Fatalf("the first %d of %d bytes of %s: %v, image/jpeg says %v", n, len(content), path, err, want)
			}
		}
	}
}

// TestTurboChecksSides checks that an image is refused if its header says that it is too large.
func TestTurboChecksSides(t *testing.T) {
	content := manyScans(1)
	frame := bytes.Index(content, []byte{0xff, 0xc2})
	copy(content[frame+5:], []byte{0x80, 0, 0x80, 0})
	_, err := decode(content)
	wantFormatError(t, err, array.NoOffset)
	if !strings.Contains(err.Error(), "32768×32768") {
		t.Errorf("error %q", err)
	}
}
