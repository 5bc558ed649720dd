package turbojpeg

import (
	"bytes"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// pillow is the folder to which testdata/pillow.py of package imagefile writes.
const pillow = "../imagefile/testdata/pillow"

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pillow, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// need skips the test if the library is not available.
func need(t testing.TB) {
	t.Helper()
	if !Available() {
		t.Skip(ErrUnavailable)
	}
}

func decode(raw []byte) (dst []uint8, width, height int, err error) {
	err = Decode(raw, func(w, h int) ([]uint8, error) {
		dst, width, height = make([]uint8, 3*w*h), w, h
		return dst, nil
	})
	return dst, width, height, err
}

// pillowPixels returns the red, green and blue bytes of a PNG that Pillow wrote.
func pillowPixels(t *testing.T, name string) []uint8 {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(mustRead(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	var pix []uint8
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			pix = append(pix, uint8(r>>8), uint8(g>>8), uint8(b>>8))
		}
	}
	return pix
}

var colours = []string{"444", "422", "420", "progressive", "grey"}

func TestDecodesToTheBytesOfPillow(t *testing.T) {
	need(t)
	for _, name := range colours {
		got, w, h, err := decode(mustRead(t, name+".jpg"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if w != 45 || h != 31 || !bytes.Equal(got, pillowPixels(t, name+"-jpg.rgb.png")) {
			t.Errorf("%s: %d×%d pixels, or others", name, w, h)
		}
	}
}

// TestKeepsNothingOfOtherImages checks that an image without its quantisation tables is refused, also right after an
// image that had them.
func TestKeepsNothingOfOtherImages(t *testing.T) {
	need(t)
	raw := mustRead(t, "444.jpg")
	bare := bytes.ReplaceAll(raw, []byte("\xff\xdb"), []byte("\xff\xe9")) // makes quantisation tables application data
	if bytes.Equal(bare, raw) {
		t.Fatal("no tables")
	}
	for range 3 {
		if _, _, _, err := decode(raw); err != nil {
			t.Error(err)
		}
		if _, _, _, err := decode(bare); err == nil {
			t.Error("without tables: no error")
		}
	}
}

// TestDecodesSideBySide decodes images in many goroutines at once, with truncated images in between.
func TestDecodesSideBySide(t *testing.T) {
	need(t)
	var team sync.WaitGroup
	for _, name := range colours {
		raw, want := mustRead(t, name+".jpg"), pillowPixels(t, name+"-jpg.rgb.png")
		for range 4 {
			team.Go(func() {
				for range 50 {
					if _, _, _, err := decode(raw[:len(raw)-9]); err == nil {
						t.Errorf("%s, cut off: no error", name)
					}
					if got, _, _, err := decode(raw); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s: other pixels, or %v", name, err)
					}
				}
			})
		}
	}
	team.Wait()
}

func TestRefuses(t *testing.T) {
	need(t)
	for name, raw := range map[string][]byte{
		"empty":            nil,
		"text":             []byte("not an image at all"),
		"start":            []byte("\xff\xd8\xff"),
		"printer's colour": mustRead(t, "cmyk.jpg"),
		"PNG":              mustRead(t, "rgb.png"),
	} {
		if _, _, _, err := decode(raw); err == nil {
			t.Errorf("%s: no error", name)
		} else if !strings.HasPrefix(err.Error(), "turbojpeg: ") || len(err.Error()) < 20 {
			t.Errorf("%s: error %q", name, err)
		}
	}
}

// TestRefusesWhatIsCutOff checks that images cut off at any byte are refused.
func TestRefusesWhatIsCutOff(t *testing.T) {
	need(t)
	for _, name := range colours {
		raw := mustRead(t, name+".jpg")
		for n := range raw {
			if _, _, _, err := decode(raw[:n:n]); err == nil {
				t.Errorf("the first %d of %d bytes of %s: no error", n, len(raw), name)
			}
		}
	}
}

func TestChecksItsDestination(t *testing.T) {
	need(t)
	raw := mustRead(t, "420.jpg")
	for _, n := range []int{0, 3*45*31 - 1, 3*45*31 + 1} {
		if err := Decode(raw, func(int, int) ([]uint8, error) { return make([]uint8, n), nil }); err == nil {
			t.Errorf("%d bytes of %d: no error", n, 3*45*31)
		}
	}
	refused := errors.New("refused")
	if err := Decode(raw, func(int, int) ([]uint8, error) { return nil, refused }); err != refused {
		t.Errorf("error %v, want that of allocate", err)
	}
}

func TestVersion(t *testing.T) {
	v := Version()
	if Available() != strings.Contains(v, "turbojpeg") {
		t.Errorf("version %q, available: %v", v, Available())
	}
	if Available() {
		return
	}
	if _, _, _, err := decode([]byte("\xff\xd8")); !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v, want %v", err, ErrUnavailable)
	}
}

func FuzzDecode(f *testing.F) {
	need(f)
	for _, name := range append(colours, "cmyk") {
		f.Add(mustRead(f, name+".jpg"))
	}
	tooLarge := errors.New("too large for this test")
	f.Fuzz(func(t *testing.T, raw []byte) {
		var guard []uint8
		_ = Decode(raw, func(w, h int) ([]uint8, error) {
			if w < 1 || h < 1 {
				t.Fatalf("%d×%d pixels", w, h)
			}
			if w*h > 1<<20 {
				return nil, tooLarge
			}
			guard = make([]uint8, 3*w*h+8)
			return guard[: 3*w*h : 3*w*h], nil
		})
		if n := len(guard); n > 0 && !bytes.Equal(guard[n-8:], make([]byte, 8)) {
			t.Fatal("it wrote beyond the destination")
		}
	})
}
