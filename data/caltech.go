package data

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
)

const (
	caltechName    = "caltech101"
	caltechClasses = 101

	// caltechBackground is the folder of images that belong to no class.
	caltechBackground = "BACKGROUND_Google"

	// caltechTraining is the number of training images per class, the largest
	// that is customary since Fei-Fei, Fergus and Perona: the smallest class
	// has 31 images.
	caltechTraining = 30
)

// caltechSet returns the fileSet of every split.
func caltechSet(Options) (fileSet, error) {
	return pictureSet{caltechName, openCaltech, caltechFolders()}, nil
}

// caltechFolders returns the folders where the images may be.
func caltechFolders() []string {
	const categories = "101_ObjectCategories"
	return []string{"caltech101/" + categories, "caltech101/caltech-101/" + categories, categories}
}

// openCaltech opens Caltech-101, with images of about 300×200 pixels, in
// DIR/caltech101/101_ObjectCategories as torchvision unpacks it. Its classes are
// the 101 folders other than the background; Faces and Faces_easy are both among
// them.
//
// The publisher defines no splits. The training split has 30 images of each class,
// 3030 in all, drawn at random by Options.Seed; the test split has the rest. The
// digest depends on the draw.
func openCaltech(o Options) (Dataset, error) {
	d := &listed{name: o.args.spec, split: o.Split, hint: againHint(caltechName)}
	d.fitted(o, folderSize, fitStretch)
	var err error
	if d.root, err = findPictures(o, caltechName, caltechFolders()); err != nil {
		return nil, err
	}
	if err := d.addCaltech(); err != nil {
		return nil, err
	}
	if err := d.splitCaltech(o.Seed); err != nil {
		return nil, err
	}
	return d, nil
}

// addCaltech adds the images of all classes.
func (d *listed) addCaltech() error {
	top, err := list(d.root)
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(top.folders, func(name string) bool { return name == caltechBackground })
	if len(names) != caltechClasses {
		return folderError(d.root, fmt.Sprintf("the folders of %d classes", caltechClasses),
			fmt.Sprintf("%d folders", len(names)),
			againHint(caltechName)+"; of other folders give the path")
	}
	empty, err := d.addClasses(names)
	if err == nil && len(empty) > 0 {
		err = emptyClass(filepath.Join(d.root, empty[0]), getHint(caltechName))
	}
	return err
}

// splitCaltech keeps only the images of the split.
func (d *listed) splitCaltech(seed uint64) error {
	byClass := make([][]int, len(d.classes))
	for i, label := range d.labels {
		byClass[label] = append(byClass[label], i)
	}
	var paths []string
	var labels []int
	pcg := rand.NewPCG(0, 0)
	for label, images := range byClass {
		if len(images) <= caltechTraining {
			return folderError(filepath.Join(d.root, d.classes[label]),
				fmt.Sprintf("more than the %d images that are trained on", caltechTraining),
				fmt.Sprintf("%d", len(images)), againHint(caltechName))
		}
		seedStream(pcg, seed, "caltech101/split", uint64(label))
		order := rand.New(pcg).Perm(len(images))
		chosen := order[caltechTraining:]
		if d.split == trainSplit {
			chosen = order[:caltechTraining]
		}
		slices.Sort(chosen)
		for _, k := range chosen {
			paths, labels = append(paths, d.paths[images[k]]), append(labels, label)
		}
	}
	d.paths, d.labels = paths, labels
	return nil
}
