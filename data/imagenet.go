package data

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

const (
	imagenetName     = "imagenet"
	imagenetClasses  = 1000
	imagenetFlatHint = "move every image into a folder of its class, such as val/n01440764, as the classes are told " +
		"by ILSVRC2012_validation_ground_truth.txt of the development kit or by Kaggle's LOC_val_solution.csv; " +
		"torchvision's datasets.ImageNet(root, split=\"val\") does so"

	// The words that may follow the name.
	imagenetAll    = "all"
	imagenetSnakes = "snakes"
)

// imagenetSet returns the fileSet of every split.
func imagenetSet(Options) (fileSet, error) {
	return pictureSet{imagenetName, openImageNet, []string{"imagenet/val", "imagenet/train",
		"imagenet/ILSVRC/Data/CLS-LOC"}}, nil
}

// openImageNet opens ImageNet (ILSVRC 2012), with a folder per class, named by WordNet id, in DIR/imagenet/train and
// DIR/imagenet/val, or deeper in ILSVRC/Data/CLS-LOC as Kaggle packs it. The test and the validation split are both
// val, with 50000 images: the publisher's test split has no labels, and val is what everybody tests on. The classes are
// in the order of their ids, as in torchvision. They have names if LOC_synset_mapping.txt is in DIR/imagenet.
//
// The word "snakes" selects ten classes, whose ten folders are then enough: see [snakes].
func openImageNet(o Options) (Dataset, error) {
	which, err := o.args.word(0, imagenetAll, imagenetSnakes)
	if err != nil {
		return nil, err
	}
	dir, err := o.dir(imagenetName)
	if err != nil {
		return nil, err
	}
	split := "val"
	if o.Split == trainSplit {
		split = "train"
	}
	d := &listed{name: o.args.spec, split: o.Split, hint: againHint(imagenetName)}
	d.fitted(o, folderSize, fitCrop)
	root := filepath.Join(dir, "imagenet")
	d.root, err = firstFile(imagenetName, getHint(imagenetName),
		filepath.Join(root, split),
		filepath.Join(root, "ILSVRC", "Data", "CLS-LOC", split))
	if err != nil {
		return nil, err
	}
	add := d.addImageNet
	if which == imagenetSnakes {
		add = d.addSnakes
	}
	if err := add(root); err != nil {
		return nil, err
	}
	return d, nil
}

// addImageNet adds the images of all classes. Root is the folder that may hold the list of their names.
func (d *listed) addImageNet(root string) error {
	folders, err := d.listSynsets()
	if err != nil {
		return err
	}
	if len(folders) != imagenetClasses {
		return folderError(d.root, fmt.Sprintf("the folders of %d classes", imagenetClasses),
			fmt.Sprintf("%d folders", len(folders)), "to open the classes that are there, give the path of the folder")
	}
	if bad := slices.IndexFunc(folders, func(name string) bool { return !isSynset(name) }); bad >= 0 {
		return folderError(filepath.Join(d.root, folders[bad]),
			"a WordNet id, such as n01440764, as the name of the folder",
			excerpt(folders[bad]), "take it away; "+getHint(imagenetName))
	}
	if err := d.checkOtherSplit(folders); err != nil {
		return err
	}
	if err := d.addSynsets(folders); err != nil {
		return err
	}
	d.classes, err = synsetNames(filepath.Join(root, "LOC_synset_mapping.txt"), d.classes)
	return err
}

// checkOtherSplit returns an error if train and val have different classes: their labels would not mean the same.
func (d *listed) checkOtherSplit(folders []string) error {
	other := "val"
	if filepath.Base(d.root) == other {
		other = "train"
	}
	path := filepath.Join(filepath.Dir(d.root), other)
	l, err := list(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for k, name := range folders {
		if k >= len(l.folders) || l.folders[k] != name {
			return folderError(filepath.Join(d.root, name), "a class that "+path+" has at the same place",
				"a folder that is not there",
				"both splits need the same folders")
		}
	}
	return nil
}

// listSynsets returns the folders of the classes, and an error if images lie outside them.
func (d *listed) listSynsets() ([]string, error) {
	top, err := list(d.root)
	if err != nil {
		return nil, err
	}
	if len(top.images) > 0 {
		return nil, folderError(d.root, "a folder per class", fmt.Sprintf("%d images", len(top.images)),
			imagenetFlatHint)
	}
	return top.folders, nil
}

// addSnakes adds the images of the ten snakes.
func (d *listed) addSnakes(string) error {
	if _, err := d.listSynsets(); err != nil {
		return err
	}
	var ids, names []string
	for _, s := range snakes() {
		id, name, _ := strings.Cut(s, " ")
		if _, err := firstFile(d.name, getHint(imagenetName), filepath.Join(d.root, id)); err != nil {
			return err
		}
		ids, names = append(ids, id), append(names, name)
	}
	err := d.addSynsets(ids)
	d.classes = names
	return err
}

// addSynsets adds the images of the classes with the given WordNet ids.
func (d *listed) addSynsets(ids []string) error {
	empty, err := d.addClasses(ids)
	if err == nil && len(empty) > 0 {
		err = emptyClass(filepath.Join(d.root, empty[0]), getHint(imagenetName))
	}
	return err
}

// snakes returns the ten classes of "imagenet:snakes". The paper that trains on a "snakes" subset of ten classes lists
// them in a supplement that we do not have. These are the first ten, by id, of ImageNet's seventeen snakes.
func snakes() []string {
	return []string{
		"n01728572 thunder snake",
		"n01728920 ringneck snake",
		"n01729322 hognose snake",
		"n01729977 green snake",
		"n01734418 king snake",
		"n01735189 garter snake",
		"n01737021 water snake",
		"n01739381 vine snake",
		"n01740131 night snake",
		"n01742172 boa constrictor",
	}
}

// synsetNames returns the names of the classes with the given WordNet ids from a file,
// or the ids if there is no such file.
func synsetNames(path string, ids []string) ([]string, error) {
	f, err := readText(path, "get LOC_synset_mapping.txt again, or remove it to use the ids as names")
	if errors.Is(err, fs.ErrNotExist) {
		return ids, nil
	}
	if err != nil {
		return nil, err
	}
	return parseSynsets(f, ids)
}

// parseSynsets reads a list of classes, each a line "ID NAME, OTHER NAME, …", and returns the first name for each id. If
// several classes share a name, such as crane, a bird and a machine, it appends the id.
func parseSynsets(f *textFile, ids []string) ([]string, error) {
	byID := map[string]string{}
	times := map[string]int{}
	for l := range f.lines() {
		id, text, _ := strings.Cut(l.text, " ")
		first, _, _ := strings.Cut(text, ",")
		name := strings.TrimSpace(first)
		if !isSynset(id) || name == "" {
			return nil, l.fail("a WordNet id and names, as in n01440764 tench, Tinca tinca", l.text)
		}
		if _, twice := byID[id]; twice {
			return nil, l.fail("every class once", id)
		}
		byID[id] = name
		times[name]++
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		name, known := byID[id]
		if !known {
			return nil, f.end("the name of "+id, "none")
		}
		if times[name] > 1 {
			name += " (" + id + ")"
		}
		names[i] = name
	}
	return names, nil
}

// isSynset reports whether a text is a WordNet id: n and eight digits.
func isSynset(text string) bool {
	return len(text) == 9 && text[0] == 'n' && strings.Trim(text[1:], "0123456789") == ""
}
