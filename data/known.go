package data

import "path/filepath"

// A fileSet is a split of a dataset that is read from files.
type fileSet interface {
	// find returns the path of the split's first file or folder, or a NotFoundError.
	find(Options) (string, error)

	// open opens the split.
	open(Options) (Dataset, error)
}

// opener is a dataset known by name; either files or generate is set.
type opener struct {
	name       string
	files      func(Options) (fileSet, error)
	generate   func(Options) (Dataset, error)
	words      int      // the number of words that may follow the name
	keys       []string // the keys of arguments KEY=VALUE that may follow the name
	validation bool     // whether it has a validation split
	fit        string   // how its images are brought to one size; "" if they have one
}

// openers returns the datasets that Open knows by name, sorted.
func openers() []opener {
	return []opener{
		{name: aircraftName, files: aircraftSet, words: 1, validation: true, fit: fitStretch},
		{name: barsName, generate: openBars, keys: []string{"noise"}},
		{name: caltechName, files: caltechSet, fit: fitStretch},
		{name: celebaName, files: celebaSet, words: 1, validation: true},
		{name: cifarName, files: cifar10Set},
		{name: cifar100Name, files: cifar100Set, words: 1},
		{name: deadLeavesName, generate: openDeadLeaves, words: 2},
		{name: dtdName, files: dtdSet, words: 1, validation: true, fit: fitStretch},
		{name: emnistName, files: emnistSet, words: 1},
		{name: fashionName, files: fashionSet},
		{name: glyphsName, generate: openGlyphs},
		{name: gtsrbName, files: gtsrbSet, fit: fitStretch},
		{name: headsName, generate: openHeads, keys: []string{"attribute", "with", "agree", "test"}},
		{name: imagenetName, files: imagenetSet, words: 1, validation: true, fit: fitCrop},
		{name: imagenet32Name, files: newImageNet32Set, validation: true},
		{name: mnistName, files: mnistSet},
		{name: noisyDigitsName, generate: openNoisyDigits, words: 1, keys: []string{"noise"}},
		{name: pcamName, files: newPCamSet, validation: true},
		{name: qmnistName, files: qmnistSet, words: 1},
		{name: sideBySideName, generate: openSideBySide, words: 2},
		{name: spuriousName, generate: openSpurious, words: 1, keys: []string{"agree", "corner", "side", "test"}},
		{name: starName, generate: openStar, words: 1, keys: []string{"a", "b", "size"}},
		{name: stlName, files: newSTLSet, words: 1},
		{name: streetDigitsName, generate: openStreetDigits},
		{name: svhnName, files: newSVHNSet, words: 1},
	}
}

// lookup returns the known dataset that a text names.
func lookup(spec string) (opener, bool) {
	name, _ := cutSpec(spec)
	for _, k := range openers() {
		if k.name == name {
			return k, true
		}
	}
	return opener{}, false
}

// A pictureSet is a dataset in which each image is a file.
type pictureSet struct {
	name    string
	opener  func(Options) (Dataset, error)
	folders []string // in the data folder, slash-separated, that may hold its images
}

func (s pictureSet) find(o Options) (string, error) { return findPictures(o, s.name, s.folders) }

func (s pictureSet) open(o Options) (Dataset, error) { return s.opener(o) }

// findPictures returns the first of the folders that exists. They are slash-separated
// paths in the data folder that may hold the images of a dataset.
func findPictures(o Options, name string, folders []string) (string, error) {
	dir, err := o.dir(name)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, f := range folders {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(f)))
	}
	return firstFile(name, getHint(name), paths...)
}
