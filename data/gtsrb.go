package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	gtsrbName = "gtsrb"
	gtsrbSize = 32 // the default height and width
)

// gtsrbSet returns the fileSet of every split.
func gtsrbSet(Options) (fileSet, error) {
	return pictureSet{gtsrbName, openGTSRB, []string{"gtsrb/GTSRB", "GTSRB"}}, nil
}

// openGTSRB opens the German Traffic Sign Recognition Benchmark, with 43 classes and
// images from 15×15 to 250×250 pixels: torchvision's version, unpacked into
// DIR/gtsrb, or the publisher's, unpacked into DIR/gtsrb or DIR.
//
// The training split is GTSRB/Training from torchvision's archive, with 26640
// images, or else the publisher's larger GTSRB/Final_Training, with 39209. The test
// split has the same 12630 images in both.
func openGTSRB(o Options) (Dataset, error) {
	dir, err := o.dir(gtsrbName)
	if err != nil {
		return nil, err
	}
	d := &listed{name: o.args.spec, split: o.Split, hint: againHint(gtsrbName), classes: gtsrbClasses(), lists: true}
	d.fitted(o, gtsrbSize, fitStretch)
	roots := []string{filepath.Join(dir, "gtsrb", "GTSRB"), filepath.Join(dir, "GTSRB")}
	open := d.openGTSRBTest
	if o.Split == trainSplit {
		open = d.openGTSRBTraining
	}
	if err := open(roots); err != nil {
		return nil, err
	}
	return d, nil
}

// openGTSRBTraining adds the images of the training split, from a folder per class,
// 00000 to 00042.
func (d *listed) openGTSRBTraining(roots []string) error {
	var folders []string
	for _, training := range []string{"Training", filepath.Join("Final_Training", "Images")} {
		for _, root := range roots {
			folders = append(folders, filepath.Join(root, training))
		}
	}
	var err error
	if d.root, err = firstFile(gtsrbName, getHint(gtsrbName), folders...); err != nil {
		return err
	}
	for class := range d.classes {
		if err := d.addGTSRBClass(class); err != nil {
			return err
		}
	}
	return nil
}

// addGTSRBClass adds the training images of a class, in the order of their names.
func (d *listed) addGTSRBClass(class int) error {
	name := fmt.Sprintf("%05d", class)
	folder := filepath.Join(d.root, name)
	if _, err := firstFile(gtsrbName, getHint(gtsrbName), folder); err != nil {
		return err
	}
	l, err := list(folder)
	if err != nil {
		return err
	}
	if len(l.images) == 0 {
		return emptyClass(folder, getHint(gtsrbName))
	}
	if err := checkGTSRBClass(folder, class, l.images); err != nil {
		return err
	}
	d.addFiles(name, class, l.images)
	return nil
}

// checkGTSRBClass returns an error unless all images listed by the annotations in a
// class's folder are there and belong to the class. The annotations may be missing:
// torchvision does not read them.
func checkGTSRBClass(folder string, class int, images []string) error {
	path := filepath.Join(folder, fmt.Sprintf("GT-%05d.csv", class))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, err := readGTSRB(path, folder, images, class, class)
	return err
}

// openGTSRBTest adds the images of the test split, in the order of their annotations,
// GT-final_test.csv. The file that the publisher packs with the images,
// GT-final_test.test.csv, lacks the classes.
func (d *listed) openGTSRBTest(roots []string) error {
	var lists, folders []string
	for _, root := range roots {
		images := filepath.Join(root, "Final_Test", "Images")
		folders = append(folders, images)
		lists = append(lists,
			filepath.Join(filepath.Dir(root), "GT-final_test.csv"),
			filepath.Join(images, "GT-final_test.csv"),
			filepath.Join(root, "GT-final_test.csv"))
	}
	path, err := firstFile(gtsrbName, getHint(gtsrbName), lists...)
	if err != nil {
		return err
	}
	if d.root, err = firstFile(gtsrbName, getHint(gtsrbName), folders...); err != nil {
		return err
	}
	there, err := list(d.root)
	if err != nil {
		return err
	}
	l, err := readGTSRB(path, d.root, there.images, 0, len(d.classes)-1)
	if err != nil {
		return err
	}
	if n := len(l.paths); n != len(there.images) {
		return folderError(d.root, fmt.Sprintf("an image for each of the %d that %s lists", n, path),
			fmt.Sprintf("%d images", len(there.images)), againHint(gtsrbName))
	}
	d.paths, d.labels = l.paths, l.labels
	return nil
}

