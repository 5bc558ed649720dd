package array

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"testing"
)

func parseMAT(content []byte, names ...string) (map[string]*Array, error) {
	return parseMAT5("test.mat", bytes.NewReader(content), int64(len(content)), MaxBytes, names)
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func TestReadMAT5(t *testing.T) {
	for file, want := range saidOf(t, ".mat") {
		all, err := ReadMAT5(testFile(file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got, want := sortedKeys(all), sortedKeys(want); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", file, got, want)
		}
		for name, s := range want {
			s.check(t, all[name])
			one, err := ReadMAT5(testFile(file), name)
			if err != nil || len(one) != 1 || !reflect.DeepEqual(one[name], all[name]) {
				t.Errorf("%s: %q alone: %v, %v", file, name, one, err)
			}
		}
	}
	if _, err := ReadMAT5(testFile("none.mat")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestMAT5OtherClasses(t *testing.T) {
	for name, want := range map[string]string{
		"text": "text", "cells": "a cell array", "record": "a struct", "z": "complex", "few": "a sparse matrix",
	} {
		for _, file := range []string{"others.mat", "others_plain.mat"} {
			_, err := ReadMAT5(testFile(file), "number", name)
			f := (*FormatError)(nil)
			if !errors.As(err, &f) {
				t.Fatalf("%s, %s: %v", file, name, err)
			}
			wantFormatError(t, err, f.Offset, `expected a variable "`+name+`" of real numbers, found `+want)
			// The offset is that of the element that is the variable.
			if kind := content(t, file)[f.Offset]; kind != byte(miMatrix) && kind != byte(miCompressed) {
				t.Errorf("%s, %s: no element at byte %d", file, name, f.Offset)
			}
		}
	}
	_, err := ReadMAT5(testFile("others.mat"), "w")
	wantFormatError(t, err, 510,
		`a variable "w", found the end of the file after the variables ["cells", "few", "number", "record", "text", `+
			`"z"]`)
}

// TestMAT5Cut checks that a file that is cut at any byte gives an error at that byte.
func TestMAT5Cut(t *testing.T) {
	for file, want := range saidOf(t, ".mat") {
		names, whole := sortedKeys(want), content(t, file)
		last := len(whole)
		if file == "others_plain.mat" || file == "others.mat" {
			continue // their last variables are not in names, so these files can be read without them
		}
		for n := range last {
			_, err := parseMAT(whole[:n], names...)
			wantFormatError(t, err, int64(n), "")
		}
	}
}

// TestMAT5Flipped checks that a flipped bit gives an error or does not change the arrays. Only compressed variables
// have checksums, so only they are tested.
func TestMAT5Flipped(t *testing.T) {
	file := content(t, "svhn.mat")
	good, err := parseMAT(file, "X", "y")
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		file[i] ^= 1 << (i % 8)
		got, err := parseMAT(file, "X", "y")
		if f := (*FormatError)(nil); err != nil && !errors.As(err, &f) {
			t.Fatalf("byte %d: error of type %T: %v", i, err, err)
		}
		if err == nil && !reflect.DeepEqual(got, good) {
			t.Errorf("byte %d flipped changes the arrays", i)
		}
		file[i] ^= 1 << (i % 8)
	}
}

func TestMAT5Header(t *testing.T) {
	good := content(t, "narrow.mat")
	edit := func(at int, with string) []byte {
		b := slices.Clone(good)
		copy(b[at:], with)
		return b
	}
	for _, test := range []struct {
		content []byte
		offset  int64
		text    string
	}{
		{nil, 0, "the 128 bytes that begin"},
		{edit(0, hdf5Signature), 0, "7.3"},
		{edit(124, "\x00\x02"), 124,
			`version 7.3, which is an HDF5 file; in MATLAB, save it again with save(..., "-v7")`},
		{edit(124, "\x00\x03"), 124, "version 0x300"},
		{edit(126, "XY"), 126, `"XY"`},
		{edit(0, "\x00\x00\x00\x00") /* but with a valid mark of the byte order */, -2, ""},
		{edit(126, "\x00\x00\x00"), 126, "order of the bytes"},
		{append(slices.Repeat([]byte{0}, 8), edit(126, "ab")[8:]...), 0, "level 4"},
		{append([]byte("\x89HDF\r\n\x1a\n"), good[8:]...), 0, "HDF5"},
	} {
		_, err := parseMAT(test.content)
		if test.offset == -2 {
			if err != nil {
				t.Errorf("the text of the header matters: %v", err)
			}
			continue
		}
		wantFormatError(t, err, test.offset, test.text)
	}
}

func TestMAT5BadElements(t *testing.T) {
	for _, b := range []matBuilder{{binary.LittleEndian}, {binary.BigEndian}} {
		dims := func(d ...int32) []int32 { return d }
		flags := b.element(6, b.numbers(t, []uint32{6, 0}))
		shape := b.element(5, b.numbers(t, dims(1, 2)))
		name := b.element(1, []byte("abc"))
		for what, test := range map[string]struct {
			element []byte
			offset  int64
			text    string
		}{
			"kind":            {b.element(9, make([]byte, 16)), 128, "an element of type 9"},
			"half a tag":      {[]byte{0, 0, 0}, 131, "the 8 bytes of a tag, found 3"},
			"no flags":        {b.element(14), 136, "the flags of an array"},
			"flags' kind":     {b.element(14, b.element(5, make([]byte, 8))), 136, "8 of type 5"},
			"flags' size":     {b.element(14, b.element(6, make([]byte, 16))), 136, "at most 8 bytes, found 16"},
			"one dimension":   {b.element(14, flags, b.element(5, make([]byte, 4))), 152, "two dimensions or more"},
			"many dimensions": {b.element(14, flags, b.element(5, make([]byte, 4*33))), 152, "at most 128 bytes"},
			"negative": {b.element(14, flags, b.element(5, b.numbers(t, dims(1, -2)))), 152,
				"not negative, found -2"},
			"name's kind":   {b.element(14, flags, shape, b.element(2, []byte("abc"))), 168, "found type 2"},
			"name's size":   {b.element(14, flags, shape, b.element(1, make([]byte, 2000))), 168, "at most 1024"},
			"no numbers":    {b.element(14, flags, shape, name), 184, "the tag of the float64 numbers"},
			"numbers' kind": {b.element(14, flags, shape, name, b.element(16, make([]byte, 2))), 184, "type 16"},
			"wider":         {b.matrix(t, "abc", 9, dims(1, 2), 3, make([]byte, 4)), 184, "type 3 (int16)"},
			"too few":       {b.matrix(t, "abc", 6, dims(1, 2), 2, make([]byte, 1)), 184, "in 2 bytes, found 1"},
			"too many":      {b.matrix(t, "abc", 6, dims(1, 2), 9, make([]byte, 24)), 184, "in 16 bytes, found 24"},
			"no such value": {b.matrix(t, "abc", 8, dims(1, 2), 2, []byte{127, 128}), 184, "128 at index 1"},
			"overflow": {b.matrix(t, "abc", 6, dims(1<<31-1, 1<<31-1, 1<<31-1), 9, nil), 152,
				"at most 4294967296"},
			"beyond the end": {b.element(14, flags, shape, name, b.element(9, make([]byte, 16))[:16]), 192,
				"the end of the element after 8"},
			"not compressed": {b.element(15, make([]byte, 9)), 138, "zlib"},
		} {
			t.Run(what, func(t *testing.T) {
				_, err := parseMAT(b.file(test.element))
				wantFormatError(t, err, test.offset, test.text)
			})
		}
	}
}

// TestMAT5BadCompressed checks that the errors of compressed variables also give the offset in the inflated content.
func TestMAT5BadCompressed(t *testing.T) {
	b := matBuilder{binary.LittleEndian}
	good := b.matrix(t, "v", 9, []int32{1, 8}, 2, []byte("12345678"))
	longer, shorter := slices.Clone(good), slices.Clone(good)
	longer[4] += 8
	shorter[4] -= 8
	for what, test := range map[string]struct {
		element []byte
		text    string
	}{
		"ends early":     {good[:len(good)-3], "numbers of \"v\", of shape [1 8] of 8 bytes, found 5, at byte 69"},
		"tag is longer":  {longer, "an element of 80 bytes, found another length, at byte 72"},
		"tag is shorter": {shorter, "the end of the element after 0, at byte 64"},
		"another in it":  {b.element(2, nil), "an element of type 2, at byte 0 of the inflated content that begins at byte 136"},
		"more follows": {append(slices.Clone(good), 0),
			"an element of 72 bytes, found another length, at byte 73"},
	} {
		t.Run(what, func(t *testing.T) {
			file := b.file(b.compressed(t, 6, test.element))
			_, err := parseMAT(file)
			f := (*FormatError)(nil)
			if !errors.As(err, &f) {
				t.Fatal(err)
			}
			if f.Offset <= 136 || f.Offset > int64(len(file)) {
				t.Errorf("at byte %d of %d", f.Offset, len(file))
			}
			wantFormatError(t, err, f.Offset, test.text)
		})
	}
	damaged := b.file(b.compressed(t, 6, good))
	damaged[len(damaged)-1] ^= 1 // in the checksum
	_, err := parseMAT(damaged)
	wantFormatError(t, err, int64(len(damaged)), "checksum")
}

// TestMAT5SkipsNameless checks that variables without a name are skipped. MATLAB stores data about objects in them.
func TestMAT5SkipsNameless(t *testing.T) {
	b := matBuilder{binary.LittleEndian}
	v := func(name string, x byte) []byte { return b.matrix(t, name, 9, []int32{1, 1}, 2, []byte{x}) }
	opaque := b.element(14, b.element(6, b.numbers(t, []uint32{17, 0})), b.element(1, []byte("o")),
		b.element(1, []byte("MCOS")))
	got, err := parseMAT(b.file(v("a", 1), v("", 2), opaque, v("b", 3), v("a", 4)))
	if err != nil {
		t.Fatal(err)
	}
	if keys := sortedKeys(got); !slices.Equal(keys, []string{"a", "b"}) || got["a"].Bytes[0] != 4 {
		t.Errorf("got %v, a = %v", keys, got["a"])
	}
	_, err = parseMAT(b.file(opaque), "o")
	wantFormatError(t, err, 128, "an opaque object")
}

func TestMAT5Limit(t *testing.T) {
	file := content(t, "svhn.mat")
	read := func(limit int64, names ...string) error {
		_, err := parseMAT5("test.mat", bytes.NewReader(file), int64(len(file)), limit, names)
		return err
	}
	if err := read(6146); err != nil {
		t.Error(err)
	}
	if err := read(2, "y"); err != nil {
		t.Errorf("what is not asked for counts: %v", err)
	}
	if err := read(6145); err == nil {
		t.Error("two arrays exceed the limit together")
	}
}

// TestMAT5Memory checks that no memory is allocated for sizes that only dimensions and tags claim.
func TestMAT5Memory(t *testing.T) {
	b := matBuilder{binary.LittleEndian}
	e := b.matrix(t, "v", 9, []int32{1 << 15, 1 << 15}, 2, make([]byte, 1000))
	binary.LittleEndian.PutUint32(e[4:], 1<<30+48)
	binary.LittleEndian.PutUint32(e[len(e)-1004:], 1<<30)
	file := b.file(b.compressed(t, 6, e))
	got := allocated(func() {
		if _, err := parseMAT(file); err == nil {
			t.Error("a GiB from nothing")
		}
	})
	if got > 4*firstRead {
		t.Errorf("%d bytes of memory for %d of file", got, len(file))
	}
}
