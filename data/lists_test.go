package data

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestTextLines(t *testing.T) {
	f := &textFile{text: "one\r\n\n  two \n \t\nthree"}
	var got []string
	for l := range f.lines() {
		got = append(got, fmt.Sprintf("%d@%d %q", l.number, l.at, l.text))
	}
	if want := []string{`1@0 "one"`, `3@6 "two"`, `5@16 "three"`}; !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	for l := range f.lines() {
		if l.number > 1 {
			t.Error("the loop went on")
		}
		break
	}
}

func TestPlainNames(t *testing.T) {
	for _, name := range []string{"a.jpg", "0034309.jpg", "polka-dotted", "yin yang.jpg", "a..b.jpg", "é.png"} {
		if !isPlainName(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for _, name := range []string{"", ".", "..", "../a.jpg", "/a.jpg", "a/b.jpg", `a\b.jpg`, `..\a.jpg`, "C:a.jpg",
		"a.jpg:x", ".a.jpg", "a\x00.jpg", "a\n.jpg", "\xff.jpg", strings.Repeat("x", 252) + ".jpg"} {
		if isPlainName(name) {
			t.Errorf("%q is taken", name)
		}
	}
}

func TestExcerptIsShort(t *testing.T) {
	if got := excerpt(strings.Repeat("\xff", 1<<20)); len(got) > 300 || !strings.HasSuffix(got, "…") {
		t.Errorf("an excerpt of %d bytes", len(got))
	}
}

// TestMalformedLists replaces a part of a list, and checks that Open returns an error about the list at the right byte.
func TestMalformedLists(t *testing.T) {
	const (
		aircraft = "fgvc-aircraft-2013b/data/"
		gtsrb    = "gtsrb/GT-final_test.csv"
		training = "gtsrb/GTSRB/Training/00002/GT-00002.csv"
		textures = "dtd/dtd/labels/test1.txt"
		faces    = "celeba/list_attr_celeba.txt"
		parts    = "celeba/list_eval_partition.txt"
	)
	for _, test := range []struct {
		set, file string
		old, new  string
		at        string // the text whose last occurrence is at fault; "" is the end of the file
		want      string
	}{
		{"aircraft", aircraft + "variants.txt", "737-300\n", "737-200\n", "737-200\nF/A", "line 3"},
		{"aircraft", aircraft + "images_variant_test.txt", "707-320\n", "707-321\n", "0000003",
			`"0000003 707-321" in line 1`},
		{"aircraft", aircraft + "images_variant_test.txt", "0000018 707-320", "0000018", "0000018", "line 2"},
		{"aircraft", aircraft + "images_variant_test.txt", "0000018", "0000003", "0000003 707-320\n0000033",
			"once, in line 1"},
		{"aircraft", aircraft + "images_variant_test.txt", "0000018", "../secret", "../secret", "plain name"},
		{"gtsrb", gtsrb, "ClassId", "Class", "Filename", "ClassId"},
		{"gtsrb", gtsrb, ";0\r\n00001", ";43\r\n00001", "00000.ppm", `"43" in line 2`},
		{"gtsrb", gtsrb, ";0\r\n00001", ";-1\r\n00001", "00000.ppm", `"-1" in line 2`},
		{"gtsrb", gtsrb, ";0\r\n00001", ";one\r\n00001", "00000.ppm", `"one" in line 2`},
		{"gtsrb", gtsrb, ";0\r\n00001", "\r\n00001", "00000.ppm", "8 fields"},
		{"gtsrb", gtsrb, "00001.ppm", "../1.ppm", "../1.ppm", "plain name"},
		{"gtsrb", gtsrb, "00001.ppm", "/1.ppm", "/1.ppm", "plain name"},
		{"gtsrb", gtsrb, "00001.ppm", "00000.ppm", "00000.ppm;29;30;5;6;24;25;7", "once, in line 2"},
		{"gtsrb", gtsrb, "00001.ppm", "00001.txt", "00001.txt", "an image"},
		{"gtsrb", training, ";2\r\n", ";3\r\n", "00000_00000.ppm", "class from 2 to 2"},
		{"dtd", textures, "blotchy/", "blotchy-", "blotchy-", "CLASS/NAME"},
		{"dtd", textures, "blotchy/", "blotchy//", "blotchy//", "plain name"},
		{"dtd", textures, "blotchy/", "../", "../", "plain name"},
		{"dtd", textures, "blotchy/blotchy", "banded/blotchy", "", "47 classes"},
		{"celeba", faces, "24\n", "25\n", "", `"25" images, as the first line says`},
		{"celeba", faces, "Smiling", "Frowning", "5_o_Clock", "Smiling"},
		{"celeba", faces, "000002.jpg", "000002.jpg 1", "000002.jpg", "40 attributes"},
		{"celeba", faces, "000002.jpg", "000001.jpg", "000001.jpg", "once, in line 3"},
		{"celeba", faces, "000002.jpg", "..", "..", "plain name"},
		{"celeba", parts, "000002.jpg 0", "000002.jpg 3", "000002.jpg", `"3" in line 2`},
		{"celeba", parts, "000002.jpg 0\n", "", "000003.jpg", "000002.jpg, which is next"},
		{"celeba", parts, "000024.jpg 2\n", "", "", "24 images"},
		{"celeba", parts, "000024.jpg 2\n", "000024.jpg 2\n000025.jpg 2\n", "000025.jpg", "24 images"},
	} {
		text := readImageSet(t, test.set).Texts[test.file]
		bad := strings.Replace(text, test.old, test.new, 1)
		if bad == text {
			t.Fatalf("%s has no %q", test.file, test.old)
		}
		dir := writeImageSet(t, test.set)
		path := write(t, []byte(bad), dir, test.file)
		o := Options{Dir: dir}
		if test.file == training {
			o.Split = "train"
		}
		_, err := Open(imageSetNames[test.set], o)
		at := len(bad)
		if test.at != "" {
			at = strings.LastIndex(bad, test.at)
		}
		f := wantFormatError(t, err, int64(at))
		if f.Path != path || f.Hint == "" || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: error %q does not mention %q", test.new, test.old, err, test.want)
		}
	}
}

// TestListsCut cuts a list at every byte. Parsing it then returns an error at or before the cut, or the first images of
// the whole list.
func TestListsCut(t *testing.T) {
	classes := strings.Fields("707-320 737-200 737-300 F/A-18 DHC-8-100 Il-76")
	for _, test := range []struct {
		set, file string
		parse     func(f *textFile) (*fileList, error)
	}{
		{"aircraft", "fgvc-aircraft-2013b/data/images_variant_test.txt",
			func(f *textFile) (*fileList, error) { return parseAircraft(f, classes) }},
		{"gtsrb", "gtsrb/GT-final_test.csv", func(f *textFile) (*fileList, error) { return parseGTSRB(f, 0, 42) }},
		{"dtd", "dtd/dtd/labels/test1.txt", func(f *textFile) (*fileList, error) {
			l, _, err := parseDTD(f)
			return l, err
		}},
		{"celeba", "celeba/list_attr_celeba.txt", func(f *textFile) (*fileList,
			error) {
			return parseCelebAAttributes(f, "Young")
		}},
	} {
		text := readImageSet(t, test.set).Texts[test.file]
		whole, err := test.parse(&textFile{path: test.file, text: text})
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(text) {
			l, err := test.parse(&textFile{path: test.file, text: text[:n]})
			if err != nil {
				var f *FormatError
				if !errors.As(err, &f) || f.Offset < 0 || f.Offset > int64(n) {
					t.Fatalf("%s cut at byte %d: %v", test.file, n, err)
				}
				continue
			}
			if k := len(l.paths); !slices.Equal(l.paths, whole.paths[:k]) {
				t.Fatalf("%s cut at byte %d: %q", test.file, n, l.paths)
			}
			if test.set == "celeba" && n < len(strings.TrimSpace(text)) {
				t.Fatalf("%s cut at byte %d: no error", test.file, n)
			}
		}
	}
}

func TestLineEnds(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\n\n"} {
		l, classes, err := parseDTD(&textFile{text: "b/1.jpg" + end + "a/2.jpg" + end})
		if err != nil || !slices.Equal(l.paths, []string{"b/1.jpg", "a/2.jpg"}) ||
			!slices.Equal(l.labels, []int{1, 0}) || !slices.Equal(classes, []string{"a", "b"}) {
			t.Errorf("with line ends %q: %+v of %q, %v", end, l, classes, err)
		}
	}
}

