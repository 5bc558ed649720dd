package data

import (
	"fmt"
	"path/filepath"
	"strings"
)

const aircraftName = "aircraft"

// The words that may follow the name; the names of files contain them.
const (
	aircraftVariant      = "variant"
	aircraftFamily       = "family"
	aircraftManufacturer = "manufacturer"
)

// aircraftSet returns the fileSet of every split.
func aircraftSet(Options) (fileSet, error) {
	return pictureSet{aircraftName, openAircraft, aircraftFolders()}, nil
}

// aircraftFolders returns the folders where the images may be.
func aircraftFolders() []string {
	const images = "fgvc-aircraft-2013b/data/images"
	return []string{images, "aircraft/" + images}
}

// openAircraft opens FGVC-Aircraft 2013b, with images of about 1000×700 pixels, in
// DIR/fgvc-aircraft-2013b as its publisher packs it. The word after the name selects
// the classes: 100 variants, 70 families or 30 manufacturers. The training and
// validation splits have 3334 and 3333 images; together they are trainval, which
// torchvision opens by default. The test split has 3333.
//
// The lowest 20 rows of every image are a banner with its author. We keep it, as
// torchvision does.
func openAircraft(o Options) (Dataset, error) {
	level, err := o.args.word(0, aircraftVariant, aircraftFamily, aircraftManufacturer)
	if err != nil {
		return nil, err
	}
	d := &listed{name: o.args.spec, split: o.Split, hint: againHint(aircraftName), lists: true}
	d.fitted(o, folderSize, fitStretch)
	if d.root, err = findPictures(o, aircraftName, aircraftFolders()); err != nil {
		return nil, err
	}
	if d.classes, err = readAircraftClasses(filepath.Join(d.root, "..", aircraftClassFile(level))); err != nil {
		return nil, err
	}
	if err := d.addAircraft(filepath.Join(d.root, "..", "images_"+level+"_"+publishedSplit(o.Split)+
		".txt")); err != nil {
		return nil, err
	}
	return d, nil
}

// aircraftClassFile returns the name of the file that lists the classes of a level.
func aircraftClassFile(level string) string {
	if level == aircraftFamily {
		return "families.txt"
	}
	return level + "s.txt"
}

// readAircraftClasses reads the names of the classes from a file.
func readAircraftClasses(path string) ([]string, error) {
	f, err := readAircraftFile(path)
	if err != nil {
		return nil, err
	}
	return parseAircraftClasses(f)
}

// readAircraftFile reads a list of the set.
func readAircraftFile(path string) (*textFile, error) {
	if _, err := firstFile(aircraftName, getHint(aircraftName), path); err != nil {
		return nil, err
	}
	return readText(path, againHint(aircraftName))
}

// parseAircraftClasses reads the names of classes, one per line.
func parseAircraftClasses(f *textFile) ([]string, error) {
	var names []string
	seen := map[string]bool{}
	for l := range f.lines() {
		if seen[l.text] {
			return nil, l.fail("every class once", l.text)
		}
		seen[l.text] = true
		names = append(names, l.text)
	}
	if len(names) == 0 {
		return nil, f.end("the names of classes, one per line", "none")
	}
	return names, nil
}

// addAircraft adds the images of a list.
func (d *listed) addAircraft(path string) error {
	f, err := readAircraftFile(path)
	if err != nil {
		return err
	}
	l, err := parseAircraft(f, d.classes)
	if err != nil {
		return err
	}
	d.paths, d.labels = l.paths, l.labels
	return nil
}

// parseAircraft reads a list of images. Each line "NUMBER CLASS" stands for the file
// NUMBER.jpg.
func parseAircraft(f *textFile, classes []string) (*fileList, error) {
	labels := make(map[string]int, len(classes))
	for i, c := range classes {
		labels[c] = i
	}
	images := &fileList{}
	for l := range f.lines() {
		number, class, _ := strings.Cut(l.text, " ")
		label, known := labels[strings.TrimSpace(class)]
		if !known {
			return nil, l.fail(fmt.Sprintf("a number and one of the %d classes", len(classes)), l.text)
		}
		if err := images.add(l, label, number+".jpg"); err != nil {
			return nil, err
		}
	}
	if len(images.paths) == 0 {
		return nil, f.end("one or more images, a line with a number and a class each", "none")
	}
	return images, nil
}
