package data

import (
	"path/filepath"
)

const (
	celebaName = "celeba"

	celebaWidth  = 178
	celebaHeight = 218
)

// celebaSet is every split of the set.
func celebaSet(Options) (fileSet, error) {
	return pictureSet{celebaName, openCelebA, []string{"celeba/img_align_celeba"}}, nil
}

// openCelebA opens CelebA, aligned and cropped, of 202599 faces of 178×218, in
// DIR/celeba as torchvision unpacks it or with the lists that Kaggle has as
// .csv. The word is the attribute that is the label, Smiling by default; the
// classes are "not Smiling" and "Smiling". The splits are the publisher's,
// 162770, 19867 and 19962 faces.
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
