package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	dtdName       = "dtd"
	dtdClasses    = 47
	dtdPartitions = 10
)

// dtdSet returns the fileSet of every split.
func dtdSet(Options) (fileSet, error) {
	return pictureSet{dtdName, openDTD, []string{"dtd/dtd/images", "dtd/images"}}, nil
}

// openDTD opens the Describable Textures Dataset, with 47 classes and images from
// 300×300 to 640×640 pixels, in DIR/dtd/dtd, where torchvision unpacks it, or in
// DIR/dtd. The word after the name is the partition, 1 to 10. Each partition divides
// the same images into training, validation and test splits of 1880 each.
func openDTD(o Options) (Dataset, error) {
	var partitions []string
	for k := range dtdPartitions {
		partitions = append(partitions, strconv.Itoa(1+k))
	}
	partition, err := o.args.word(0, partitions...)
	if err != nil {
		return nil, err
	}
	dir, err := o.dir(dtdName)
	if err != nil {
		return nil, err
	}
	name := publishedSplit(o.Split) + partition + ".txt"
	path, err := firstFile(dtdName, getHint(dtdName),
		filepath.Join(dir, "dtd", "dtd", "labels", name),
		filepath.Join(dir, "dtd", "labels", name))
	if err != nil {
		return nil, err
	}
	d := &listed{name: o.args.spec, split: o.Split, hint: againHint(dtdName)}
	d.fitted(o, folderSize, fitStretch)
	if d.root, err = firstFile(dtdName, getHint(dtdName), filepath.Join(path, "..", "..", "images")); err != nil {
		return nil, err
	}
	if err := d.addDTD(path); err != nil {
		return nil, err
	}
	return d, nil
}

// publishedSplit returns the name of a split in file names, where validation is "val".
func publishedSplit(split string) string {
	if split == validationSplit {
		return "val"
	}
	return split
}

// addDTD adds the images of a list.
func (d *listed) addDTD(path string) error {
	f, err := readText(path, againHint(dtdName))
	if err != nil {
		return err
	}
	l, classes, err := parseDTD(f)
	if err != nil {
		return err
	}
	if len(classes) != dtdClasses {
		return f.end(fmt.Sprintf("images of %d classes", dtdClasses), fmt.Sprintf("images of %d", len(classes)))
	}
	d.paths, d.labels, d.classes = l.paths, l.labels, classes
	return nil
}

// parseDTD reads a list of images, each a line CLASS/NAME. It sorts the classes; a label
// is the index of its class.
func parseDTD(f *textFile) (images *fileList, classes []string, err error) {
	images = &fileList{}
	for l := range f.lines() {
		class, name, ok := strings.Cut(l.text, "/")
		if !ok {
			return nil, nil, l.fail("CLASS/NAME.jpg", l.text)
		}
		if err := images.add(l, 0, class, name); err != nil {
			return nil, nil, err
		}
	}
	classOf := func(path string) string {
		class, _, _ := strings.Cut(path, "/")
		return class
	}
	for _, p := range images.paths {
		classes = append(classes, classOf(p))
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	for i, p := range images.paths {
		images.labels[i], _ = slices.BinarySearch(classes, classOf(p))
	}
	return images, classes, nil
}
