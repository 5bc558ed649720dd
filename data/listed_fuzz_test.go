package data

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// checkFileList fails the test unless the paths of a list are those of images within the set's folder, each once, and
// the labels are below classes.
func checkFileList(t *testing.T, l *fileList, classes int) {
	t.Helper()
	if len(l.paths) != len(l.labels) {
		t.Fatalf("%d images, %d labels", len(l.paths), len(l.labels))
	}
	for i, p := range l.paths {
		if p != path.Clean(p) || strings.HasPrefix(p, "..") || path.IsAbs(p) || strings.ContainsAny(p, "\\:\x00\n") ||
			!isImage(p) {
			t.Fatalf("path %q", p)
		}
		if l.labels[i] < 0 || l.labels[i] >= classes {
			t.Fatalf("label %d of %d classes", l.labels[i], classes)
		}
	}
	sorted := slices.Sorted(slices.Values(l.paths))
	if len(slices.Compact(sorted)) != len(l.paths) {
		t.Fatal("an image is there twice")
	}
}

// checkListError fails the test unless err is nil, or a short FormatError at an offset within the text.
func checkListError(t *testing.T, f *textFile, err error) {
	t.Helper()
	checkError(t, err)
	if err == nil {
		return
	}
	e := err.(*FormatError)
	if e.Offset < 0 || e.Offset > int64(len(f.text)) {
		t.Fatalf("error at byte %d of %d", e.Offset, len(f.text))
	}
	if len(err.Error()) > 2000 {
		t.Fatalf("an error of %d bytes", len(err.Error()))
	}
}

func FuzzGTSRBCSV(f *testing.F) {
	for name, text := range readImageSet(f, "gtsrb").Texts {
		if !strings.Contains(name, "Training/000") || strings.HasSuffix(name, "7.csv") {
			f.Add(text)
		}
	}
	f.Add("ClassId; Filename\n 3; a.ppm\n\n42;b.jpg")
	f.Fuzz(func(t *testing.T, text string) {
		file := &textFile{path: "a.csv", text: text}
		l, err := parseGTSRB(file, 0, 42)
		checkListError(t, file, err)
		if err == nil {
			checkFileList(t, l, 43)
		}
	})
}

func FuzzDTDList(f *testing.F) {
	for _, text := range readImageSet(f, "dtd").Texts {
		f.Add(text)
	}
	f.Add("b/1.jpg\r\na/2.jpg")
	f.Fuzz(func(t *testing.T, text string) {
		file := &textFile{path: "train1.txt", text: text}
		l, classes, err := parseDTD(file)
		checkListError(t, file, err)
		if err != nil {
			return
		}
		checkFileList(t, l, len(classes))
		for i, p := range l.paths {
			if c := classes[l.labels[i]]; path.Dir(p) != c {
				t.Fatalf("%s is of class %s", p, c)
			}
		}
		if !slices.IsSorted(classes) {
			t.Fatalf("classes %q", classes)
		}
	})
}

func FuzzAircraftList(f *testing.F) {
	texts := readImageSet(f, "aircraft").Texts
	for _, level := range []string{"variant", "family", "manufacturer"} {
		const root = "fgvc-aircraft-2013b/data/"
		f.Add(texts[root+aircraftClassFile(level)], texts[root+"images_"+level+"_test.txt"])
	}
	f.Fuzz(func(t *testing.T, names, text string) {
		file := &textFile{path: "variants.txt", text: names}
		classes, err := parseAircraftClasses(file)
		checkListError(t, file, err)
		if err != nil {
			return
		}
		file = &textFile{path: "images_variant_test.txt", text: text}
		l, err := parseAircraft(file, classes)
		checkListError(t, file, err)
		if err == nil {
			checkFileList(t, l, len(classes))
		}
	})
}

func FuzzCelebAAttributes(f *testing.F) {
	texts := readImageSet(f, "celeba").Texts
	f.Add(texts["celeba/list_attr_celeba.txt"], texts["celeba/list_eval_partition.txt"], "Male", false)
	f.Add("2\nA B\nx.jpg 1 -1\ny.jpg -1 -1\n", "x.jpg 0\ny.jpg 2\n", "B", false)
	f.Add("image_id,A,B\nx.jpg,1,-1\ny.jpg,-1,-1\n", "image_id,partition\nx.jpg,0\ny.jpg,1\n", "A", true)
	f.Fuzz(func(t *testing.T, attributes, partition, attribute string, csv bool) {
		extension := ".txt"
		if csv {
			extension = ".csv"
		}
		file := &textFile{path: "attributes" + extension, text: attributes}
		l, err := parseCelebAAttributes(file, attribute)
		checkListError(t, file, err)
		if err != nil {
			return
		}
		checkFileList(t, l, 2)
		file = &textFile{path: "partition" + extension, text: partition}
		splits, err := parseCelebAPartition(file, l.paths)
		checkListError(t, file, err)
		if err == nil && len(splits) != len(l.paths) {
			t.Fatalf("%d splits of %d images", len(splits), len(l.paths))
		}
	})
}

func FuzzSynsets(f *testing.F) {
	f.Add(synsets, "n02012849")
	f.Add(synsets+"n01728572 thunder snake, worm snake, Carphophis amoenus\r\n", "n01728572")
	f.Fuzz(func(t *testing.T, text, id string) {
		file := &textFile{path: "LOC_synset_mapping.txt", text: text}
		names, err := parseSynsets(file, []string{id})
		if len(id) > 100 {
			return // the error contains the id, which is the name of a folder and so never this long
		}
		checkListError(t, file, err)
		if err == nil && (len(names) != 1 || names[0] == "" || !isSynset(id)) {
			t.Fatalf("%q is %q", id, names)
		}
	})
}
