package weights

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// readWell reads the state dict of a fixture that may be damaged. It fails the test if reading panics, gives an error
// that is not a FormatError, or gives both a state dict and an error.
func readWell(t *testing.T, data []byte) (d *StateDict, err error) {
	t.Helper()
	d, err = readBytes(data)
	var format *FormatError
	if err != nil && !errors.As(err, &format) {
		t.Fatalf("error is %v (%T), want a *FormatError", err, err)
	}
	if err != nil && d != nil {
		t.Fatalf("a state dict beside the error %v", err)
	}
	if err == nil && d == nil {
		t.Fatal("no state dict and no error")
	}
	return d, err
}

// TestCut cuts every fixture at every byte. Each must be refused, with an error about a byte up to the cut.
func TestCut(t *testing.T) {
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := fixture(t, name)
			for n := range data {
				_, err := readWell(t, data[:n])
				if err == nil {
					t.Fatalf("cut at byte %d of %d: no error", n, len(data))
				}
				var format *FormatError
				if errors.As(err, &format) && format.Offset > int64(n) {
					t.Fatalf("cut at byte %d: the error is about byte %d: %v", n, format.Offset, err)
				}
			}
		})
	}
}

// TestBitFlips flips one bit of every byte of every fixture, or of every tenth byte in short mode.
func TestBitFlips(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 10
	}
	for _, name := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := fixture(t, name)
			rng := rand.New(rand.NewPCG(1, uint64(len(whole))))
			for at := 0; at < len(whole); at += step {
				data := bytes.Clone(whole)
				data[at] ^= 1 << rng.IntN(8)
				_, _ = readWell(t, data)
			}
		})
	}
}

// TestChecksum flips a bit of every byte of the elements in an archive and checks that the checksum reveals each.
func TestChecksum(t *testing.T) {
	whole := fixture(t, "network.zip.pth")
	d, err := readBytes(whole)
	if err != nil {
		t.Fatal(err)
	}
	weight, _ := d.Get("0.weight")
	var raw bytes.Buffer
	if err := writeValues(&raw, weight); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(whole, raw.Bytes())
	if at < 0 {
		t.Fatal("the elements are not in the file")
	}
	for i := range raw.Len() {
		data := bytes.Clone(whole)
		data[at+i] ^= 0x10
		_, err := readWell(t, data)
		wantFormatError(t, err, "checksum")
	}
}
