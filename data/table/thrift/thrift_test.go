package thrift

import (
	"strings"
	"testing"
)

// TestRead checks that structs that are nested too deeply, lists that are longer than the data, and data that ends
// early are refused, and that the fields of a valid struct are read.
func TestRead(t *testing.T) {
	for _, text := range []string{strings.Repeat("\x1c", 100), "\x19\xfc\xff\xff\xff\xff\x07", "", "\x15"} {
		if s, _, ok := Read(text, 0); ok {
			t.Errorf("%q was read: %v", text, s)
		}
	}
	s, end, ok := Read("x\x15\x06\x18\x01a\x1c\x11\x00\x00y", 1) // fields 1 to 3: the number 3, a text, a struct
	if !ok || end != 10 || s.Number(1) != 3 || s[2] != "a" || !s.Record(3).Has(1) || s.Has(4) {
		t.Errorf("%v up to byte %d, %v", s, end, ok)
	}
}