// readGTSRB reads the annotations of a folder. They may name only the given images,
// which are sorted, and classes from lo to hi.
func readGTSRB(path, folder string, images []string, lo, hi int) (*fileList, error) {
	f, err := readText(path, againHint(gtsrbName))
	if err != nil {
		return nil, err
	}
	l, err := parseGTSRB(f, lo, hi)
	if err != nil {
		return nil, err
	}
	for _, name := range l.paths {
		if _, there := slices.BinarySearch(images, name); !there {
			return nil, &NotFoundError{
				Dataset: gtsrbName,
				Looked:  []string{filepath.Join(folder, name)},
				Hint:    path + " lists it; " + againHint(gtsrbName),
			}
		}
	}
	return l, nil
}

// parseGTSRB reads annotations, separated by semicolons: a line with the names of the
// fields, then a line for every image. It needs the fields Filename and ClassId, in any
// position, and ignores the others: sizes and the box around the sign.
func parseGTSRB(f *textFile, lo, hi int) (*fileList, error) {
	const header = "the names of the fields, with Filename and ClassId among them"
	images := &fileList{}
	var names []string
	var file, class int
	for l := range f.lines() {
		fields := gtsrbFields(l.text)
		if names == nil {
			names = fields
			file, class = slices.Index(names, "Filename"), slices.Index(names, "ClassId")
			if file < 0 || class < 0 {
				return nil, l.fail(header, l.text)
			}
			continue
		}
		if len(fields) != len(names) {
			return nil, l.fail(fmt.Sprintf("%d fields, as the first line has", len(names)), l.text)
		}
		label, err := strconv.Atoi(fields[class])
		if err != nil || label < lo || label > hi {
			return nil, l.fail(fmt.Sprintf("a class from %d to %d", lo, hi), fields[class])
		}
		if err := images.add(l, label, fields[file]); err != nil {
			return nil, err
		}
	}
	if len(images.paths) == 0 {
		return nil, f.end(header+", and one or more images", "the end of the file")
	}
	return images, nil
}

// gtsrbFields splits a line of annotations into fields.
func gtsrbFields(text string) []string {
	fields := strings.Split(text, ";")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// gtsrbClasses returns the names of the traffic signs by class. The publisher gives
// only numbers and pictures; these names are in common use.
func gtsrbClasses() []string {
	return []string{
		"Speed limit (20km/h)",
		"Speed limit (30km/h)",
		"Speed limit (50km/h)",
		"Speed limit (60km/h)",
		"Speed limit (70km/h)",
		"Speed limit (80km/h)",
		"End of speed limit (80km/h)",
		"Speed limit (100km/h)",
		"Speed limit (120km/h)",
		"No passing",
		"No passing for vehicles over 3.5 metric tons",
		"Right-of-way at the next intersection",
		"Priority road",
		"Yield",
		"Stop",
		"No vehicles",
		"Vehicles over 3.5 metric tons prohibited",
		"No entry",
		"General caution",
		"Dangerous curve to the left",
		"Dangerous curve to the right",
		"Double curve",
		"Bumpy road",
		"Slippery road",
		"Road narrows on the right",
		"Road work",
		"Traffic signals",
		"Pedestrians",
		"Children crossing",
		"Bicycles crossing",
		"Beware of ice/snow",
		"Wild animals crossing",
		"End of all speed and passing limits",
		"Turn right ahead",
		"Turn left ahead",
		"Ahead only",
		"Go straight or right",
		"Go straight or left",
		"Keep right",
		"Keep left",
		"Roundabout mandatory",
		"End of no passing",
		"End of no passing by vehicles over 3.5 metric tons",
	}
}