// TestPublishersGTSRB checks that the layout of the publisher's archive gives the same images as that of torchvision.
func TestPublishersGTSRB(t *testing.T) {
	from, dir := writeImageSet(t, "gtsrb"), t.TempDir()
	for _, m := range []struct{ old, new string }{
		{"gtsrb/GTSRB/Training", "GTSRB/Final_Training/Images"},
		{"gtsrb/GTSRB/Final_Test/Images", "GTSRB/Final_Test/Images"},
		{"gtsrb/GT-final_test.csv", "GTSRB/Final_Test/Images/GT-final_test.csv"},
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, m.new)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(from, m.old), filepath.Join(dir, m.new)); err != nil {
			t.Fatal(err)
		}
	}
	theirs := writeImageSet(t, "gtsrb")
	for _, split := range []string{"train", "test"} {
		got := mustOpen(t, "gtsrb", Options{Dir: dir, Split: split})
		want := mustOpen(t, "gtsrb", Options{Dir: theirs, Split: split})
		if !slices.Equal(samplesOf(got), samplesOf(want)) || digest(t, got) != digest(t, want) {
			t.Errorf("the %s split of the publisher's archive differs", split)
		}
	}
}

func TestGTSRBWithoutAnnotations(t *testing.T) {
	dir := writeImageSet(t, "gtsrb")
	want := samplesOf(mustOpen(t, "gtsrb", Options{Dir: dir, Split: "train"}))
	for class := range 43 {
		if err := os.Remove(filepath.Join(dir, fmt.Sprintf("gtsrb/GTSRB/Training/%05d/GT-%05d.csv",
			class, class))); err != nil {
			t.Fatal(err)
		}
	}
	if got := samplesOf(mustOpen(t, "gtsrb", Options{Dir: dir, Split: "train"})); !slices.Equal(got, want) {
		t.Errorf("images %q, want %q", got, want)
	}
	empty := filepath.Join(dir, "gtsrb/GTSRB/Training/00007")
	if err := os.RemoveAll(empty); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Open("gtsrb", Options{Dir: dir, Split: "train"})
	if f := wantFormatError(t, err, array.NoOffset); f.Path != empty {
		t.Errorf("error is about %s", f.Path)
	}
}

func TestGTSRBTestHasAnImagePerLine(t *testing.T) {
	dir := writeImageSet(t, "gtsrb")
	const file = "gtsrb/GT-final_test.csv"
	text := readImageSet(t, "gtsrb").Texts[file]
	write(t, []byte(text[:len(text)/2]), dir, file)
	_, err := Open("gtsrb", Options{Dir: dir})
	f := wantFormatError(t, err, array.NoOffset)
	if f.Path != filepath.Join(dir, "gtsrb/GTSRB/Final_Test/Images") || !strings.Contains(err.Error(), file) {
		t.Errorf("%v", err)
	}
}

func TestGTSRBHas43Names(t *testing.T) {
	names := slices.Clone(gtsrbClasses())
	slices.Sort(names)
	if len(names) != 43 || len(slices.Compact(names)) != 43 {
		t.Errorf("%d names, or some twice: %q", len(names), names)
	}
}
