package data

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/catalogue"
)

const (
	celebaName = "celeba"

	celebaWidth  = 178
	celebaHeight = 218
)

// celebaSet returns the fileSet of every split.
func celebaSet(Options) (fileSet, error) {
	return pictureSet{celebaName, openCelebA, []string{"celeba/img_align_celeba"}}, nil
}

// openCelebA opens CelebA, aligned and cropped, with 202599 faces of 178×218 pixels,
// in DIR/celeba as torchvision unpacks it, or with Kaggle's lists in .csv. The word
// after the name is the attribute to use as label, by default Smiling; the classes
// are then "not Smiling" and "Smiling". The splits are the publisher's, of 162770,
// 19867 and 19962 faces.
func openCelebA(o Options) (Dataset, error) {
	attribute, err := o.args.word(0, celebaAttributes()...)
	if err != nil {
		return nil, err
	}
	dir, err := o.dir(celebaName)
	if err != nil {
		return nil, err
	}
	d := &listed{name: o.args.spec, split: o.Split, hint: againHint(celebaName), lists: true}
	d.classes = []string{"not " + attribute, attribute}
	d.fitted(o, 0, fitStretch)
	if o.Size == 0 {
		d.shape, d.fit = Shape{3, celebaHeight, celebaWidth}, fitNone
	}
	attributes, err := firstFile(celebaName, getHint(celebaName),
		textOrCSV(filepath.Join(dir, "celeba", "list_attr_celeba"))...)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(attributes)
	partition, err := firstFile(celebaName, getHint(celebaName),
		textOrCSV(filepath.Join(folder, "list_eval_partition"))...)
	if err != nil {
		return nil, err
	}
	images := filepath.Join(folder, "img_align_celeba")
	d.root, err = firstFile(celebaName, getHint(celebaName), filepath.Join(images, "img_align_celeba"), images)
	if err != nil {
		return nil, err
	}
	if err := d.addCelebA(attributes, partition, attribute); err != nil {
		return nil, err
	}
	return d, nil
}

func textOrCSV(path string) []string { return []string{path + ".txt", path + ".csv"} }

// addCelebA adds the images of the split.
func (d *listed) addCelebA(attributes, partition, attribute string) error {
	f, err := readText(attributes, againHint(celebaName))
	if err != nil {
		return err
	}
	all, err := parseCelebAAttributes(f, attribute)
	if err != nil {
		return err
	}
	if f, err = readText(partition, againHint(celebaName)); err != nil {
		return err
	}
	splits, err := parseCelebAPartition(f, all.paths)
	if err != nil {
		return err
	}
	for i, split := range splits {
		if split == d.split {
			d.paths, d.labels = append(d.paths, all.paths[i]), append(d.labels, all.labels[i])
		}
	}
	if len(d.paths) == 0 {
		return f.end("images of the "+d.split+" split", "none")
	}
	return nil
}

// parseCelebAAttributes reads the list of attributes: a line with the number of
// images, a line with the names of the attributes, then for every image a line with
// its name and 1 or -1 for each attribute. A .csv file begins with the names of the
// columns, the first of which is the image's. The labels are 0 and 1.
func parseCelebAAttributes(f *textFile, attribute string) (*fileList, error) {
	next, stop := iter.Pull(f.lines())
	defer stop()
	var number string
	header, ok := next()
	if !f.isCSV() {
		number = header.text
		header, ok = next()
	}
	if !ok {
		return nil, f.end("the names of the attributes, and the images", "none")
	}
	names := celebaFields(header)
	if f.isCSV() {
		names = names[1:]
	}
	column := slices.Index(names, attribute)
	if column < 0 {
		return nil, header.fail("the names of the attributes, with "+excerpt(attribute), header.text)
	}
	images := &fileList{}
	for l, ok := next(); ok; l, ok = next() {
		if err := images.addCelebA(l, len(names), column); err != nil {
			return nil, err
		}
	}
	if n := strconv.Itoa(len(images.paths)); !f.isCSV() && number != n {
		return nil, f.end(excerpt(number)+" images, as the first line says", n)
	}
	return images, nil
}

// addCelebA adds the image of a line with that many attributes; the attribute with
// index column becomes its label.
func (f *fileList) addCelebA(l textLine, attributes, column int) error {
	fields := celebaFields(l)
	if len(fields) != 1+attributes {
		return l.fail(fmt.Sprintf("the name of an image and %d attributes", attributes), l.text)
	}
	label := slices.Index([]string{"-1", "1"}, fields[1+column])
	if label < 0 {
		return l.fail("an attribute of 1 or -1", fields[1+column])
	}
	return f.add(l, label, fields[0])
}

// parseCelebAPartition reads the list of splits: for every image, in the order of
// names, a line with its name and 0 for training, 1 for validation or 2 for test. A
// .csv file begins with the names of the columns.
func parseCelebAPartition(f *textFile, names []string) (splits []string, err error) {
	byNumber := map[string]string{"0": trainSplit, "1": validationSplit, "2": testSplit}
	head := f.isCSV()
	for l := range f.lines() {
		if head {
			head = false
			continue
		}
		if len(splits) == len(names) {
			return nil, l.fail(fmt.Sprintf("the %d images of the list of attributes", len(names)), l.text)
		}
		name := names[len(splits)]
		fields := celebaFields(l)
		if len(fields) != 2 || fields[0] != name {
			return nil, l.fail(name+", which is next in the list of attributes, and its split", l.text)
		}
		split, known := byNumber[fields[1]]
		if !known {
			return nil, l.fail("a split of 0, 1 or 2", fields[1])
		}
		splits = append(splits, split)
	}
	if len(splits) != len(names) {
		return nil, f.end(fmt.Sprintf("the %d images of the list of attributes", len(names)), strconv.Itoa(len(splits)))
	}
	return splits, nil
}

// isCSV reports whether a list is in Kaggle's form.
func (f *textFile) isCSV() bool { return strings.HasSuffix(f.path, ".csv") }

// celebaFields splits a line of a list into its fields.
func celebaFields(l textLine) []string {
	if l.file.isCSV() {
		return strings.Split(l.text, ",")
	}
	return strings.Fields(l.text)
}

// celebaAttributes returns the names of the attributes; the first is the default.
func celebaAttributes() []string {
	const first = "Smiling"
	e, _ := catalogue.Find(celebaName)
	return append([]string{first}, slices.DeleteFunc(e.Variants, func(name string) bool { return name == first })...)
}
